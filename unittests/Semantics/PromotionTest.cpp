//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Promotion.h"

#include <gtest/gtest.h>

#include <vector>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {

constexpr DType Types[] = {DType::F32, DType::F64, DType::F16, DType::BF16,
                           DType::I8,  DType::U8,  DType::I16, DType::I32,
                           DType::I64, DType::Bool};

/// torch.promote_types of PyTorch 1.13, row by row in the order above.
constexpr const char *Promoted[] = {
    "f32 f64 f32 f32 f32 f32 f32 f32 f32 f32",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
    "f32 f64 f16 f32 f16 f16 f16 f16 f16 f16",
    "f32 f64 f32 bf16 bf16 bf16 bf16 bf16 bf16 bf16",
    "f32 f64 f16 bf16 i8 i16 i16 i32 i64 i8",
    "f32 f64 f16 bf16 i16 u8 i16 i32 i64 u8",
    "f32 f64 f16 bf16 i16 i16 i16 i32 i64 i16",
    "f32 f64 f16 bf16 i32 i32 i32 i32 i64 i32",
    "f32 f64 f16 bf16 i64 i64 i64 i64 i64 i64",
    "f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool"};

std::optional<DType> typeOf(const std::vector<ArgumentType> &arguments) {
  return resultType(arguments);
}

TEST(Promotion, IsPyTorchs) {
  for (std::size_t row = 0; row < std::size(Types); ++row) {
    std::string line;
    for (DType type : Types) {
      line += line.empty() ? "" : " ";
      line += nameOf(*promote(Types[row], type));
    }
    EXPECT_EQ(line, Promoted[row]) << nameOf(Types[row]);
  }
}

TEST(Promotion, LightArgumentsDoNotWidenWithinTheirCategory) {
  const auto tensor = Weight::Tensor, zero = Weight::ZeroDim,
             number = Weight::Number;
  using T = DType;
  EXPECT_EQ(typeOf({{T::F32, tensor}, {T::F64, zero}}), T::F32);
  EXPECT_EQ(typeOf({{T::I8, tensor}, {T::I64, zero}}), T::I8);
  EXPECT_EQ(typeOf({{T::I64, tensor}, {T::F64, zero}}), T::F64);
  EXPECT_EQ(typeOf({{T::I64, tensor}, {T::F16, zero}}), T::F16);
  EXPECT_EQ(typeOf({{T::Bool, tensor}, {T::I8, zero}}), T::I8);
  EXPECT_EQ(typeOf({{T::Bool, tensor}, {T::I64, number}}), T::I64);
  EXPECT_EQ(typeOf({{T::F16, tensor}, {T::F32, number}}), T::F16);
  EXPECT_EQ(typeOf({{T::I32, tensor}, {T::F32, number}}), T::F32);
  EXPECT_EQ(typeOf({{T::F16, zero}, {T::F32, number}}), T::F16);
  EXPECT_EQ(typeOf({{T::I8, zero}, {T::F32, number}}), T::F32);
  EXPECT_EQ(typeOf({{T::F16, zero}, {T::F32, zero}}), T::F32);
  EXPECT_EQ(typeOf({{T::I8, tensor}, {T::I64, number}, {T::F64, zero}}),
            T::F64);
}

/// PyTorch 2.15.
TEST(Promotion, IsRefusedOfUnsignedAndOtherIntegers) {
  for (DType wide : {DType::U16, DType::U32, DType::U64}) {
    EXPECT_EQ(promote(wide, wide), wide);
    for (DType type : Types) {
      const auto expected =
          isFloatingPoint(type) ? std::optional(type) : std::nullopt;
      EXPECT_EQ(promote(wide, type), expected) << nameOf(type);
      EXPECT_EQ(promote(type, wide), expected) << nameOf(type);
    }
  }
  EXPECT_EQ(promote(DType::U16, DType::U64), std::nullopt);
  const auto tensor = Weight::Tensor, zero = Weight::ZeroDim,
             number = Weight::Number;
  using T = DType;
  EXPECT_EQ(typeOf({{T::U16, tensor}, {T::I64, zero}}), T::U16);
  EXPECT_EQ(typeOf({{T::I8, tensor}, {T::U64, zero}}), T::I8);
  EXPECT_EQ(typeOf({{T::U32, tensor}, {T::Bool, zero}}), T::U32);
  EXPECT_EQ(typeOf({{T::U32, tensor}, {T::I64, number}}), T::U32);
  EXPECT_EQ(typeOf({{T::U64, tensor}, {T::F32, number}}), T::F32);
  EXPECT_EQ(typeOf({{T::U64, tensor}, {T::F16, zero}}), T::F16);
  EXPECT_EQ(typeOf({{T::Bool, tensor}, {T::U16, zero}}), std::nullopt);
  EXPECT_EQ(typeOf({{T::F32, tensor}, {T::U16, tensor}, {T::I8, tensor}}),
            T::F32);
  EXPECT_EQ(typeOf({{T::U16, tensor}, {T::I8, tensor}, {T::F32, tensor}}),
            std::nullopt);
  EXPECT_EQ(unpromoted(std::vector<ArgumentType>{
                {T::F32, tensor}, {T::U16, tensor}, {T::I8, tensor}}),
            "its arguments are u16 and i8, which promote to no type; cast one "
            "of them");
}

TEST(Promotion, RulesChooseOrRefuse) {
  using R = ops::TypeRule;
  EXPECT_EQ(computedType(R::Float, DType::I64), DType::F32);
  EXPECT_EQ(computedType(R::Float, DType::BF16), DType::BF16);
  EXPECT_EQ(computedType(R::Floating, DType::I64), std::nullopt);
  EXPECT_EQ(computedType(R::Number, DType::Bool), std::nullopt);
  EXPECT_EQ(computedType(R::Counting, DType::Bool), DType::I64);
  EXPECT_EQ(computedType(R::Integral, DType::F16), std::nullopt);
  EXPECT_EQ(computedType(R::Integral, DType::Bool), DType::Bool);
  EXPECT_EQ(computedType(R::Integer, DType::Bool), std::nullopt);
  EXPECT_EQ(computedType(R::Numeric, DType::Bool), DType::Bool);
  EXPECT_EQ(computedType(R::Truth, DType::F64), DType::Bool);
}

TEST(Promotion, KnowsWhatIsExact) {
  EXPECT_TRUE(isExact(DType::F16, DType::F32));
  EXPECT_TRUE(isExact(DType::U8, DType::I16));
  EXPECT_TRUE(isExact(DType::Bool, DType::F32));
  EXPECT_FALSE(isExact(DType::I8, DType::U8));
  EXPECT_TRUE(isExact(DType::U32, DType::I64));
  EXPECT_TRUE(isExact(DType::U8, DType::U16));
  EXPECT_FALSE(isExact(DType::I8, DType::U64));
  EXPECT_FALSE(isExact(DType::U32, DType::I32));
  EXPECT_FALSE(isExact(DType::F16, DType::BF16));
  EXPECT_FALSE(isExact(DType::I64, DType::F64));
  EXPECT_FALSE(isExact(DType::F32, DType::F16));
}

} // namespace
