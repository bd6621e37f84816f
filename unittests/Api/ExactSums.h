//===- ExactSums.h - What a sum is rounded to, by its definition ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_EXACTSUMS_H
#define KEXPR_UNITTESTS_API_EXACTSUMS_H

#include "Api/Rows.h"

#include <array>
#include <bit>
#include <limits>
#include <random>

namespace kexpr::test::rows {

/// An integer of 3200 bits, in units of 2^-1074.
class Big {
public:
  void add(std::uint64_t significand, unsigned shift) {
    for (unsigned bit = 0; bit < 64; ++bit)
      if (significand >> bit & 1)
        addBit(shift + bit);
  }
  void add(const Big &other) {
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      next += std::uint64_t{digits[i]} + other.digits[i];
      digits[i] = static_cast<std::uint32_t>(next);
      next >>= 32;
    }
  }
  Big times(std::uint32_t factor) const {
    Big product;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      next += std::uint64_t{digits[i]} * factor;
      product.digits[i] = static_cast<std::uint32_t>(next);
      next >>= 32;
    }
    return product;
  }
  /// What it is more than a smaller one.
  Big minus(const Big &other) const {
    Big rest;
    std::int64_t next = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      next += std::int64_t{digits[i]} - other.digits[i];
      rest.digits[i] = static_cast<std::uint32_t>(next);
      next >>= 32;
    }
    return rest;
  }
  int compare(const Big &other) const {
    for (std::size_t i = digits.size(); i-- > 0;)
      if (digits[i] != other.digits[i])
        return digits[i] < other.digits[i] ? -1 : 1;
    return 0;
  }

private:
  void addBit(unsigned bit) {
    std::uint32_t one = 1u << bit % 32;
    for (std::size_t i = bit / 32; i < digits.size(); ++i, one = 1) {
      digits[i] += one;
      if (digits[i] >= one)
        return;
    }
  }
  std::array<std::uint32_t, 100> digits = {};
};

/// The layout of a floating-point type.
struct Format {
  unsigned fraction, field;
  int bias;
  static Format of(DType type) {
    return type == DType::F16    ? Format{10, 5, 15}
           : type == DType::BF16 ? Format{7, 8, 127}
           : type == DType::F32  ? Format{23, 8, 127}
                                 : Format{52, 11, 1023};
  }
  std::uint64_t infinity() const {
    return ((std::uint64_t{1} << field) - 1) << fraction;
  }
  std::uint64_t sign() const { return std::uint64_t{1} << (fraction + field); }
  /// A number that is no NaN; infinity is the power of two behind the others.
  Big size(std::uint64_t bits) const {
    bits &= sign() - 1;
    const std::uint64_t exponent = bits >> fraction;
    const std::uint64_t rest = bits & ((std::uint64_t{1} << fraction) - 1);
    Big number;
    number.add(rest | std::uint64_t{exponent != 0} << fraction,
               static_cast<unsigned>(
                   static_cast<int>(std::max<std::uint64_t>(exponent, 1)) -
                   bias - static_cast<int>(fraction) + 1074));
    return number;
  }
};

/// Bits of an element, and of all elements of a tensor in order.
inline std::uint64_t bitsAt(const Tensor &tensor, std::int64_t position) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.at(position), sizeOf(tensor.type));
  return bits;
}

/// A sum of finite elements of a type.
class ExactSum {
public:
  explicit ExactSum(DType type) : format(Format::of(type)) {}
  void add(std::uint64_t bits) {
    (bits & format.sign() ? minus : plus).add(format.size(bits));
  }
  void add(const Tensor &tensor) {
    for (std::int64_t i = 0; i < tensor.shape.elementCount(); ++i)
      add(bitsAt(tensor, i));
  }
  /// Whether these are the bits of the sum over a number, rounded to nearest
  /// even.
  bool isNearest(DType type, std::uint64_t bits, std::uint32_t count) const {
    const Format to = Format::of(type);
    const bool isNegative = plus.compare(minus) < 0;
    const std::uint64_t size = bits & (to.sign() - 1);
    if (plus.compare(minus) == 0)
      return bits == 0;
    if (isNegative != ((bits & to.sign()) != 0) || size > to.infinity())
      return false;
    const Big twice =
        (isNegative ? minus.minus(plus) : plus.minus(minus)).times(2);
    const bool isEven = size % 2 == 0;
    const auto middle = [&](std::uint64_t low) {
      Big sum = to.size(low);
      sum.add(to.size(low + 1));
      return sum.times(count);
    };
    if (size > 0 && twice.compare(middle(size - 1)) < (isEven ? 0 : 1))
      return false;
    return size == to.infinity() ||
           twice.compare(middle(size)) <= (isEven ? 0 : -1);
  }

private:
  const Format format;
  Big plus, minus;
};

} // namespace kexpr::test::rows

#endif // KEXPR_UNITTESTS_API_EXACTSUMS_H
