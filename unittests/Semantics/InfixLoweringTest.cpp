//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Infix.h"

#include <gtest/gtest.h>

using namespace kexpr;

/// The expression of a text for operands of these types, or its error.
static std::string numpy(std::string_view text,
                         std::vector<InfixOperand> operands = {},
                         Semantics semantics = Semantics::Numpy) {
  const auto program = InfixProgram::parse(text);
  if (!program)
    return program.error().render();
  const auto expression =
      program->lower({operands.data(), operands.size()}, semantics);
  return expression ? expression->canonical() : expression.error().message();
}

static std::string torch(std::string_view text,
                         std::vector<InfixOperand> operands = {}) {
  return numpy(text, std::move(operands), Semantics::Torch);
}

static constexpr InfixOperand F16{DType::F16}, F32{DType::F32}, F64{DType::F64},
    I8{DType::I8}, U8{DType::U8}, I64{DType::I64}, I32{DType::I32},
    Bool{DType::Bool}, Int{DType::I64, OperandKind::Number},
    Float{DType::F64, OperandKind::Number};

TEST(InfixLowering, OneTypeNeedsNoCasts) {
  EXPECT_EQ(numpy("a*x + b"), "add(mul(@0,@1),@2)");
  EXPECT_EQ(numpy("a*2 + 0.5"), "add(mul(@0,2),0.5)");
  EXPECT_EQ(numpy("where(a > 0, a, exp(a) - 1)"),
            "where(gt(@0,0),@0,sub(exp(@0),1))");
}

TEST(InfixLowering, CastsAreWrittenOut) {
  EXPECT_EQ(numpy("a + b", {I8, F64}), "add(torch.double(@0),@1)");
  EXPECT_EQ(numpy("a / b", {I8, I8}), "div(torch.double(@0),torch.double(@1))");
  EXPECT_EQ(numpy("a + 0.5", {I32}), "add(torch.double(@0),0.5)");
  EXPECT_EQ(numpy("exp(a)", {I8}), "exp(torch.half(@0))");
  EXPECT_EQ(numpy("mean(a, axis=-1)", {I8}), "mean(torch.double(@0),-1)");
  EXPECT_EQ(torch("a + b", {I8, F64}), "add(@0,@1)");
  EXPECT_EQ(torch("a / b", {I8, I8}), "div(@0,@1)");
}

TEST(InfixLowering, IntegersFrom2To63On) {
  constexpr InfixOperand U64{DType::U64};
  EXPECT_EQ(numpy("a + 2**3 & 18446744073709551615", {U64}),
            "and(add(@0,8),18446744073709551615)");
  EXPECT_EQ(numpy("a * 9223372036854775808", {F32}),
            "mul(@0,9223372036854775808)");
  EXPECT_EQ(numpy("a < 0xffffffffffffffff", {U64}),
            "lt(@0,18446744073709551615)");
  // No element of another type is as large.
  EXPECT_EQ(numpy("a < 9223372036854775808", {I64}), "eq(@0,@0)");
  EXPECT_EQ(numpy("9223372036854775808 <= a", {I8}), "ne(@0,@0)");
  EXPECT_EQ(numpy("a != 9223372036854775808", {Int}), "eq(@0,@0)");
  EXPECT_EQ(numpy("a == -1", {U64}), "ne(@0,@0)");
  EXPECT_EQ(numpy("-1 < a", {U64}), "eq(@0,@0)");
  // A number with a type is no Python number.
  EXPECT_EQ(numpy("a < uint64(5)", {I64}),
            "or(lt(@0,0),lt(torch.uint64(@0),5))");
  EXPECT_EQ(numpy("uint64(5) < a", {I64}),
            "and(ge(@0,0),gt(torch.uint64(@0),5))");
  EXPECT_EQ(numpy("where(a, 9223372036854775808, -1)", {Bool}),
            "the integer 9223372036854775808 does not fit i64");
  EXPECT_EQ(numpy("a + 9223372036854775808", {I64}),
            "the integer 9223372036854775808 does not fit i64");
  EXPECT_EQ(torch("a + 9223372036854775808", {I64}),
            "add(@0,9223372036854775808)");
  EXPECT_EQ(numpy("a + (9223372036854775808 - 1)", {U64}),
            "'sub' takes no number from 2^63 on beside other integers that are "
            "known");
}

