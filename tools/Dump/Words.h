//===- Dump/Words.h - The words of a comparison -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_WORDS_H
#define KEXPR_TOOLS_DUMP_WORDS_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kexpr::tools {

/// A text as words of a command line: cut at blanks that stand in no quotes and
/// in no brackets, so that `add(@0, @1) --mcpu=znver3` is two. Quotes go.
std::vector<std::string> splitWords(std::string_view text);

/// A command line that has `--diff LEFT RIGHT`: what is said outside of it, and
/// the two sides.
struct Comparison {
  std::vector<std::string> common;
  std::string left, right;

  /// What a side says together with what both have in common.
  std::vector<std::string> wordsOf(const std::string &side) const;
};

/// The comparison that a command line asks for; none without `--diff` or with
/// fewer than two words behind it.
std::optional<Comparison> findComparison(const std::vector<std::string> &words);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_WORDS_H
