//===- Support/Place.h - A place in a listing -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_PLACE_H
#define KEXPR_SUPPORT_PLACE_H

#include <compare>
#include <cstdint>

namespace kexpr {

/// A line of a text and a byte in it, both from 1. No place is line 0.
struct Place {
  std::uint32_t line = 0, column = 0;

  explicit operator bool() const { return line != 0; }
  friend auto operator<=>(const Place &, const Place &) = default;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_PLACE_H
