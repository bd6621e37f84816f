//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/TestData.h"
#include "Ops/Table.h"
#include "Runtime/Pipeline.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace kexpr;

namespace {
template <class T> std::vector<T> parseBits(const std::string &text) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::istringstream stream(text);
  std::vector<T> values;
  for (Bits bits; stream >> std::hex >> bits;)
    values.push_back(std::bit_cast<T>(bits));
  return values;
}

/// Operand @k of an expectation, as utils/torch_expectations.py makes it.
std::vector<float> operand(const std::vector<float> &values, std::size_t k) {
  std::vector<float> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i] = values[(i * (2 * k + 1) + 5 * k) % values.size()];
  return result;
}

std::vector<float> run(const Kernel &kernel, const std::vector<float> &values) {
  std::vector<std::vector<float>> memory;
  std::vector<TensorView> inputs;
  const Shape shape{static_cast<std::int64_t>(values.size())};
  memory.reserve(kernel.expression().operandCount());
  for (std::uint32_t k = 0; k < kernel.expression().operandCount(); ++k) {
    memory.push_back(operand(values, k));
    inputs.emplace_back(memory.back().data(), shape);
  }
  std::vector<float> out(values.size());
  auto status = kernel.run(inputs, TensorView(out.data(), shape));
  EXPECT_TRUE(status) << status.error().render();
  return out;
}

/// Units in the last place of an f32 of this size.
double ulp(double value) {
  const double magnitude = std::abs(value);
  if (!(magnitude >= 0x1p-126))
    return 0x1p-149;
  return std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

/// The sum of the operators' error bounds, each at least one rounding.
double errorBound(const Expression &expression, bool &exact) {
  double bound = 0;
  exact = true;
  for (const ops::OpEntry &entry : ops::table())
    for (const Node &node : expression.nodes())
      if (node.kind == NodeKind::Call && ops::find(node.name) &&
          &ops::table()[*ops::find(node.name)] == &entry) {
        // What is made of operators has PyTorch's own error, and some rounding.
        const bool isMade = std::isinf(entry.info.ulp.f32) ||
                            node.children.size() == entry.info.overload.arity;
        bound += isMade ? 4 : std::max(entry.info.ulp.f32, 1.0);
        exact = exact && entry.info.ulp.f32 <= 0.5;
      }
  return bound;
}

bool hasUnsignedZeros(const std::string &text) {
  return text.find("max") == 0 || text.find("min") == 0 ||
         text.find("softshrink") == 0;
}
bool hasFmod(const std::string &text) {
  return text.find("fmod") != std::string::npos;
}

void expectClose(float got, float torch, double wide, double bound) {
  if (std::isnan(torch) || std::isnan(got)) {
    EXPECT_TRUE(std::isnan(torch) && std::isnan(got)) << got << ' ' << torch;
    return;
  }
  if (std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(torch))
    return;
  // PyTorch's own distance from the wide result says how much the expression
  // magnifies rounding errors.
  const double unit = ulp(wide);
  const double theirs = std::abs(torch - wide) / unit;
  EXPECT_LE(std::abs(got - wide) / unit, bound + 4 * theirs)
      << got << ' ' << torch << ' ' << wide;
}
} // namespace

TEST(ListedExpressions, EqualTheInterpreterAndPyTorch) {
  Engine engine;
  const auto rows = test::readTable("torch.tsv");
  ASSERT_GT(rows.size(), 200u);
  const auto values = parseBits<float>(rows[0][0]);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    SCOPED_TRACE(rows[r][0]);
    auto kernel = engine.compile(rows[r][0]);
    auto oracle = engine.compile(rows[r][0], {Mode::Interpret, {}});
    ASSERT_TRUE(kernel && oracle) << kernel.error().render();
    const auto got = run(*kernel, values), interpreted = run(*oracle, values);
    const auto narrow = parseBits<float>(rows[r][1]);
    const auto wide = parseBits<double>(rows[r][2]);
    bool exact = false;
    const double bound = errorBound(kernel->expression(), exact);
    for (std::size_t i = 0; i < values.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_TRUE(std::bit_cast<std::uint32_t>(got[i]) ==
                      std::bit_cast<std::uint32_t>(interpreted[i]) ||
                  (std::isnan(got[i]) && std::isnan(interpreted[i])));
      // PyTorch's vector and scalar loops disagree on which of two zeros is
      // the larger one and on the sign of those that softshrink gives, and its
      // vector fmod gives up on huge quotients.
      if ((got[i] == 0 && narrow[i] == 0 && hasUnsignedZeros(rows[r][0])) ||
          (std::isnan(narrow[i]) && !std::isnan(wide[i]) &&
           hasFmod(rows[r][0])))
        continue;
      if (exact && !std::isnan(narrow[i]))
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]),
                  std::bit_cast<std::uint32_t>(narrow[i]));
      else
        expectClose(got[i], narrow[i], wide[i], bound);
    }
  }
}