TEST(InfixLowering, LimitsAreTheNearestOfTheType) {
  EXPECT_EQ(numpy("clip(a, -300, 300)", {I8}), "clamp(@0,-128,127)");
  EXPECT_EQ(numpy("clip(a, -1, None)", {U8}), "maximum(@0,0)");
  EXPECT_EQ(torch("clip(a, max=18446744073709551615)", {I64}),
            "minimum(@0,9223372036854775807)");
  EXPECT_EQ(numpy("clip(a, -1, 300)", {F32}), "clamp(@0,-1,300)");
  EXPECT_EQ(numpy("hardtanh(a)", {U8}), "hardtanh(@0,0,1)");
  EXPECT_EQ(numpy("clip(a, 300, 400)", {U8}),
            "the least result 300 is outside of u8");
  EXPECT_EQ(numpy("clip(a, None, -1)", {U8}),
            "the largest result -1 is outside of u8");
}

TEST(InfixLowering, NumbersAreWeak) {
  EXPECT_EQ(numpy("a * b", {{}, Float}), "mul(@0,torch.float(@1))");
  EXPECT_EQ(numpy("a * b", {I8, Int}), "mul(@0,torch.int8(@1))");
  EXPECT_EQ(numpy("a * b", {I8, Float}), "mul(torch.double(@0),@1)");
  EXPECT_EQ(numpy("a * b * c", {Int, Float, F16}),
            "mul(torch.half(mul(torch.double(@0),@1)),@2)");
  EXPECT_EQ(numpy("a * 0.1", {F16}), "mul(@0,0.0999755859375)");
  EXPECT_EQ(numpy("float32(0.1) * a", {F64}), "mul(0.10000000149011612,@0)");
  EXPECT_EQ(numpy("float64(2) * a"), "mul(2.0,torch.double(@0))");
  EXPECT_EQ(numpy("sqrt(2) * a"), "mul(1.4142135623730951,@0)");
  EXPECT_EQ(torch("a * b", {{}, Float}), "mul(@0,torch.float(@1))");
  EXPECT_EQ(torch("a * b", {F64, Float}), "mul(@0,@1)");
  EXPECT_EQ(torch("a * b", {I8, Float}), "mul(@0,torch.float(@1))");
}

TEST(InfixLowering, IntegersMustFit) {
  EXPECT_EQ(numpy("a + 300", {I8}), "the integer 300 does not fit i8");
  EXPECT_EQ(numpy("a < 300", {I8}), "lt(torch.long(@0),300)");
  EXPECT_EQ(numpy("a ** -1", {I8}),
            "integers have no negative powers; write -1.0 for a float");
  EXPECT_EQ(numpy("a ** -1.0", {I8}), "pow(torch.double(@0),-1.0)");
  EXPECT_EQ(numpy("a ** -1"), "pow(@0,-1)");
}

TEST(InfixLowering, TypesThatAreRefused) {
  EXPECT_EQ(numpy("a - b", {Bool, Bool}),
            "'-' takes integers and floating point, but 'a' is bool");
  EXPECT_EQ(numpy("-a", {Bool}),
            "'-' takes integers and floating point, but 'a' is bool");
  EXPECT_EQ(numpy("b & (a + 1)", {I32, {}}),
            "'&' takes integers and bools, but 'a + 1' is f32");
  EXPECT_EQ(numpy("a << 0.5", {I32}), "'<<' takes integers, but '0.5' is f64");
  EXPECT_EQ(numpy("reciprocal(a)", {I32}),
            "'reciprocal' takes floating point: write 1/x, but 'a' is i32");
  EXPECT_EQ(numpy("a", {{DType(99)}}), "operand 'a' was given no element type");
  EXPECT_EQ(numpy("a", {{DType::F32, OperandKind::Number}}),
            "operand 'a' is a Python number, which is bool, i64 or f64, not "
            "f32");
}

