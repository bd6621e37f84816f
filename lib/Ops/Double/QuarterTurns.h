//===- Ops/Double/QuarterTurns.h - f64 arguments modulo pi / 2 ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every finite f64 as a whole number of quarter turns and a rest in two
/// doubles. The rest is off by less than 2^-62 of itself, also next to a
/// multiple of pi / 2, which no double but 0 comes closer to than 2^-61.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_QUARTERTURNS_H
#define KEXPR_OPS_DOUBLE_QUARTERTURNS_H

#include "Ops/Double/DoubleDouble.h"

namespace kexpr::ops::f64::turns {

/// pi / 2 in two doubles, and its inverse.
inline constexpr double HalfPi = 0x1.921fb54442d18p0;
inline constexpr double HalfPiLow = 0x1.1a62633145c07p-54;
inline constexpr double InverseHalfPi = 0x1.45f306dc9c883p-1;
/// HalfPiLow once more: its leading 31 bits, and what they leave.
inline constexpr double HalfPiMiddle = 0x1.1a62633p-54;
inline constexpr double HalfPiRest = 0x1.45c06e0e68948p-86;
/// Added, it rounds to a whole number and leaves it in the low bits.
inline constexpr double Rounder = 0x1.8p52;
/// Largest |x| of `reduce`; `reduceHuge` takes larger ones.
inline constexpr double ReduceLimit = 0x1p22;

/// high + low = x - n * pi / 2, |high| <= pi / 4 but for rounding, and n in the
/// low bits of the third.
template <class D> using Reduced = Several<D, 3>;

/// Cody and Waite's reduction; needs |x| <= ReduceLimit. The first fma is
/// exact, and so is the product of the count with 31 bits. The minuend is a
/// multiple of that product's last bit, so two subtractions recover all that
/// the difference loses.
template <class D> Reduced<D> reduce(D x) {
  D shifted = fma(x, InverseHalfPi, Rounder);
  D n = shifted - Rounder;
  D first = fma(n, -HalfPi, x);
  D product = n * HalfPiMiddle;
  D high = first - product;
  D low = fma(n, -HalfPiRest, (first - high) - product);
  return {{high, low, shifted}};
}

/// 2 / pi in words of 53 bits, each as a number below 1.
inline constexpr double InverseHalfPiWords[] = {
    0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-1, 0x1.a6ee06db14accp-1,
    0x1.3c439041fe516p-1, 0x1.d5ef5de2b0db8p-3, 0x1.2371d2126e97p-2,
    0x1.924bba82746p-8,   0x1.21cfe1deb1cb1p-1, 0x1.4d39f74411af8p-3,
    0x1.4baed1213a671p-1, 0x1.8135a2fbf209cp-1, 0x1.91d639835339fp-1,
    0x1.272117e2ef7e4p-2, 0x1.41d8ffc4bffeep-2, 0x1.02cc07f79788cp-1,
    0x1.6b414da3eda6cp-2, 0x1.fb3c9f2c26dd2p-2, 0x1.d18fd9a797fa8p-1,
    0x1.6ba93dd63f5f2p-1, 0x1.f17b3d0739f78p-1, 0x1.4a525d4d7f6bfp-1,
    0x1.88fc6ae842bp-2,   0x1.98237e3db5d5fp-1};

/// The words of 2 / pi that matter for x, and x scaled to match: the product of
/// the two is x * 2 / pi modulo 4.
template <class D> struct Window {
  static constexpr int Width = 5;
  D x;
  D word[23];
};

/// Leaves out the first `Words` words where x >= limit = 2^(53 Words + 54): the
/// products with them are multiples of 4 there. `scale` is 2^(-53 Words);
/// `Kept` words are of use afterwards.
template <int Words, int Kept, class D>
void skipWords(Window<D> &window, double limit, double scale) {
  auto large = window.x >= window.x.like(limit);
  window.x = select(large, window.x * scale, window.x);
  for (int i = 0; i < Kept; ++i)
    window.word[i] = select(large, window.word[i + Words], window.word[i]);
}

/// No double needs more than 18 words left out.
template <class D> Window<D> windowFor(D x) {
  Window<D> window;
  window.x = x;
  for (int i = 0; i < 23; ++i)
    window.word[i] = x.like(InverseHalfPiWords[i]);
  skipWords<16, 7>(window, 0x1p902, 0x1p-848);
  skipWords<8, 12>(window, 0x1p478, 0x1p-424);
  skipWords<4, 8>(window, 0x1p266, 0x1p-212);
  skipWords<2, 6>(window, 0x1p160, 0x1p-106);
  skipWords<1, 5>(window, 0x1p107, 0x1p-53);
  return window;
}

/// The sum of all terms rounded to multiples of 2^-52 of `grid`, exactly; the
/// terms keep what they were rounded by.
template <int N, class D> D takeMultiples(D (&term)[N], double grid) {
  D sum = term[0].like(0);
  for (D &t : term) {
    D rounded = (t + grid) - grid;
    sum = sum + rounded;
    t = t - rounded;
  }
  return sum;
}

/// x - 4 * n with the nearest n.
template <class D> D moduloFour(D x) {
  return fma(roundEven(x * 0.25), -4.0, x);
}

/// Payne and Hanek's reduction, for x >= ReduceLimit; infinities give NaN. The
/// product with the window is added up exactly down to 2^-135.
template <class D> Reduced<D> reduceHuge(D x) {
  Window<D> window = windowFor(x);
  D high[Window<D>::Width], low[Window<D>::Width];
  for (int i = 0; i < Window<D>::Width; ++i) {
    high[i] = window.x * window.word[i];
    low[i] = fma(window.x, window.word[i], -high[i]);
    window.x = window.x * 0x1p-53;
  }
  // The last product's rounding is too small to matter.
  D term[] = {moduloFour(high[0]),
              moduloFour(low[0]),
              moduloFour(high[1]),
              low[1],
              high[2],
              low[2],
              high[3],
              low[3],
              high[4]};
  // Multiples of 2^-40, then of 2^-85: neither sum needs more than 53 bits.
  D coarse = takeMultiples(term, 0x1.8p12);
  D fine = takeMultiples(term, 0x1.8p-33);
  D finest = term[0];
  for (int i = 1; i < 9; ++i)
    finest = finest + term[i];

  D shifted = coarse + Rounder;
  Pair<D> head = quickTwoSum(coarse - (shifted - Rounder), fine);
  // The head may have cancelled.
  Pair<D> turns = quickTwoSum(head.high, head.low + finest);
  Pair<D> angle = times(turns, Pair<D>{x.like(HalfPi), x.like(HalfPiLow)});
  return {{angle.high, angle.low, shifted}};
}

/// For any x >= 0.
template <class D> Reduced<D> reduceAny(D x) {
  return rarely(isBeyond(x, ReduceLimit), reduce(x),
                [x] { return reduceHuge(x); });
}

} // namespace kexpr::ops::f64::turns

#endif // KEXPR_OPS_DOUBLE_QUARTERTURNS_H
