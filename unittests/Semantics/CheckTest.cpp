//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Check.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::semantics;

static std::string graphOf(std::string_view text) {
  auto expression = Expression::parse(text);
  if (!expression)
    return expression.error().render();
  auto graph = check(*expression, {});
  return graph ? graph->str() : graph.error().render();
}

TEST(Check, GraphIsInOrderOfEvaluation) {
  EXPECT_EQ(graphOf("add(mul(@0,@1),@2)"), "%0 = input f32 @0\n"
                                           "%1 = input f32 @1\n"
                                           "%2 = mul f32 %0 %1\n"
                                           "%3 = input f32 @2\n"
                                           "%4 = add f32 %2 %3\n"
                                           "store %4\n");
}

TEST(Check, EqualSubexpressionsAreOneValue) {
  EXPECT_EQ(graphOf("mul(add(@0,@1),add(@0,@1))"), "%0 = input f32 @0\n"
                                                   "%1 = input f32 @1\n"
                                                   "%2 = add f32 %0 %1\n"
                                                   "%3 = mul f32 %2 %2\n"
                                                   "store %3\n");
}

TEST(Check, ZeroAndMinusZeroAreTwoConstants) {
  EXPECT_NE(graphOf("div(@0,0.0)"), graphOf("div(@0,-0.0)"));
}

TEST(Check, AListIsSeveralOutputs) {
  EXPECT_EQ(graphOf("[@1,neg(@0),@1]"), "%0 = input f32 @1\n"
                                        "%1 = input f32 @0\n"
                                        "%2 = neg f32 %1\n"
                                        "store %0\nstore %2\nstore %0\n");
}

TEST(Check, AlphaScalesTheSecondArgument) {
  EXPECT_EQ(graphOf("add(@0,@1,3)"), graphOf("add(@0,mul(3,@1))"));
  EXPECT_NE(graphOf("sub(@0,@1,@2)")
                .find("%3 = mul f32 %2 %1\n"
                      "%4 = sub f32 %0 %3\n"),
            std::string::npos);
  EXPECT_EQ(graphOf("add(@0,@1,1)"), graphOf("add(@0,@1)"));
  EXPECT_EQ(graphOf("sqrt(div(add(mul(@0,2),@1,1),12))"),
            graphOf("sqrt(div(add(mul(@0,2),@1),12))"));
}

TEST(Check, LiteralsAmongThemselvesAreComputedInDouble) {
  EXPECT_EQ(graphOf("add(@0,div(1,3))"), graphOf("add(@0,0.3333333333333333)"));
  EXPECT_EQ(graphOf("add(@0,sub(add(1,2),mul(3,4)))"), graphOf("add(@0,-9)"));
}

TEST(Check, LiteralsMakeCallsSimplerWhereNoBitChanges) {
  EXPECT_EQ(graphOf("mul(@0,1)"), graphOf("@0"));
  EXPECT_EQ(graphOf("mul(1.0,@0)"), graphOf("@0"));
  EXPECT_EQ(graphOf("div(@0,1)"), graphOf("@0"));
  EXPECT_EQ(graphOf("sub(@0,0)"), graphOf("@0"));
  EXPECT_EQ(graphOf("div(@0,8)"), graphOf("mul(@0,0.125)"));
  EXPECT_EQ(graphOf("pow(@0,2)"), graphOf("square(@0)"));
  EXPECT_EQ(graphOf("pow(@0,0.5)"), graphOf("sqrt(@0)"));
  EXPECT_EQ(graphOf("pow(@0,-1)"), graphOf("reciprocal(@0)"));
}

TEST(Check, LiteralsStayWhereABitWouldChange) {
  // 0 + -0 is 0; 1e-45 has no reciprocal, and no two parts serve 0.7.
  for (const char *kept : {"add(@0,0)", "add(@0,0.0)", "mul(@0,0)"})
    EXPECT_NE(graphOf(kept), graphOf("@0")) << kept;
  for (const char *kept : {"div(@0,0.7)", "div(@0,1e-45)", "div(@0,inf)"})
    EXPECT_NE(graphOf(kept).find(" = div f32 %0 %1\n"), std::string::npos)
        << kept;
}

TEST(Check, DivisionByALiteralIsAnOperatorThatNobodyCanName) {
  EXPECT_EQ(graphOf("div(@0,12)"), "%0 = input f32 @0\n"
                                   "%1 = parameter f32 12.0\n"
                                   "%2 = parameter f32 0.0833333283662796\n"
                                   "%3 = parameter f32 4.967053879312289e-09\n"
                                   "%4 = div_by f32 %0 %1 %2 %3\n"
                                   "store %4\n");
  EXPECT_NE(graphOf("div(12,@0)").find(" = div f32 "), std::string::npos);
  EXPECT_NE(graphOf("div(@0,size(@0,0))").find(" = div f32 %0 %1\n"),
            std::string::npos);
  EXPECT_EQ(graphOf("div_by(@0,1,1,0)").rfind("error: unknown operator", 0),
            0u);
}

