//===- Dump/Diff.h - Two texts beside each other ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_DIFF_H
#define KEXPR_TOOLS_DUMP_DIFF_H

#include "kexpr/Error.h"

#include <string>

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

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_DIFF_H
