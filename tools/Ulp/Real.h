//===- Ulp/Real.h - Numbers of any precision ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// MPFR's numbers as a type that the references of operators can be read at.
/// Every operation rounds to nearest, to the precision that the calling thread
/// has set, in the widest range of exponents there is; signed zeros, infinities
/// and NaNs are those of IEEE 754 and the C standard's Annex F.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_REAL_H
#define KEXPR_TOOLS_ULP_REAL_H

#include "kexpr/Tensor.h"

#include <mpfr.h>

#include <compare>

namespace kexpr::tools {

class Real {
public:
  /// Bits of a significand unless a thread says otherwise.
  static constexpr long DefaultBits = 256;

  /// Sets the precision of all operations of the thread for as long as it
  /// lives.
  class WithBits {
  public:
    explicit WithBits(long bits) : before(thread().bits) {
      thread().bits = bits;
    }
    ~WithBits() { thread().bits = before; }
    WithBits(const WithBits &) = delete;
    WithBits &operator=(const WithBits &) = delete;

  private:
    long before;
  };

  /// Exactly `x`.
  Real(double x = 0) : Real(Unset{}) { mpfr_set_d(value, x, MPFR_RNDN); }
  Real(const Real &other) {
    mpfr_init2(value, mpfr_get_prec(other.value));
    mpfr_set(value, other.value, MPFR_RNDN);
  }
  Real(Real &&other) noexcept : Real(Unset{}) { mpfr_swap(value, other.value); }
  Real &operator=(Real other) noexcept {
    mpfr_swap(value, other.value);
    return *this;
  }
  ~Real() { mpfr_clear(value); }

  /// The nearest f32 or f64, overflow and gradual underflow included.
  double roundTo(DType type) const {
    return type == DType::F32 ? mpfr_get_flt(value, MPFR_RNDN)
                              : mpfr_get_d(value, MPFR_RNDN);
  }
  /// e where |x| is in [2^e, 2^(e+1)); x is neither 0 nor infinite nor NaN.
  long exponent() const { return mpfr_get_exp(value) - 1; }
  bool isZero() const { return mpfr_zero_p(value); }
  bool isInfinite() const { return mpfr_inf_p(value); }
  /// x 2^power, exactly.
  Real scaled(long power) const {
    Real result{Unset{}};
    mpfr_mul_2si(result.value, value, power, MPFR_RNDN);
    return result;
  }

  friend Real operator-(const Real &x) { return apply<mpfr_neg>(x); }
  friend Real operator+(const Real &x, const Real &y) {
    return apply<mpfr_add>(x, y);
  }
  friend Real operator-(const Real &x, const Real &y) {
    return apply<mpfr_sub>(x, y);
  }
  friend Real operator*(const Real &x, const Real &y) {
    return apply<mpfr_mul>(x, y);
  }
  friend Real operator/(const Real &x, const Real &y) {
    return apply<mpfr_div>(x, y);
  }
  Real &operator+=(const Real &y) { return *this = *this + y; }
  Real &operator-=(const Real &y) { return *this = *this - y; }
  Real &operator*=(const Real &y) { return *this = *this * y; }
  Real &operator/=(const Real &y) { return *this = *this / y; }

  friend bool operator==(const Real &x, const Real &y) {
    return mpfr_equal_p(x.value, y.value);
  }
  friend std::partial_ordering operator<=>(const Real &x, const Real &y) {
    if (mpfr_unordered_p(x.value, y.value))
      return std::partial_ordering::unordered;
    return mpfr_cmp(x.value, y.value) <=> 0;
  }

  friend bool isnan(const Real &x) { return mpfr_nan_p(x.value); }
  friend bool signbit(const Real &x) { return mpfr_signbit(x.value); }

