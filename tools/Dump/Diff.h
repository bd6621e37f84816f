//===- Dump/Diff.h - Two texts beside each other ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_DIFF_H
#define KEXPR_TOOLS_DUMP_DIFF_H

#include "kexpr/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// A text and what it is of.
struct Side {
  std::string title;
  std::string text;
};

// The program diff compares them. Errors: Io where it cannot.

/// Both texts in columns, `width` columns together, under their titles. The
/// gutter between them says `|` of a line that changed, `<` of one on the left
/// alone and `>` of one on the right alone. Lines that do not fit are cut.
Expected<std::string> sideBySide(const Side &left, const Side &right,
                                 std::size_t width);

/// The changes with three lines around each, as `diff -u` prints them.
Expected<std::string> unified(const Side &left, const Side &right);

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

#endif // KEXPR_TOOLS_DUMP_DIFF_H
