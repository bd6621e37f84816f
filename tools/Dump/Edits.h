//===- Dump/Edits.h - From one text to another ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_EDITS_H
#define KEXPR_TOOLS_DUMP_EDITS_H

#include <cstddef>
#include <string>
#include <vector>

namespace kexpr::tools {

using Lines = std::vector<std::string>;

/// What becomes of a line.
struct Edit {
  enum class Kind { Same, Removed, Added };
  Kind kind;
  /// Its text, which belongs to the lines that the edits are of.
  const std::string *line;
};

/// The fewest removals and additions that make `right` of `left`, in order
/// (Myers, "An O(ND) Difference Algorithm", Algorithmica 1986). Where these
/// would be more than some thousands, everything between the lines that both
/// begin and end with is removed and added.
std::vector<Edit> editsBetween(const Lines &left, const Lines &right);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_EDITS_H
