//===- Ops/HugeTurns.h - Huge arguments of sin, cos and tan in f32 --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Payne and Hanek's reduction of f32 numbers from 2 up. A number is a whole
/// one, of 31 bits, times 2^(8 i), of which there are sixteen; so the product
/// with 2 / pi is that whole number times one of sixteen constants. An integer
/// product modulo 2^32 is all of it that is of use down to 2^-30; the rest is
/// in floating point. No step is in double lanes, and half of them are of
/// integers, so that they take no longer than what follows.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_HUGETURNS_H
#define KEXPR_OPS_HUGETURNS_H

#include "Ops/Algebra/Value.h"

#include <limits>

namespace kexpr::ops::turns {

/// 2^(8 i) * 2 / pi for i = 1 to 16: whole numbers modulo 2^32, then four times
/// what is left, |rest| <= 2, as multiples of 2^-15 and in two more parts.
inline constexpr std::int32_t WholeWords[16] = {
    163,        41722,      10680707,   -1560706194, -108827058, -2089923004,
    1850622997, 1313084714, 1142237692, 355073063,   704391000,  -64530478,
    660066805,  1473377589, -772459298, -181084735};
inline constexpr float FirstWords[16] = {
    -0x1.9f2p-4f, -0x1.f246p0f,  0x1.b93ap0f,   0x1.391p0f,
    0x1.1054p0f,  0x1.52ap-2f,   0x1.4fep-1f,   -0x1.ec4p-5f,
    0x1.3acp-1f,  0x1.5f48p0f,   -0x1.7058p-1f, -0x1.596p-3f,
    0x1.a6fp-1f,  -0x1.11f8p-1f, -0x1.f924p-1f, -0x1.24ecp-1f};
inline constexpr float SecondWords[16] = {
    -0x1.1b1bbep-18f, -0x1.8ddf56p-17f, -0x1.df56bp-17f,  0x1.529fc2p-18f,
    0x1.4fe13ap-17f,  -0x1.ec5418p-21f, 0x1.3abe9p-17f,   -0x1.417056p-17f,
    -0x1.70565ap-17f, -0x1.596448p-19f, 0x1.a6ee06p-17f,  -0x1.11f924p-17f,
    -0x1.f924ecp-17f, -0x1.24eb54p-17f, -0x1.d6a66cp-18f, 0x1.5993c4p-18f};
inline constexpr float ThirdWords[16] = {
    -0x1.5ac07cp-43f, -0x1.603d8ap-42f, -0x1.ec5418p-45f, 0x1.d5f47ep-44f,
    0x1.7d1f54p-42f,  0x1.f534dep-46f,  -0x1.596448p-43f, -0x1.6447e4p-43f,
    0x1.dc0db6p-42f,  0x1.b6c52cp-47f,  0x1.b6295ap-42f,  -0x1.d6a66cp-42f,
    0x1.5993c4p-42f,  0x1.93c43ap-42f,  -0x1.de37ep-45f,  0x1.c821p-45f};

/// x = count * pi / Parts + rest. In units of 2^-32 quarter turns the rest is
/// whole * (4 / 2^Parts) + tail + number * (second word + third word).
template <int Parts, class V> struct HugeTurns {
  using Integer = typename V::template As<std::int32_t>;
  static constexpr int Unit = 4 >> Parts;
  Integer top; ///< The count's low bits, in the highest `Parts`.
  Integer whole;
  V tail; ///< A multiple of 2^-15, at most 2^9.
  V number;
  Integer index;
};

/// Needs 2 <= |x| < infinity; of any other x comes some number. With Quarter,
/// of x and a quarter turn.
template <int Parts, bool Quarter, class V> HugeTurns<Parts, V> hugeTurns(V x) {
  auto bits = x.template bits<std::int32_t>();
  auto index = bits >> 26;
  // Sign and significand stay, and three bits of the exponent: so this is whole
  // and of 24 to 31 bits.
  V number = ((bits & static_cast<std::int32_t>(0x83ffffff)) + 0x4b000000)
                 .template bits<float>();
  V first = index.lookUp(FirstWords);
  // Multiples of 2^10 are added to the integer: they are the low bits of this,
  // beside a quarter turn that it begins with.
  constexpr float rounder = 0x1.8p33f;
  V shifted = fma(number, first, rounder);
  V tail = fma(number, first, rounder - shifted);
  auto sum = number.template to<std::int32_t>() * index.lookUp(WholeWords) +
             (shifted.template bits<std::int32_t>() << 8);
  constexpr std::int32_t excess = Quarter ? 0 : 1 << 30;
  auto top = sum + ((1 << (31 - Parts)) - excess);
  auto whole = sum << Parts;
  if constexpr (Parts == 1 && !Quarter)
    whole = whole ^ std::numeric_limits<std::int32_t>::min();
  return {top, whole, tail, number, index};
}

/// A number of two floats.
template <class V> struct TwoParts { V high, low; };

/// The rest in units of 2^-32 quarter turns as high * Unit + low, off by less
/// than 2^-8.
template <int Parts, class V>
TwoParts<V> narrowRest(const HugeTurns<Parts, V> &turns) {
  constexpr std::int32_t lowest = 0xff;
  V low = (turns.whole & lowest).template to<float>();
  if constexpr (HugeTurns<Parts, V>::Unit != 1)
    low = low * turns.Unit;
  low = fma(turns.number, turns.index.lookUp(SecondWords), low) + turns.tail;
  return {(turns.whole & ~lowest).template to<float>(), low};
}

/// The same, off by as much as the first part's rounding, in half the steps.
template <int Parts, class V>
TwoParts<V> shortRest(const HugeTurns<Parts, V> &turns) {
  V low = fma(turns.number, turns.index.lookUp(SecondWords), turns.tail);
  return {turns.whole.template to<float>(), low};
}

/// high + low as an angle of the first part less the second, for a low part
/// that may be larger than the last bit of the other.
template <class V> TwoParts<V> angleOf(TwoParts<V> rest) {
  V tail = fma(rest.low, 0x1.921fb6p-32f, rest.high * -0x1.777a5cp-57f);
  V angle = fma(rest.high, 0x1.921fb6p-32f, tail);
  return {angle, fma(rest.high, -0x1.921fb6p-32f, angle) - tail};
}

/// A rest below 2^-12 of a quarter turn in units of 2^-32, off by less than
/// 2^-32 of itself: no sum loses anything until the last ones.
template <class V> TwoParts<V> smallRest(const HugeTurns<2, V> &turns) {
  V second = turns.index.lookUp(SecondWords);
  V product = turns.number * second;
  V lost = fma(turns.number, second, -product);
  V whole = turns.whole.template to<float>();
  V first = whole + turns.tail;
  V firstLost = turns.tail - (first - whole);
  V sum = first + product;
  V part = sum - first;
  V sumLost = (first - (sum - part)) + (product - part);
  V low = fma(turns.number, turns.index.lookUp(ThirdWords), lost) +
          (firstLost + sumLost);
  V high = sum + low;
  return {high, low - (high - sum)};
}

} // namespace kexpr::ops::turns

#endif // KEXPR_OPS_HUGETURNS_H