TEST(ListedExpressions, AllParseAndTheRpnIsAStackProgram) {
  const auto all = test::listed("");
  ASSERT_GT(all.size(), 250u);
  for (const std::string &text : all) {
    auto expression = Expression::parse(text);
    ASSERT_TRUE(expression) << expression.error().render();
    std::size_t depth = 0;
    for (const RpnEntry &entry : expression->rpn()) {
      ASSERT_GE(depth, entry.arity) << text;
      depth = depth + 1 - entry.arity;
    }
    EXPECT_EQ(depth, 1u) << text;
  }
}

static bool hasAlpha(const std::string &text) {
  const Expression expression = *Expression::parse(text);
  const auto rpn = expression.rpn();
  return std::any_of(rpn.begin(), rpn.end(), [&](const RpnEntry &entry) {
    return entry.kind == NodeKind::Call &&
           entry.arity !=
               ops::table()[*ops::find(expression.nodes()[entry.node].name)]
                   .arity;
  });
}

/// Evaluates the RPN with a stack, one element, by the operators' own loops.
static float onAStack(const Expression &expression,
                      const std::vector<std::vector<float>> &operands,
                      std::size_t i) {
  std::vector<float> stack;
  for (const RpnEntry &entry : expression.rpn()) {
    const Node &node = expression.nodes()[entry.node];
    if (entry.kind == NodeKind::Operand)
      stack.push_back(operands[node.index][i]);
    else if (entry.kind != NodeKind::Call)
      stack.push_back(static_cast<float>(node.number));
    else {
      const void *args[ops::MaxArity];
      const float *first = stack.data() + stack.size() - entry.arity;
      for (std::size_t k = 0; k < entry.arity; ++k)
        args[k] = first + k;
      float result;
      ops::blocks(ops::Arithmetic::F32)[*ops::find(node.name)](1, args,
                                                               &result);
      stack.resize(stack.size() - entry.arity);
      stack.push_back(result);
    }
  }
  return stack.back();
}

