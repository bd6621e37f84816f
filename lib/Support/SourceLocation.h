//===- Support/SourceLocation.h - Line and column of a text ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_SOURCELOCATION_H
#define KEXPR_SUPPORT_SOURCELOCATION_H

#include <compare>
#include <cstdint>

namespace kexpr {

/// A line of a text and a byte in it, both from 1. Line 0 is no location.
struct SourceLocation {
  std::uint32_t line = 0, column = 0;

  explicit operator bool() const { return line != 0; }
  friend auto operator<=>(const SourceLocation &,
                          const SourceLocation &) = default;
};

/// Location of the code from a byte of a function on, up to the next entry.
struct CodeLocation {
  std::uint32_t offset = 0;
  SourceLocation location;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_SOURCELOCATION_H