  friend Real fabs(const Real &x) { return apply<mpfr_abs>(x); }
  friend Real copysign(const Real &x, const Real &y) {
    return apply<mpfr_copysign>(x, y);
  }
  friend Real floor(const Real &x) { return toWhole<mpfr_floor>(x); }
  friend Real ceil(const Real &x) { return toWhole<mpfr_ceil>(x); }
  friend Real trunc(const Real &x) { return toWhole<mpfr_trunc>(x); }
  friend Real round(const Real &x) { return toWhole<mpfr_round>(x); }
  friend Real fmod(const Real &x, const Real &y) {
    return apply<mpfr_fmod>(x, y);
  }
  friend Real fma(const Real &x, const Real &y, const Real &z) {
    Real result{Unset{}};
    mpfr_fma(result.value, x.value, y.value, z.value, MPFR_RNDN);
    return result;
  }
  friend Real cbrt(const Real &x) { return apply<mpfr_cbrt>(x); }
  friend Real hypot(const Real &x, const Real &y) {
    return apply<mpfr_hypot>(x, y);
  }
  friend Real sqrt(const Real &x) { return apply<mpfr_sqrt>(x); }
  friend Real pow(const Real &x, const Real &y) {
    return apply<mpfr_pow>(x, y);
  }
  friend Real exp(const Real &x) { return apply<mpfr_exp>(x); }
  friend Real exp2(const Real &x) { return apply<mpfr_exp2>(x); }
  friend Real expm1(const Real &x) { return apply<mpfr_expm1>(x); }
  friend Real log(const Real &x) { return apply<mpfr_log>(x); }
  friend Real log2(const Real &x) { return apply<mpfr_log2>(x); }
  friend Real log1p(const Real &x) { return apply<mpfr_log1p>(x); }
  friend Real log10(const Real &x) { return apply<mpfr_log10>(x); }
  friend Real sin(const Real &x) { return apply<mpfr_sin>(x); }
  friend Real cos(const Real &x) { return apply<mpfr_cos>(x); }
  friend Real tan(const Real &x) { return apply<mpfr_tan>(x); }
  friend Real asin(const Real &x) { return apply<mpfr_asin>(x); }
  friend Real acos(const Real &x) { return apply<mpfr_acos>(x); }
  friend Real atan(const Real &x) { return apply<mpfr_atan>(x); }
  friend Real atan2(const Real &y, const Real &x) {
    return apply<mpfr_atan2>(y, x);
  }
  friend Real sinh(const Real &x) { return apply<mpfr_sinh>(x); }
  friend Real cosh(const Real &x) { return apply<mpfr_cosh>(x); }
  friend Real tanh(const Real &x) { return apply<mpfr_tanh>(x); }
  friend Real asinh(const Real &x) { return apply<mpfr_asinh>(x); }
  friend Real acosh(const Real &x) { return apply<mpfr_acosh>(x); }
  friend Real atanh(const Real &x) { return apply<mpfr_atanh>(x); }
  friend Real erf(const Real &x) { return apply<mpfr_erf>(x); }
  friend Real erfc(const Real &x) { return apply<mpfr_erfc>(x); }

private:
  struct Unset {};
  explicit Real(Unset) { mpfr_init2(value, thread().bits); }

  /// What MPFR keeps for each thread.
  struct Thread {
    Thread() {
      mpfr_set_emin(mpfr_get_emin_min());
      mpfr_set_emax(mpfr_get_emax_max());
    }
    ~Thread() { mpfr_free_cache(); }
    long bits = DefaultBits;
  };
  static Thread &thread() {
    thread_local Thread state;
    return state;
  }

  template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
  static Real apply(const Real &x) {
    Real result{Unset{}};
    F(result.value, x.value, MPFR_RNDN);
    return result;
  }
  template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
  static Real apply(const Real &x, const Real &y) {
    Real result{Unset{}};
    F(result.value, x.value, y.value, MPFR_RNDN);
    return result;
  }
  template <int (*F)(mpfr_ptr, mpfr_srcptr)>
  static Real toWhole(const Real &x) {
    Real result{Unset{}};
    F(result.value, x.value);
    return result;
  }

  mpfr_t value;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_REAL_H