TEST(ListedExpressions, AStackMachineOverTheRpnEqualsTheInterpreter) {
  Engine engine;
  const auto values = parseBits<float>(test::readTable("torch.tsv")[0][0]);
  for (const std::string &text : test::listed("elementwise")) {
    // Powers with a literal, and calls with alpha, mean other operators.
    if (text.find("pow(") != std::string::npos || hasAlpha(text))
      continue;
    auto kernel = engine.compile(text, {Mode::Interpret, {}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    const auto got = run(*kernel, values);
    std::vector<std::vector<float>> operands;
    for (std::uint32_t k = 0; k < kernel->expression().operandCount(); ++k)
      operands.push_back(operand(values, k));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float expected = onAStack(kernel->expression(), operands, i);
      EXPECT_TRUE(std::bit_cast<std::uint32_t>(got[i]) ==
                      std::bit_cast<std::uint32_t>(expected) ||
                  (std::isnan(got[i]) && std::isnan(expected)))
          << text << ' ' << i << ' ' << got[i] << ' ' << expected;
    }
  }
}

TEST(ListedExpressions, SizesBecomeNumbers) {
  Engine engine;
  std::vector<float> x(2 * 3 * 4 * 5, 6), y(7 * 8 * 9 * 5), out(x.size());
  const std::vector<TensorView> inputs = {TensorView(x.data(), {2, 3, 4, 5}),
                                          TensorView(y.data(), {7, 8, 9, 5})};
  const std::pair<const char *, double> expected[] = {
      {"div(@0,pow(size(@0,2),0.5))", 3},
      {"add(add(mul(@0,mul(size(@1,2),size(@1,3))),1.33333337),4)",
       270 + 1.33333337 + 4},
      {"add(add(mul(@0,mul(size(@1,2),size(@1,3))),div(size(@1,1),3)),4)",
       270 + 8 / 3. + 4},
      {"sub(add(div(@0,pow(size(@0,3),0.5)),floor_divide(size(@0,2),2)),"
       "remainder(size(@0,3),3))",
       6 / std::sqrt(5.) + 2 - 2},
      {"sub(add(div(@0,pow(size(@0,-1),0.5)),floor_divide(size(@0,2),2)),"
       "remainder(size(@0,3),3))",
       6 / std::sqrt(5.) + 2 - 2}};
  ASSERT_EQ(std::size(expected), test::listed("elementwise-with-size").size());
  for (const auto &[text, value] : expected) {
    auto kernel = engine.compile(text);
    ASSERT_TRUE(kernel) << kernel.error().render();
    ASSERT_TRUE(kernel->run(inputs, TensorView(out.data(), {2, 3, 4, 5})));
    EXPECT_NEAR(out.back(), value, 1e-4) << text;
  }
}

TEST(ListedExpressions, IntegersAreCombined) {
  Engine engine;
  const std::pair<const char *, std::int64_t> expected[] = {
      {"or(@0,3)", 102 | 3},
      {"and(@0,3)", 102 & 3},
      {"xor(@0,3)", 102 ^ 3},
      {"and(@0,@1)", 102 & 60},
      {"lshift(@0,3)", 816},
      {"rshift(@0,3)", 12},
      {"rshift(sub(rshift(sub(@0,3),1),1),1)", 24}};
  ASSERT_EQ(std::size(expected), test::listed("integer").size());
  std::vector<std::int64_t> x(100, 102), y(100, 60), out(100);
  auto view = [](std::vector<std::int64_t> &v) {
    return TensorView(static_cast<void *>(v.data()), DType::I64, {100});
  };
  for (const auto &[text, value] : expected) {
    auto kernel =
        engine.compile(text, {.operandTypes = {DType::I64, DType::I64}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    ASSERT_TRUE(kernel->run({view(x), view(y)}, view(out)));
    EXPECT_EQ(out.back(), value) << text;
  }
}

TEST(ListedExpressions, ShapesAndConstantsAreEvaluated) {
  const auto rows = test::readTable("shapes.tsv");
  std::vector<Shape> shapes;
  for (const std::string &cell : rows[0]) {
    std::vector<std::int64_t> extents;
    std::istringstream text(cell);
    for (std::string extent; std::getline(text, extent, ',');)
      extents.push_back(std::stoll(extent));
    shapes.emplace_back(extents.data(), extents.size());
  }
  ASSERT_EQ(rows.size() - 1, test::listed("shape-or-constant").size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    auto expression = Expression::parse(rows[i][0]);
    ASSERT_TRUE(expression);
    EXPECT_TRUE(isScalar(*expression));
    auto value = evaluate(*expression, shapes);
    ASSERT_TRUE(value) << value.error().render();
    EXPECT_EQ(value->str(), rows[i][1]) << rows[i][0];
  }
}

TEST(ListedExpressions, TheRestIsCompiledOrRefusedWithASentence) {
  Engine engine;
  for (const char *kind : {"several-outputs", "polish-fallback"})
    for (const std::string &text : test::listed(kind))
      EXPECT_TRUE(engine.compile(text)) << text;
  for (const char *kind : {"complex", "malformed-by-pnnx"})
    for (const std::string &text : test::listed(kind)) {
      auto kernel = engine.compile(text);
      ASSERT_FALSE(kernel) << text;
      EXPECT_TRUE(kernel.error().hasRange()) << text;
      EXPECT_GT(kernel.error().message().size(), 20u) << text;
    }
}
