//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Operand.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;

static Array make(const char *text) {
  auto array = makeOperand(text);
  EXPECT_TRUE(array) << text;
  return std::move(*array);
}

TEST(Operand, Full) {
  const Array array = make("full:-2.5:f32[2,3]");
  EXPECT_EQ(array.shape(), (Shape{2, 3}));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(array.at(i), -2.5);
  EXPECT_EQ(make("full:3:i64").shape(), Shape{});
  EXPECT_EQ(make("full:3:i64[]").at(0), 3);
}

TEST(Operand, Arange) {
  const Array array = make("arange:f64[4]");
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(array.at(i), i);
}

TEST(Operand, RandIsNormalAndRepeats) {
  const Array array = make("rand:7:f32[100000]");
  const Array again = make("rand:7:f32[100000]");
  const Array other = make("rand:8:f32[100000]");
  double sum = 0, squares = 0;
  for (int i = 0; i < 100000; ++i) {
    EXPECT_EQ(array.at(i), again.at(i));
    sum += array.at(i);
    squares += array.at(i) * array.at(i);
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.02);
  EXPECT_NE(array.at(0), other.at(0));
}

TEST(Operand, RandIsTheSameOnEveryMachine) {
  const Array array = make("rand:1:f32[2]");
  EXPECT_NEAR(array.at(0), 1.31285155, 1e-6);
  EXPECT_NEAR(array.at(1), 1.25060391, 1e-6);
}

TEST(Operand, RefusesWithASentence) {
  for (const char *text :
       {"full:f32[2]", "full:x:f32[2]", "full:1:f33[2]", "full:1:f32[2",
        "full:1:f32[a]", "full:1:f32[-1]", "full:1:f32[2,]", "full:1:",
        "rand:-1:f32[2]", "rand:f32[2]", "arange:", "arange:f32[1,,2]",
        "full:1:f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
        "full:1:f32[9223372036854775807]", "full:1:f32[99999999999999999999]",
        "full:1:f32[4611686018427387904,4]", "no-such-file.npy", ""}) {
    const auto array = makeOperand(text);
    ASSERT_FALSE(array) << text;
    EXPECT_FALSE(array.error().message().empty());
  }
}

TEST(Array, RoundsToHalfPrecision) {
  auto array = Array::make(DType::F16, {8});
  ASSERT_TRUE(array);
  const double values[] = {
      1.0 / 3, 65519, 65520, 5.9604644775390625e-8, 2.9802322387695312e-8,
      -0.0,    2049,  NAN};
  const double rounded[] = {
      0.333251953125, 65504, INFINITY, 5.9604644775390625e-8, 0,
      -0.0,           2048,  NAN};
  for (int i = 0; i < 8; ++i) {
    array->set(i, values[i]);
    if (std::isnan(rounded[i]))
      EXPECT_TRUE(std::isnan(array->at(i)));
    else
      EXPECT_EQ(array->at(i), rounded[i]);
  }
  EXPECT_TRUE(std::signbit(array->at(5)));
}

TEST(Array, SaturatesIntegers) {
  auto array = Array::make(DType::I8, {3});
  ASSERT_TRUE(array);
  array->set(0, 1e9);
  array->set(1, -1e9);
  array->set(2, 3.9);
  EXPECT_EQ(array->at(0), 127);
  EXPECT_EQ(array->at(1), -128);
  EXPECT_EQ(array->at(2), 3);
}
