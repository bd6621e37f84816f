//===- Support/SystemText.h - What the system says in files ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_SYSTEMTEXT_H
#define KEXPR_SUPPORT_SYSTEMTEXT_H

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace kexpr {

/// The first 4 KiB of a file under /proc or /sys; empty where it cannot be
/// read.
std::string systemText(const std::string &path);

/// What an error number of the system means, in English whatever the locale.
std::string_view errorText(int number);

/// The whole number that a text begins with, after blanks; 0 if there is none,
/// or if it exceeds 64 bits. It is removed from `text`.
inline std::uint64_t takeNumber(std::string_view &text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_SYSTEMTEXT_H
