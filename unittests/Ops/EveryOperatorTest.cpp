//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each formula, read as scalars, against its reference.
///
//===----------------------------------------------------------------------===//
#include "OperatorTypes.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {

template <class Op> class EveryOperator : public ::testing::Test {
protected:
  /// Values of special kind are the reference's, signs of zeros included; all
  /// others are within the operator's bound.
  static void check(const Arguments<Op> &arguments) {
    if (::testing::Test::HasFailure())
      return; // one is enough
    const double exact = referenceOf<Op>(arguments);
    checkIn<ops::Arithmetic::F32>(arguments, exact, Op::info.ulp.f32);
    checkIn<ops::Arithmetic::F32Accurate>(arguments, exact,
                                          Op::info.ulp.accurate);
    checkIn<ops::Arithmetic::F32Fast>(arguments, exact, Op::info.ulp.fast);
  }

private:
  template <ops::Arithmetic A>
  static void checkIn(const Arguments<Op> &arguments, double exact,
                      double bound) {
    const float got = formulaOf<Op, A>(arguments);
    // References are themselves rounded, to double.
    ASSERT_LE(ulpError(got, exact), bound + 0x1p-20)
        << describe<Op>(arguments) << " is " << exact << ", not " << got
        << ", arithmetic " << static_cast<int>(A);
    if (exact == 0 || got == 0 || std::isinf(exact)) {
      ASSERT_EQ(std::signbit(got), std::signbit(exact))
          << describe<Op>(arguments) << " is " << exact << ", not " << got;
    }
  }
};

TYPED_TEST_SUITE(EveryOperator, FloatOperators, OperatorNames);

TYPED_TEST(EveryOperator, IsRightOnSpecialValues) {
  forEachSpecial<TypeParam>(this->check);
}

TYPED_TEST(EveryOperator, IsWithinItsBoundOnItsDomain) {
  forEachRandom<TypeParam>(1 << 16, this->check);
}

TYPED_TEST(EveryOperator, IsWithinItsBoundOverAllBitPatterns) {
  forEachStepped<TypeParam>(1 << 16, this->check);
}

} // namespace
