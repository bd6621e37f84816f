//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/RowFunctions.h"

#include "Semantics/Check.h"

#include <gtest/gtest.h>

namespace kexpr::test::rowfunctions {
namespace {
using namespace semantics;
using Types = std::vector<DType>;

/// A graph's text, or the error as it is shown.
std::string graphOf(std::string_view text, const Types &types = {}) {
  auto expression = Expression::parse(text);
  if (!expression)
    return expression.error().render();
  auto graph = check(*expression, {types, {}});
  return graph ? graph->str() : graph.error().render();
}

/// The type of the first output; none of an expression that is refused.
std::optional<DType> typeOf(std::string_view text, const Types &types = {}) {
  auto graph = check(*Expression::parse(text), {types, {}});
  if (!graph)
    return std::nullopt;
  return graph->values[graph->outputs[0]].type;
}

std::optional<DType> typeOf(std::string_view text, DType operand) {
  return typeOf(text, Types{operand, operand});
}

struct Refusal {
  const char *text, *message;
  const char *marked; ///< The part of the text that the error is about.
};

void expectRefused(std::span<const Refusal> refusals, const Types &types = {}) {
  for (const auto &[text, message, marked] : refusals) {
    SCOPED_TRACE(text);
    const auto expression = Expression::parse(text);
    ASSERT_TRUE(expression) << expression.error().message();
    auto graph = check(*expression, {types, {}});
    ASSERT_FALSE(graph);
    const Error &error = graph.error();
    EXPECT_EQ(error.message(), message);
    const std::string_view source = error.source();
    EXPECT_EQ(source.substr(error.range().begin,
                            error.range().end - error.range().begin),
              marked);
  }
}

TEST(RowFunctions, AReductionIsAValueOfItsAxes) {
  EXPECT_EQ(graphOf("sum(@0,[0,-1],True)"),
            "%0 = input f32 @0\n"
            "%1 = convert f64 %0\n"
            "%2 = sum f64 %1 over 0 -1, which stay\n"
            "%3 = convert f32 %2\n"
            "store %3\n");
  EXPECT_EQ(graphOf("amax(@0)"), "%0 = input f32 @0\n"
                                 "%1 = amax f32 %0 over all\n"
                                 "store %1\n");
}

TEST(RowFunctions, WaysToWriteTheSameAxes) {
  EXPECT_EQ(graphOf("sum(@0,1)"), graphOf("sum(@0,[1])"));
  EXPECT_EQ(graphOf("sum(@0,1)"), graphOf("sum(@0,1,False)"));
  EXPECT_EQ(graphOf("sum(@0)"), graphOf("sum(@0,None)"));
  EXPECT_EQ(graphOf("sum(@0)"), graphOf("sum(@0,[])"));
  EXPECT_EQ(graphOf("sum(@0,[0,1])"), graphOf("sum(@0,[1,0])"));
  EXPECT_EQ(graphOf("argmax(@0)"), graphOf("argmax(@0,None,False)"));
  EXPECT_EQ(graphOf("var(@0,1)"), graphOf("var(@0,1,False,1)"));
  EXPECT_EQ(graphOf("norm(@0)"), graphOf("norm(@0,2,None,False)"));
  EXPECT_EQ(graphOf("norm(@0,2.0,1)"), graphOf("norm(@0,2,[1])"));
  EXPECT_EQ(graphOf("layer_norm(@0,-1)"),
            graphOf("layer_norm(@0,[-1],None,None,1e-05)"));
  EXPECT_EQ(graphOf("normalize(@0,2,1)"), graphOf("normalize(@0,2,1,1e-12)"));
  // Which axis -1 is depends on the rank.
  EXPECT_NE(graphOf("sum(@0,-1)"), graphOf("sum(@0,1)"));
  EXPECT_NE(graphOf("sum(@0,1)"), graphOf("sum(@0,1,True)"));
}

TEST(RowFunctions, EqualReductionsAreOneValue) {
  EXPECT_EQ(graphOf("[sum(@0,1),neg(sum(@0,[1]))]"), "%0 = input f32 @0\n"
                                                     "%1 = convert f64 %0\n"
                                                     "%2 = sum f64 %1 over 1\n"
                                                     "%3 = convert f32 %2\n"
                                                     "%4 = neg f32 %3\n"
                                                     "store %3\nstore %4\n");
}

TEST(RowFunctions, AxesAreWrittenOut) {
  const Refusal refusals[] = {
      {"sum(@0,16)", "axis 16 is none of at most 16", "16"},
      {"sum(@0,[0,-17])", "axis -17 is none of at most 16", "-17"},
      {"sum(@0,[0,1,0])", "axis 0 appears twice", "0"},
      {"sum(@0,[-1,-1])", "axis -1 appears twice", "-1"},
      {"sum(@0,add(0,1))", "an axis of 'sum' is an integer that is written out",
       "add(0,1)"},
      {"sum(@0,size(@0,0))",
       "an axis of 'sum' is an integer that is written out", "size(@0,0)"},
      {"sum(@0,@1)", "an axis of 'sum' is an integer that is written out",
       "@1"},
      {"sum(@0,1.0)", "an axis of 'sum' is an integer that is written out",
       "1.0"},
      {"sum(@0,True)", "an axis of 'sum' is an integer that is written out",
       "True"},
      {"sum(@0,[0,1.5])", "an axis of 'sum' is an integer that is written out",
       "1.5"},
      {"argmax(@0,[0,1])", "'argmax' takes one axis", "[0,1]"},
      {"argmin(@0,[0])", "'argmin' takes one axis", "[0]"},
      {"softmax(@0,[-1])", "'softmax' takes one axis", "[-1]"},
      {"cosine_similarity(@0,@1,[1])", "'cosine_similarity' takes one axis",
       "[1]"},
  };
  expectRefused(refusals);
}

TEST(RowFunctions, OtherArgumentsAreWrittenOut) {
  const Refusal refusals[] = {
      {"sum(@0,0,1)", "whether 'sum' keeps its axes is True or False", "1"},
      {"sum(@0,0,None)", "whether 'sum' keeps its axes is True or False",
       "None"},
      {"sum(None,0)", "'sum' takes a tensor here", "None"},
      {"mse_loss(@0,None)", "'mse_loss' takes a tensor here", "None"},
      {"var(@0,0,False,-1)", "'var' takes an integer from 0 on here", "-1"},
      {"var(@0,0,False,1.5)", "'var' takes an integer from 0 on here", "1.5"},
      {"std(@0,0,False,True)", "'std' takes an integer from 0 on here", "True"},
      {"neg(smooth_l1_loss(@0,@1,-1))",
       "'smooth_l1_loss' takes a number from 0 on here", "-1"},
      {"neg(huber_loss(@0,@1,0))", "'huber_loss' takes a number above 0 here",
       "0"},
      {"cosine_similarity(@0,@1,-1,-0.5)",
       "'cosine_similarity' takes a number from 0 on here", "-0.5"},
      {"group_norm(@0,0,None,None,1)",
       "'group_norm' takes an integer from 1 on here", "0"},
      {"neg(iota(1e30,0))", "1e+30 is no 64-bit integer", "iota(1e30,0)"},
      {"neg(nll_loss(@0,@1))", "'nll_loss' takes a tensor of integers here",
       "@1"},
      {"neg(cross_entropy(@0,ge(@1,0)))",
       "'cross_entropy' takes a tensor of integers here", "ge(@1,0)"},
      {"nll_loss(@0,1)", "'nll_loss' takes a tensor of integers here", "1"},
      {"neg(cross_entropy(@0,argmax(@0,1),None,0.5))",
       "'cross_entropy' takes an integer below 2^53 here", "0.5"},
      {"cross_entropy(@0,None)", "'cross_entropy' takes a tensor here", "None"},
      {"norm(@0,True)", "'norm' takes a number here", "True"},
      {"norm(@0,@1)", "'norm' takes a number here", "@1"},
      {"layer_norm(@0,-1,None,None,@1)", "'layer_norm' takes a number here",
       "@1"},
  };
  expectRefused(refusals);
}

TEST(RowFunctions, TheNumberOfArguments) {
  const Refusal refusals[] = {
      {"sum(@0,0,False,1)",
       "operator 'sum' takes a tensor, axes and whether these stay, not 4",
       "sum(@0,0,False,1)"},
      {"argmax(@0,0,False,1)",
       "operator 'argmax' takes a tensor, an axis and whether these stay, not "
       "4",
       "argmax(@0,0,False,1)"},
      {"neg(softmax(@0))",
       "operator 'softmax' takes a tensor and an axis, not 1", "softmax(@0)"},
      {"mse_loss(@0)", "operator 'mse_loss' takes a tensor and a tensor, not 1",
       "mse_loss(@0)"},
      {"layer_norm(@0)",
       "operator 'layer_norm' takes a tensor, axes, a tensor or None, a tensor "
       "or None and a number, not 1",
       "layer_norm(@0)"},
  };
  expectRefused(refusals);
}

TEST(RowFunctions, TypesThatAreRefused) {
  const Refusal refusals[] = {
      {"mean(@0)", "'mean' takes floating point, but operand @0 is i32",
       "mean(@0)"},
      {"add(1,softmax(@0,-1))",
       "'softmax' takes floating point, but operand @0 is i32",
       "softmax(@0,-1)"},
      {"var(add(@0,1))",
       "'var' takes floating point, but its first argument is i32",
       "var(add(@0,1))"},
      {"mse_loss(@0,@0)",
       "'mse_loss' takes floating point, but operand @0 is i32",
       "mse_loss(@0,@0)"},
  };
  expectRefused(refusals, {DType::I32});
}

TEST(RowFunctions, ASettingIsNoValue) {
  // Lists and None are errors elsewhere.
  EXPECT_EQ(graphOf("add(@0,[1])").rfind("error: ", 0), 0u);
  EXPECT_EQ(graphOf("add(sum(@0,[0],True),None)"),
            "error: 'None' is not a value that elements can be computed from\n"
            "  add(sum(@0,[0],True),None)\n"
            "                       ^~~~");
}

TEST(RowFunctions, TypesOfReductions) {
  using enum DType;
  for (DType type : {Bool, U8, I8, I16, I32, I64}) {
    SCOPED_TRACE(nameOf(type));
    EXPECT_EQ(typeOf("sum(@0,0)", type), I64);
    EXPECT_EQ(typeOf("prod(@0,0)", type), I64);
    EXPECT_EQ(typeOf("mean(@0,0)", type), std::nullopt);
    EXPECT_EQ(typeOf("norm(@0)", type), std::nullopt);
    EXPECT_EQ(typeOf("amax(@0,0)", type), type);
    EXPECT_EQ(typeOf("amin(@0,0)", type), type);
    EXPECT_EQ(typeOf("argmax(@0,0)", type),
              type == Bool ? std::nullopt : std::optional(I64));
  }
  for (DType type : {F16, BF16, F32, F64}) {
    SCOPED_TRACE(nameOf(type));
    for (const char *text : {"sum(@0,0)",
                             "mean(@0,0)",
                             "prod(@0,0)",
                             "amax(@0,0)",
                             "amin(@0,0)",
                             "var(@0,0)",
                             "std(@0,0)",
                             "norm(@0,2,0)",
                             "logsumexp(@0,0)",
                             "softmax(@0,0)",
                             "softmin(@0,0)",
                             "log_softmax(@0,0)",
                             "layer_norm(@0,0)",
                             "rms_norm(@0,0)",
                             "normalize(@0,2,0)",
                             "mse_loss(@0,@1)",
                             "l1_loss(@0,@1)",
                             "smooth_l1_loss(@0,@1)",
                             "huber_loss(@0,@1,2)",
                             "cosine_similarity(@0,@1,0)",
                             "nll_loss(@0,argmax(@0,1))",
                             "cross_entropy(@0,argmax(@0,1),@1,-1)"})
      EXPECT_EQ(typeOf(text, type), type) << text;
    EXPECT_EQ(typeOf("argmin(@0,0)", type), I64);
  }
  for (DType type : {Bool, U8, I8, I64, F16, F64})
    for (const char *text : {"any(@0)", "all(@0,0)"})
      EXPECT_EQ(typeOf(text, type), type == U8 ? U8 : Bool)
          << text << ' ' << nameOf(type);
}

TEST(RowFunctions, ResultsPromoteAsTensorsAndAsNumbers) {
  using enum DType;
  const Types mixed = {F32, F64, I8};
  // What has axes decides; all axes leave a 0-d tensor, which does not.
  EXPECT_EQ(typeOf("add(@0,sum(@1,0))", mixed), F64);
  EXPECT_EQ(typeOf("add(@0,sum(@1,0,True))", mixed), F64);
  EXPECT_EQ(typeOf("add(@0,sum(@1))", mixed), F32);
  EXPECT_EQ(typeOf("add(@2,sum(@2))", mixed), I8);
  EXPECT_EQ(typeOf("add(@2,sum(@0))", mixed), F32);
  EXPECT_EQ(typeOf("mul(@2,amax(@2,0))", mixed), I8);
  EXPECT_EQ(typeOf("mul(sum(@0),sum(@1))", mixed), F64);
}

TEST(RowFunctions, ResultsInF16AreRoundedOnce) {
  EXPECT_EQ(graphOf("sum(@0)", {DType::F16}), "%0 = input f16 @0\n"
                                              "%1 = convert f64 %0\n"
                                              "%2 = sum f64 %1 over all\n"
                                              "%3 = round_to_odd f64 %2\n"
                                              "%4 = convert f16 %3\n"
                                              "store %4\n");
}

TEST(RowFunctions, SoftmaxInReductionsAndOperators) {
  EXPECT_EQ(graphOf("softmax(@0,-1)", {DType::F64}),
            "%0 = input f64 @0\n"
            "%1 = largest f64 %0 over -1, which stay\n"
            "%2 = exp_of f64 %0 %1\n"
            "%3 = sum f64 %2 over -1, which stay\n"
            "%4 = div f64 %2 %3\n"
            "store %4\n");
}

TEST(RowFunctions, IndicesAreScansOfOnes) {
  EXPECT_EQ(graphOf("iota(@0,-1)", {DType::F32}), "%0 = input f32 @0\n"
                                                  "%1 = convert i64 %0\n"
                                                  "%2 = parameter bool True\n"
                                                  "%3 = parameter i64 1\n"
                                                  "%4 = where i64 %2 %3 %1\n"
                                                  "%5 = cumsum i64 %4 over -1\n"
                                                  "%6 = sub i64 %5 %3\n"
                                                  "store %6\n");
  EXPECT_EQ(typeOf("iota(@0,0)"), DType::I64);
}

TEST(RowFunctions, EveryOneIsFoundByItsName) {
  for (const RowFunction &each : rowFunctions()) {
    EXPECT_EQ(findRowFunction(each.name), &each);
    EXPECT_LE(each.least, each.arguments().size());
  }
  EXPECT_EQ(findRowFunction("add"), nullptr);
  EXPECT_EQ(findRowFunction(""), nullptr);
  // An operator of two arguments stays one.
  EXPECT_EQ(findRowFunction("max"), nullptr);
}

TEST(RowFunctions, NumbersHaveNoAxesButCanBeReduced) {
  EXPECT_EQ(typeOf("sum(3)"), DType::I64);
  EXPECT_EQ(typeOf("mean(2.5)"), DType::F32);
  EXPECT_EQ(typeOf("add(@0,sum(size(@0,0)))"), DType::F32);
}

} // namespace
} // namespace kexpr::test::rowfunctions
