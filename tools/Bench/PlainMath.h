//===- Bench/PlainMath.h - Functions that a loop can inline ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// exp, sin and cos of f32 within about 1 ulp, without branches, so that a
/// compiler can vectorise a loop that calls them. The coefficients are minimax
/// for relative error, by Lawson's iteration. Written for speed against them
/// to mean something; kexpr itself uses none of it.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_PLAINMATH_H
#define KEXPR_TOOLS_BENCH_PLAINMATH_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace kexpr::tools::plain {

/// Added to a small number, leaves its nearest integer in the lowest bits.
inline constexpr float shifter = 0x1.8p23f;

/// 2^n in the bits that `shifted`, n + shifter, has at its end.
inline float powerOfTwo(float shifted) {
  const auto bits = std::bit_cast<std::uint32_t>(shifted) << 23;
  return std::bit_cast<float>(bits + 0x3f800000u);
}

/// `x` with its sign turned if the integer in `shifted` is odd.
inline float turnIfOdd(float x, float shifted) {
  const auto bits = std::bit_cast<std::uint32_t>(shifted) << 31;
  return std::bit_cast<float>(bits ^ std::bit_cast<std::uint32_t>(x));
}

/// Within 1 ulp from -87 to 88; outside, what it is there.
inline float exp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  const float shifted = std::fma(x, 1.44269502f, shifter);
  const float n = shifted - shifter;
  float r = std::fma(n, -0.693147182f, x);
  r = std::fma(n, 1.90465421e-9f, r);
  float q = std::fma(r, 0.00138146128f, 0.00836871006f);
  q = std::fma(q, r, 0.0416683890f);
  q = std::fma(q, r, 0.166665211f);
  q = std::fma(q, r, 0.49999994f);
  return (std::fma(r * r, q, r) + 1) * powerOfTwo(shifted);
}

/// sin of a number between -pi/2 and pi/2.
inline float sinOfRest(float r) {
  const float square = r * r;
  float p = std::fma(square, 2.60575075e-6f, -0.000198095906f);
  p = std::fma(p, square, 0.00833306648f);
  p = std::fma(p, square, -0.166666597f);
  return std::fma(r * square, p, r);
}

/// x - n * pi, exactly enough for |n| below about 10000.
inline float withoutHalfTurns(float x, float n) {
  x = std::fma(n, -3.14159274f, x);
  x = std::fma(n, 8.74227766e-8f, x);
  return std::fma(n, 3.43024902e-15f, x);
}

/// Within 2 ulp for |x| below about 30000.
inline float sin(float x) {
  const float shifted = std::fma(x, 0.318309873f, shifter);
  const float n = shifted - shifter;
  return turnIfOdd(sinOfRest(withoutHalfTurns(x, n)), shifted);
}

/// Within 2 ulp for |x| below about 30000.
inline float cos(float x) {
  // cos(x) = sin(x + pi/2): half turns and a quarter are taken off.
  const float shifted = std::fma(x, 0.318309873f, -0.5f) + shifter;
  const float n = shifted - shifter + 0.5f;
  return turnIfOdd(-sinOfRest(withoutHalfTurns(x, n)), shifted);
}

} // namespace kexpr::tools::plain

#endif // KEXPR_TOOLS_BENCH_PLAINMATH_H