TEST(InfixLowering, Reductions) {
  EXPECT_EQ(numpy("sum(x)"), "sum(@0)");
  EXPECT_EQ(numpy("sum(x, 1)"), "sum(@0,1)");
  EXPECT_EQ(numpy("sum(x, axis=(0, -1), keepdims=True)"),
            "sum(@0,[0,-1],True)");
  EXPECT_EQ(numpy("sum(x, keepdims=True)"), "sum(@0,None,True)");
  EXPECT_EQ(numpy("max(x, axis=0)"), "amax(@0,0)");
  EXPECT_EQ(numpy("min(x)"), "amin(@0)");
  EXPECT_EQ(numpy("var(x)"), "var(@0,None,False,0)");
  EXPECT_EQ(numpy("std(x, axis=1, ddof=1)"), "std(@0,1,False,1)");
  EXPECT_EQ(torch("var(x)"), "var(@0)");
  EXPECT_EQ(numpy("any(x)", {{DType::U8}}), "any(torch.bool(@0))");
  EXPECT_EQ(numpy("argmax(x)", {Bool}), "argmax(torch.uint8(@0))");
  EXPECT_EQ(numpy("softmax(x, axis=-1)"), "softmax(@0,-1)");
  // Classes keep their type.
  EXPECT_EQ(numpy("cross_entropy(x, c, w, ignored=0)", {F32, U8, F64}),
            "cross_entropy(torch.double(@0),@1,@2,0)");
  EXPECT_EQ(numpy("nll_loss(classes=c, x=x)", {I64, F16}), "nll_loss(@1,@0)");
  EXPECT_EQ(numpy("norm(x, ord=inf)"), "norm(@0,inf)");
  EXPECT_EQ(numpy("layer_norm(x, -1, w, eps=1e-3)"),
            "layer_norm(@0,-1,@1,None,0.001)");
  EXPECT_EQ(numpy("x - mean(x, axis=-1, keepdims=True)"),
            "sub(@0,mean(@0,-1,True))");
}

TEST(InfixLowering, ArgumentsThatAreRefused) {
  EXPECT_EQ(numpy("sum(x, y)"),
            "'sum' takes an axis, which is an integer, here, written out");
  EXPECT_EQ(numpy("sum(x, axis=())"),
            "'sum' takes an axis at least, or None for all, here, written "
            "out");
  EXPECT_EQ(numpy("sum(x, 0, True)"),
            "'sum' takes this argument by its name alone: x, [axes, keepdim]");
  EXPECT_EQ(numpy("sum(x, out=y)"),
            "'sum' takes no 'out'; it takes x, [axes, keepdim]");
  EXPECT_EQ(numpy("sum(x, axis=0, axis=1)"), "two arguments for 'axes'");
  EXPECT_EQ(numpy("sum(axis=0, x)"),
            "an argument without a name after one with a name");
  EXPECT_EQ(numpy("sum(x, keepdims=1)"),
            "'sum' takes True or False here, written out");
  EXPECT_EQ(numpy("softmax(x)"), "'softmax' needs 'axis'");
  EXPECT_EQ(numpy("sum()"), "'sum' needs 'x'");
  EXPECT_EQ(numpy("sum(None)"), "'sum' takes a tensor");
  EXPECT_EQ(numpy("exp(x, y)"), "'exp' takes 1 argument, not 2");
  EXPECT_EQ(numpy("exp(x=y)"), "'exp' takes no argument by name, as 'x'");
  EXPECT_EQ(numpy("exp(None)"), "'None' is not a value");
  EXPECT_EQ(numpy("clip(x, None, None)"),
            "'clip' takes a value, the least and the largest result");
}

