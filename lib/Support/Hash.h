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
