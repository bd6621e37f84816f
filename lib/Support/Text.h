//===- Support/Text.h - Small text helpers --------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Text is made without streams: these follow the locale that a host has set,
/// which may group digits or put a comma before fractions.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_TEXT_H
#define KEXPR_SUPPORT_TEXT_H

#include <algorithm>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace kexpr {

inline void append(std::string &text, std::string_view piece) { text += piece; }
inline void append(std::string &text, char piece) { text += piece; }

/// In decimal digits.
template <std::integral T>
requires(sizeof(T) > 1) void append(std::string &text, T number) {
  char digits[24];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, end);
}

/// In as few of six digits as it takes.
inline void append(std::string &text, double number) {
  char digits[32];
  const auto [end, error] = std::to_chars(
      digits, digits + sizeof digits, number, std::chars_format::general, 6);
  text.append(digits, end);
}

/// The concatenation of texts, characters and numbers.
template <class... Args> std::string concat(const Args &...args) {
  std::string text;
  (append(text, args), ...);
  return text;
}

/// `value` with that many digits after the point.
inline std::string number(double value, int digits) {
  // The largest double has 309 digits before it.
  std::string text(static_cast<std::size_t>(digits) + 312, '\0');
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::fixed, digits);
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

/// "1 vector", "2 vectors".
inline std::string counted(std::size_t count, std::string_view what) {
  return concat(count, ' ', what, count == 1 ? "" : "s");
}

/// Cuts off and gives the text before the first `separator`, or all of it.
inline std::string_view takeField(std::string_view &rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

/// The text, padded with blanks to that width.
inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width)
    text.append(width - text.size(), ' ');
  return text;
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_TEXT_H
