//===- Support/Quote.h - Words of a text in a message ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_QUOTE_H
#define KEXPR_SUPPORT_QUOTE_H

#include <string>
#include <string_view>

namespace kexpr {

/// `word` in single quotes. Only the beginning of a very long one is shown: a
/// message stays a sentence whatever the text holds.
inline std::string quote(std::string_view word) {
  constexpr std::size_t most = 48;
  std::string quoted = "'";
  quoted += word.substr(0, most);
  quoted += word.size() > most ? "...'" : "'";
  return quoted;
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_QUOTE_H
