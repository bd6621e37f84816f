//===- Support/Hash.h - Hashes of bytes -----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_HASH_H
#define KEXPR_SUPPORT_HASH_H

#include <cstdint>
#include <string>
#include <string_view>

namespace kexpr {

/// For tables in memory.
std::uint64_t hashOf(std::string_view bytes);

/// A hash of words, for tables in memory.
struct WordHash {
  std::uint64_t value = 0;

  template <class... Words> void add(Words... words) {
    ((value = (value ^ words) * 0x9E3779B97F4A7C15u, value ^= value >> 29),
     ...);
  }
};

/// 128 bits that no two texts share by accident.
struct Digest {
  std::uint64_t low = 0, high = 0;

  static Digest of(std::string_view bytes);
  /// 32 hexadecimal digits.
  std::string str() const;
  friend bool operator==(const Digest &, const Digest &) = default;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_HASH_H
