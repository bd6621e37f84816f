//===- Syntax/Listing.h - An expression as a source file ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_LISTING_H
#define KEXPR_SYNTAX_LISTING_H

#include "Support/SourceLocation.h"
#include "kexpr/Expression.h"

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::syntax {

/// An expression written as what a kernel does, at most one operator a line:
///
///     for each element:
///       out0 =
///         add(
///           mul(@0, @1),
///           2.0)
///
/// What is used more than once stands in front of the outputs, as `%0 =`.
///
/// Line tables of machine code hold locations in it.
struct Listing {
  std::string text;
  /// Where each line of it begins.
  std::vector<std::size_t> lines;
  /// Where each of `Expression::nodes()` begins; a list of outputs at the first
  /// line.
  std::vector<SourceLocation> nodes;
  /// Where each output is stored.
  std::vector<SourceLocation> outputs;
  /// What debuggers call the function, and the file that they look for `text`
  /// in.
  std::string name, path;

  /// The location of instructions of no operator: the loop itself.
  static constexpr SourceLocation loop() { return {1, 1}; }
  /// The word at a location: an operator, an operand, a literal, an output;
  /// "the loop" for `loop()` and for no location. Without a column, the first
  /// word of the line.
  std::string_view wordAt(SourceLocation location) const;
};

/// The listing of an expression. Its name is the canonical spelling, cut where
/// it is long, and its path is empty. The size of the text is linear in that of
/// the expression, however deep it is.
Listing list(const Expression &expression);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_LISTING_H