TEST(Check, LastArgumentsMayBeLeftOut) {
  EXPECT_EQ(graphOf("hardtanh(@0)"), graphOf("hardtanh(@0,-1.0,1.0)"));
  EXPECT_EQ(graphOf("hardtanh(@0,-2)"), graphOf("hardtanh(@0,-2,1.0)"));
  EXPECT_EQ(graphOf("elu(celu(leaky_relu(@0)))"),
            graphOf("elu(celu(leaky_relu(@0,0.01),1.0),1.0)"));
  EXPECT_EQ(graphOf("softshrink(hardshrink(@0))"),
            graphOf("softshrink(hardshrink(@0,0.5),0.5)"));
  EXPECT_EQ(graphOf("nan_to_num(@0)"),
            graphOf("nan_to_num(@0,0.0,3.4028234663852886e+38,"
                    "-3.4028234663852886e+38)"));
  EXPECT_EQ(graphOf("hardtanh(@0,1,2,3)"),
            "error: operator 'hardtanh' takes 1 to 3 arguments, not 4\n"
            "  hardtanh(@0,1,2,3)\n"
            "  ^~~~~~~~~~~~~~~~~~");
}

TEST(Check, RefusalsNameTheThingAndItsPlace) {
  EXPECT_EQ(graphOf("lerp(le(@0,1),True,2)"),
            "error: operator 'lerp' takes floating point, but its first "
            "argument is bool\n"
            "  lerp(le(@0,1),True,2)\n"
            "  ^~~~~~~~~~~~~~~~~~~~~");
  EXPECT_EQ(graphOf("mul(ad(@0,@1),@2)"),
            "error: unknown operator 'ad'; did you mean 'add'?\n"
            "  mul(ad(@0,@1),@2)\n"
            "      ^~");
  EXPECT_EQ(graphOf("sotfmax(@0,-1)"),
            "error: unknown operator 'sotfmax'; did you mean 'softmax'?\n"
            "  sotfmax(@0,-1)\n"
            "  ^~~~~~~");
  EXPECT_EQ(graphOf("argmax(gt(@0,1))"),
            "error: 'argmax' takes numbers, but its first argument is bool\n"
            "  argmax(gt(@0,1))\n"
            "  ^~~~~~~~~~~~~~~~");
  EXPECT_EQ(graphOf("add(@0)"),
            "error: operator 'add' takes 2 or 3 arguments, not 1\n"
            "  add(@0)\n"
            "  ^~~~~~~");
  EXPECT_EQ(
      graphOf("and(@0,3)"),
      "error: operator 'and' takes integers and bools, but operand @0 is f32\n"
      "  and(@0,3)\n"
      "  ^~~~~~~~~");
  EXPECT_EQ(graphOf("add(@0,None)"),
            "error: 'None' is not a value that elements can be computed from\n"
            "  add(@0,None)\n"
            "         ^~~~");
  EXPECT_EQ(graphOf("add(@0,1.0e0+2.0e0j)"),
            "error: complex literals have no element type here\n"
            "  add(@0,1.0e0+2.0e0j)\n"
            "         ^~~~~~~~~~~~");
  EXPECT_EQ(graphOf("[@0,[1,2]]").substr(0, 36),
            "error: a list of indices or shapes i");
  EXPECT_EQ(graphOf("mul(@0,size(@0))").substr(0, 50),
            "error: operator 'size' takes an operand and an axi");
}

TEST(Check, TruncatingDivisionOfFloatsIsTwoRoundings) {
  EXPECT_EQ(graphOf("trunc_divide(@0,@1)"), graphOf("trunc(div(@0,@1))"));
  EXPECT_EQ(graphOf("trunc_divide(@0,8)"), graphOf("trunc(mul(@0,0.125))"));
  EXPECT_EQ(graphOf("mul(@0,trunc_divide(7.5,2))"), graphOf("mul(@0,3.0)"));
  EXPECT_EQ(graphOf("mul(@0,trunc_divide(-7,2))"), graphOf("mul(@0,-3)"));
  const DType types[] = {DType::I32, DType::I32};
  const auto graph =
      semantics::check(*Expression::parse("trunc_divide(@0,@1)"), {types, {}});
  ASSERT_TRUE(graph);
}

TEST(Check, TruthValuesDoNotPromote) {
  const DType types[] = {DType::F32, DType::I64};
  auto check = [&](std::string_view text) {
    return semantics::check(*Expression::parse(text), {types, {}});
  };
  // So it does not matter which operands are 0-d.
  EXPECT_FALSE(check("logical_and(@0,@1)")->mixesTypes);
  EXPECT_FALSE(check("where(gt(@1,2),@0,1.5)")->mixesTypes);
  EXPECT_TRUE(check("where(gt(@1,2),@0,@1)")->mixesTypes);
}

TEST(Check, WrongTypesNameOperatorOperandAndRule) {
  auto expression = Expression::parse("and(@0,lshift(@1,2))");
  const DType types[] = {DType::F32, DType::I64};
  auto graph = check(*expression, {types, {}});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code(), ErrorCode::TypeMismatch);
  EXPECT_EQ(graph.error().message(), "operator 'and' takes integers and bools, "
                                     "but operand @0 is f32");
}