TEST(InfixLowering, FunctionsOfNumPy) {
  EXPECT_EQ(numpy("arctan2(a, b)"), "atan2(@0,@1)");
  EXPECT_EQ(numpy("clip(a, 0, 1)"), "clamp(@0,0,1)");
  EXPECT_EQ(numpy("clip(a, None, 1)"), "minimum(@0,1)");
  EXPECT_EQ(numpy("clip(a, max=2, min=1)"), "clamp(@0,1,2)");
  EXPECT_EQ(numpy("sign(a)"), "where(ne(@0,@0),@0,sign(@0))");
  EXPECT_EQ(torch("sign(a)"), "sign(@0)");
  EXPECT_EQ(numpy("isinf(a)"), "isinf(@0)");
  EXPECT_EQ(numpy("isnan(a) or isfinite(a)"),
            "logical_or(isnan(@0),isfinite(@0))");
  EXPECT_EQ(numpy("a * isnan(nan) + isinf(-inf) - isfinite(2)"),
            "sub(add(mul(@0,True),True),True)");
  EXPECT_EQ(numpy("hardtanh(a)"), "hardtanh(@0,-1.0,1.0)");
  EXPECT_EQ(torch("hardtanh(a)"), "hardtanh(@0,-1.0,1.0)");
  EXPECT_EQ(numpy("hardtanh(a, 0)"), "hardtanh(@0,0,1.0)");
  EXPECT_EQ(numpy("hardtanh()"), "'hardtanh' takes 1 to 3 arguments, not 0");
  EXPECT_EQ(numpy("lerp(a, b, 0.5)"), "lerp(@0,@1,0.5)");
  EXPECT_EQ(numpy("lerp(a, b, 0.5)", {F32, I32}),
            "lerp(torch.double(@0),torch.double(@1),0.5)");
  EXPECT_EQ(numpy("a * lerp(1, 2, 1)"), "mul(@0,2.0)");
  EXPECT_EQ(numpy("threshold(a, 1, 0)"), "threshold(@0,1,0)");
  EXPECT_EQ(numpy("softplus(a) + softplus(a, 2, 9)"),
            "add(softplus(@0),softplus(@0,2,9))");
  EXPECT_EQ(torch("softplus(a, 2, 9)"), "softplus(@0,2,9)");
  EXPECT_EQ(numpy("a * softplus(10, 1, 9)"), "mul(@0,10.0)");
  EXPECT_EQ(numpy("softplus(a, 2)"), "'softplus' takes 1 argument, not 2");
  EXPECT_EQ(numpy("celu(a) + expit(b)"), "add(celu(@0,1.0),sigmoid(@1))");
  EXPECT_EQ(numpy("nan_to_num(a)", {F16}),
            "nan_to_num(@0,0.0,65504.0,-65504.0)");
  EXPECT_EQ(
      torch("nan_to_num(a)"),
      "nan_to_num(@0,0.0,3.4028234663852886e+38,-3.4028234663852886e+38)");
  EXPECT_EQ(numpy("gcd(a, b) + lcm(a, 3)", {I32, I32}),
            "add(gcd(@0,@1),lcm(@0,3))");
  EXPECT_EQ(numpy("radians(a)"), "mul(@0,0.017453292519943295)");
  EXPECT_EQ(numpy("absolute(a)", {Bool}), "@0");
  EXPECT_EQ(numpy("floor(a)", {I32}), "@0");
  EXPECT_EQ(numpy("silu(a) * sigmoid(b)"), "mul(silu(@0),sigmoid(@1))");
  EXPECT_EQ(numpy("where(a > 0, 0.1, 2)"),
            "%0=gt(@0,0);where(%0,0.1,where(%0,torch.double(%0),2))");
}

