//===- Ops/ExactBlocks.h - Exact sums of blocks, as few doubles -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The loops behind `exactBlock()`, compiled for each instruction set; see
/// BlockLoops.h. Elements of a block whose exponents are not far apart are cut
/// at one or two places that are the same for all. What lies between two cuts
/// has so few bits that doubles add it without rounding, in any order.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_EXACTBLOCKS_H
#define KEXPR_OPS_EXACTBLOCKS_H

#include "Ops/Algebra/Scalar.h"
#include "Ops/ExactSums.h"

#include <array>
#include <limits>
#include <type_traits>

namespace kexpr::ops {

template <class T, Isa I> class ExactBlock {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr bool isSingle = sizeof(T) == 4;
  static constexpr int fraction = isSingle ? 23 : 52;
  static constexpr int bias = isSingle ? 127 : 1023;
  /// Bits that a sum of a block has beyond those of its elements.
  static constexpr int more = 11;
  static_assert(std::size_t{1} << more == ExactSums::MostOfBlock);
  /// Bits of an element between two cuts: with a sign, of so many.
  static constexpr int each = 52 - more;

  // Vectors of the compiler, of registers that the instruction set has; so many
  // that additions need not wait for each other.
  static constexpr int bytes = I == Isa::Avx2 ? 32 : 16;
  static constexpr int lanes = bytes / sizeof(double), sets = 16 / lanes;
  using Narrow [[gnu::vector_size(lanes * sizeof(T))]] = T;
  using Wide [[gnu::vector_size(bytes)]] = double;
  static constexpr int sizes = bytes / sizeof(Bits);
  using Sizes [[gnu::vector_size(bytes)]] = Bits;

  /// The smallest and the largest field of exponents, of numbers but 0.
  struct Fields {
    int least, most;
  };
  static Fields fieldsOf(std::size_t count, const T *elements) {
    constexpr Bits largest = std::numeric_limits<Bits>::max();
    const Sizes all = Sizes{} + largest;
    Sizes extremes[2][2] = {{{}, all}, {{}, all}};
    std::size_t i = 0;
    for (; i + 2 * sizes <= count; i += 2 * sizes)
      for (int set = 0; set < 2; ++set) {
        auto &[most, least] = extremes[set];
        Sizes size;
        __builtin_memcpy(&size, elements + i + sizes * set, sizeof size);
        size &= largest;
        const Sizes other = size == 0 ? all : size;
        most = size > most ? size : most;
        least = other < least ? other : least;
      }
    Bits most = 0, least = largest;
    const auto take = [&](Bits size, Bits other) {
      most = size > most ? size : most;
      least = other < least && other > 0 ? other : least;
    };
    for (int lane = 0; lane < sizes; ++lane)
      for (const auto &[large, small] : extremes)
        take(large[lane], small[lane]);
    for (; i < count; ++i) {
      const Bits size = __builtin_bit_cast(Bits, elements[i]) & largest;
      take(size, size);
    }
    const auto field = [](Bits bits) {
      const auto exponent = static_cast<int>(bits >> fraction);
      return exponent > 0 ? exponent : 1;
    };
    return {most == 0 ? 1 : field(least), field(most)};
  }

  /// Adding it rounds to a multiple of 2^(exponent - 52).
  static double cut(int exponent) {
    const auto field =
        static_cast<std::uint64_t>(std::int64_t{exponent} + 1023);
    return __builtin_bit_cast(double, field << 52 | std::uint64_t{1} << 51);
  }

  template <int Parts>
  static unsigned sum(std::size_t count, const T *elements, const double *cuts,
                      double *parts) {
    Wide sums[Parts][sets] = {};
    std::size_t i = 0;
    for (; i + lanes * sets <= count; i += lanes * sets)
#pragma GCC unroll 8
      for (int set = 0; set < sets; ++set) {
        Narrow narrow;
        __builtin_memcpy(&narrow, elements + i + lanes * set, sizeof narrow);
        Wide x = __builtin_convertvector(narrow, Wide);
        for (int part = 0; part + 1 < Parts; ++part) {
          const Wide high = (x + cuts[part]) - cuts[part];
          sums[part][set] += high;
          x -= high;
        }
        sums[Parts - 1][set] += x;
      }
    for (int part = 0; part < Parts; ++part) {
      parts[part] = 0;
      for (int set = 0; set < sets; ++set)
        for (int lane = 0; lane < lanes; ++lane)
          parts[part] += sums[part][set][lane];
    }
    for (; i < count; ++i) {
      double x = elements[i];
      for (int part = 0; part + 1 < Parts; ++part) {
        const double high = (x + cuts[part]) - cuts[part];
        parts[part] += high;
        x -= high;
      }
      parts[Parts - 1] += x;
    }
    return Parts;
  }

public:
  static unsigned run(std::size_t count, const void *from, double *parts) {
    const auto *elements = static_cast<const T *>(from);
    const auto [least, most] = fieldsOf(count, elements);
    // Elements are below 2^top and multiples of 2^bottom.
    const int top = most - bias + 1, bottom = least - bias - fraction;
    // Cuts must be normal, and elements finite.
    constexpr int margin = isSingle ? 0 : 200;
    if (most >= 2 * bias + 1 - margin || least < margin)
      return 0;
    // What is left below a cut is at most half of its unit.
    const double cuts[] = {cut(top + more), cut(top - each - 1 + more)};
    const int bits = top + more - bottom;
    if (bits <= 53)
      return sum<1>(count, elements, cuts, parts);
    if (bits <= 53 + each + 1)
      return sum<2>(count, elements, cuts, parts);
    if (bits <= 53 + 2 * (each + 1))
      return sum<3>(count, elements, cuts, parts);
    return 0;
  }
};

/// Of f32 and f64.
template <Isa I> constexpr std::array<ExactBlockFn, 2> exactBlocks() {
  return {&ExactBlock<float, I>::run, &ExactBlock<double, I>::run};
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_EXACTBLOCKS_H
