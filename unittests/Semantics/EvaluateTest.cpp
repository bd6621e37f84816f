//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Scalar.h"

#include <gtest/gtest.h>

using namespace kexpr;

namespace {

const std::vector<Shape> shapes = {{2, 3, 56, 57}, {}, {0, 7}};

std::string valueOf(std::string_view text) {
  auto expression = Expression::parse(text);
  if (!expression)
    return expression.error().message();
  auto value = evaluate(*expression, shapes);
  return value ? value->str() : value.error().message();
}

TEST(Evaluate, FollowsPython) {
  EXPECT_EQ(valueOf("div(7,2)"), "3.5");
  EXPECT_EQ(valueOf("floor_divide(-7,2)"), "-4");
  EXPECT_EQ(valueOf("remainder(-7,2)"), "1");
  EXPECT_EQ(valueOf("pow(2,62)"), "4611686018427387904");
  EXPECT_EQ(valueOf("pow(2,-1)"), "0.5");
  EXPECT_EQ(valueOf("abs(-3)"), "3");
  EXPECT_EQ(valueOf("int(2.9)"), "2");
  EXPECT_EQ(valueOf("sub(size(@0,1),2,5)"), "-7");
  EXPECT_EQ(valueOf("int(1e10)"), "10000000000");
  EXPECT_EQ(valueOf("torch.bool(0.5)"), "True");
  EXPECT_EQ(valueOf("torch.float(0.1)"), "0.10000000149011612");
  EXPECT_EQ(valueOf("add(True,1)"), "2");
  EXPECT_EQ(valueOf("gt(size(@0,2),50)"), "True");
  EXPECT_EQ(valueOf("and(6,3)"), "2");
  EXPECT_EQ(valueOf("xor(True,True)"), "False");
  EXPECT_EQ(valueOf("bitwise_not(5)"), "-6");
  EXPECT_EQ(valueOf("logical_and(2,0.5)"), "True");
  EXPECT_EQ(valueOf("logical_or(0,0.0)"), "False");
  EXPECT_EQ(valueOf("logical_not(nan)"), "False");
  EXPECT_EQ(valueOf("where(gt(size(@0,2),50),size(@0,3),1)"), "57");
  EXPECT_EQ(valueOf("where(False,1,0.5)"), "0.5");
  EXPECT_EQ(valueOf("where(True,False,True)"), "False");
  EXPECT_EQ(valueOf("9007199254740993"), "9007199254740993");
  EXPECT_EQ(valueOf("add(9007199254740993,1)"), "9007199254740994");
}

TEST(Evaluate, ReadsShapes) {
  EXPECT_EQ(valueOf("size(@0,-1)"), "57");
  EXPECT_EQ(valueOf("size(@0)"), "[2,3,56,57]");
  EXPECT_EQ(valueOf("size(@1)"), "[]");
  EXPECT_EQ(valueOf("[size(@2,0),None,[1.0e0+2.0e0j]]"), "[0,None,[1+2j]]");
}

TEST(Evaluate, RefusesWithASentence) {
  EXPECT_EQ(valueOf("add(@0,1)"),
            "operand @0 has elements; only its sizes can be evaluated");
  EXPECT_EQ(valueOf("size(@0,4)"),
            "operand @0 of shape [2,3,56,57] has no axis 4");
  EXPECT_EQ(valueOf("size(@1,0)"), "operand @1 of shape [] has no axis 0");
  EXPECT_EQ(valueOf("size(@5,0)"), "the expression needs the shape of operand "
                                   "@5, but only 3 were given");
  EXPECT_EQ(valueOf("floor_divide(1,size(@2,0))"),
            "'floor_divide' of these integers has no 64-bit result");
  EXPECT_EQ(valueOf("mul(9223372036854775807,2)"),
            "'mul' of these integers has no 64-bit result");
  EXPECT_EQ(valueOf("int(inf)"), "inf is no 64-bit integer");
  EXPECT_EQ(valueOf("torch.long(nan)"), "nan is no 64-bit integer");
  EXPECT_EQ(valueOf("and(1,0.5)"), "operator 'and' takes integers and bools, "
                                   "not real numbers");
  EXPECT_EQ(valueOf("where(1,2,3)"), "operator 'where' takes a bool first");
  EXPECT_EQ(valueOf("add(None,1)"), "'add' takes numbers, not None");
  EXPECT_EQ(valueOf("add([1],1)"), "'add' takes numbers, not [1]");
  EXPECT_EQ(valueOf("size(1,0)"), "'size' takes an operand and an axis, or an "
                                  "operand alone");
  EXPECT_EQ(valueOf("frob(1)"), "unknown operator 'frob'");
}

} // namespace