TEST(InfixLowering, APowerOf2NeedNotFitTheTypeOfLdexp) {
  EXPECT_EQ(numpy("ldexp(a, b)", {F32, I64}), "ldexp(@0,torch.float(@1))");
  EXPECT_EQ(numpy("ldexp(a, b)", {F64, U8}), "ldexp(@0,torch.double(@1))");
  EXPECT_EQ(numpy("ldexp(a, -3)", {F32}), "ldexp(@0,-3)");
  EXPECT_EQ(numpy("ldexp(a, b)", {F16, I32}),
            "torch.half(ldexp(torch.float(@0),torch.float(@1)))");
  EXPECT_EQ(numpy("ldexp(a, b)", {F32, F32}),
            "'ldexp' takes an integer second, but 'b' is f32");
  EXPECT_EQ(torch("ldexp(a, b)", {F32, F64}), "ldexp(@0,@1)");
}

TEST(InfixLowering, ARestOf0HasTheSignOfTheDivisor) {
  EXPECT_EQ(numpy("a % b"), "copysign(remainder(@0,@1),@1)");
  EXPECT_EQ(numpy("mod(a, 2)"), "copysign(remainder(@0,2),2)");
  EXPECT_EQ(numpy("a % b", {I32, I32}), "remainder(@0,@1)");
  EXPECT_EQ(torch("a % b"), "remainder(@0,@1)");
  EXPECT_EQ(numpy("a * (-4.0 % 2)"), "mul(@0,0.0)");
  EXPECT_EQ(numpy("a * (4.0 % -2)"), "mul(@0,-0.0)");
}

TEST(InfixLowering, ResultsThatAreNumbersHaveNumPysTypes) {
  EXPECT_EQ(numpy("2/3"), "torch.double(0.6666666666666666)");
  EXPECT_EQ(numpy("[pi, 5, 2 > 1, int8(3)]"),
            "[torch.double(3.141592653589793),5,True,torch.int8(3)]");
  EXPECT_EQ(numpy("float32(0.5)"), "0.5");
  EXPECT_EQ(torch("2/3"), "0.6666666666666666");
}

TEST(InfixLowering, ConversionsOfNumbersGiveThemATypeOfTheirOwn) {
  EXPECT_EQ(numpy("a * sqrt(float64(4))", {F32}), "mul(torch.double(@0),2.0)");
  EXPECT_EQ(numpy("a * sqrt(4)", {F32}), "mul(@0,2.0)");
  EXPECT_EQ(numpy("a + (int8(100) + int8(100))", {I8}), "add(@0,-56)");
  EXPECT_EQ(numpy("a * (int8(1) < 2)", {I8}), "mul(@0,True)");
  EXPECT_EQ(numpy("[float32(0.1) == 0.1, float32(0.1) > 0.1]"), "[True,False]");
  EXPECT_EQ(numpy("nextafter(float32(1), 2)"), "1.0000001192092896");
  EXPECT_EQ(numpy("int64(4611686018427387904) * int64(4) + int32(7) // 0"),
            "0");
  EXPECT_EQ(numpy("int8(1) + 300"), "the integer 300 does not fit i8");
  EXPECT_EQ(numpy("where(2 > 1, 1, 2.5)"), "torch.double(1.0)");
  EXPECT_EQ(numpy("where(True, int8(1), int16(2))"), "torch.short(1)");
}

TEST(InfixLowering, NumbersAreComputedAsPythonHasThem) {
  EXPECT_EQ(numpy("a * (1/2)"), "mul(@0,0.5)");
  EXPECT_EQ(numpy("a * (7//2 + 7%3 - 2**3)"), "mul(@0,-4)");
  EXPECT_EQ(numpy("a * (1 if 2 > 3 else 4)"), "mul(@0,4)");
  EXPECT_EQ(numpy("a * int(2.7)"), "mul(@0,2)");
  EXPECT_EQ(numpy("a * (1/0)"), "mul(@0,inf)"); // As of arrays.
  EXPECT_NE(numpy("a * (1//0)").find("'floor_divide'"), std::string::npos);
  EXPECT_NE(numpy("a * 2**64").find("64-bit"), std::string::npos);
}
