//===- Ulp/Random.h - Random numbers that can be had in any order -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_RANDOM_H
#define KEXPR_TOOLS_ULP_RANDOM_H

#include <cstdint>

namespace kexpr::tools {

/// Steele, Lea and Flood's SplitMix64, one stream for each index: what is drawn
/// for an input does not depend on which thread asks, nor on the others.
class Random {
public:
  explicit Random(std::uint64_t index) : state(index * 0xD1342543DE82EF95u) {
    state = next();
  }

  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  /// 0 to `limit` - 1.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  /// `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto span =
        static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = span ? below(span) : next();
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [low, high), also where their distance overflows.
  double uniform(double low, double high) {
    const double part = unit();
    return low * (1 - part) + high * part;
  }

private:
  std::uint64_t state;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_RANDOM_H
