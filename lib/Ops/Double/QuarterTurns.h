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

/// The bits of 2 / pi, from the highest.
inline constexpr std::uint64_t InverseHalfPiBits[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab};

/// 2^(32 i - 32) * 2 / pi modulo 4 for i = 0 to 31, as sums of four numbers of
/// 53 bits each: [0] are multiples of 2^-51, [1] of 2^-104, and so on.
struct InverseWords {
  double word[4][32];
};
consteval InverseWords inverseWords() {
  InverseWords words{};
  for (int i = 0; i < 32; ++i) {
    int next = 32 * i - 34;
    double unit = 2;
    for (auto &word : words.word)
      for (int left = 53; left > 0; --left, ++next, unit /= 2)
        if (next >= 0 && (InverseHalfPiBits[next / 64] >> (63 - next % 64)) % 2)
          word[i] += unit;
  }
  return words;
}
inline constexpr InverseWords InverseHalfPiWords = inverseWords();

/// Payne and Hanek's reduction, for x >= 2^20; infinities give NaN. A number is
/// a whole one below 2^84 times a power of 2^32, so that the product with 2 /
/// pi is that whole one's with one of 32 constants, whose multiples of 4 are
/// left out. Down to 2^-70 it is exact, and where it nearly cancels to 2^-130.
template <class D> Reduced<D> reduceHuge(D x) {
  constexpr std::int64_t one = 0x3ff0000000000000, exponent = 1ll << 52;
  auto above = x.template bits<std::int64_t>() - (one + 20 * exponent);
  auto index = above >> 57;
  D number =
      x * ((one + 32 * exponent) - (index << 57)).template bits<double>();
  auto word = [index](int i) {
    return index.lookUp(InverseHalfPiWords.word[i]);
  };
  Pair<D> first = twoProduct(number, word(0)),
          second = twoProduct(number, word(1)),
          third = twoProduct(number, word(2));
  D fourth = number * word(3);

  // All that is above 2^-20, modulo 4, as a whole number and a rest. The first
  // sum is of multiples of 2^-51.
  D firstWhole = roundEven(first.low), secondWhole = roundEven(second.high);
  D lead = fma(roundEven(first.high * 0.25), -4.0, first.high) +
           (first.low - firstWhole);
  Pair<D> high = quickTwoSum(lead, second.high - secondWhole);
  D whole = roundEven(high.high);
  D shifted = (firstWhole + secondWhole) + whole + Rounder;
  // No word is much shorter than its bits, so that the rest is of multiples of
  // 2^-60. It may cancel, and be the smaller.
  Pair<D> middle = twoSum(second.low, third.high);
  Pair<D> head = quickTwoSum(high.high - whole, middle.high);
  D low = head.low + (high.low + (middle.low + (third.low + fourth)));
  Pair<D> angle = times(Pair<D>{head.high, low},
                        Pair<D>{x.like(HalfPi), x.like(HalfPiLow)});
  return {{angle.high, angle.low, shifted}};
}

/// For any x >= 0.
template <class D> Reduced<D> reduceAny(D x) {
  return rarely(isBeyond(x, ReduceLimit), reduce(x),
                [x] { return reduceHuge(x); });
}

} // namespace kexpr::ops::f64::turns

#endif // KEXPR_OPS_DOUBLE_QUARTERTURNS_H
