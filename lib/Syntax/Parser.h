//===- Syntax/Parser.h - Text to tree -------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Text to tree, by one of two grammars. The call grammar is read strictly:
///
///   text  = { "%" number "=" value ";" } value
///   value = operand | literal | word | name "(" value { "," value } ")"
///         | "[" [ value { "," value } ] "]" | "%" number
///
/// Values with a number are those of a listing, which is a graph.
///
/// PNNX itself reads prefix notation, which ignores brackets and commas, and
/// therefore at times writes text outside of the call grammar: names without
/// brackets that its folding does not know, and empty arguments. Text whose
/// only faults are these is read in prefix notation, if that uses every token.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_PARSER_H
#define KEXPR_SYNTAX_PARSER_H

#include "kexpr/Expression.h"

#include <memory>
#include <vector>

namespace kexpr {

inline namespace v2 {
namespace detail {
/// The content of an `Expression`. Tokens, nodes and names point into `text`,
/// children into `childIndices`; the object never moves once it is filled.
struct ExpressionData {
  std::string text;
  std::vector<Token> tokens;
  std::vector<Node> nodes; ///< Children first.
  std::vector<std::uint32_t> childIndices;
  bool isListing = false; ///< Whether it names values.
  std::vector<RpnEntry> rpn;
  std::string canonical;
  std::vector<std::uint32_t> usedOperands;
  /// How much of each limit the text takes.
  ParseLimits taken;
};
} // namespace detail
} // namespace v2

namespace syntax {

/// How many arguments a name takes; 0 for a name that is no operator.
using ArityFn = unsigned (*)(std::string_view name);

using ExpressionPtr = std::shared_ptr<const detail::ExpressionData>;

/// Whether a text that needs the limits `taken` is within `limits`.
bool fits(const ParseLimits &taken, const ParseLimits &limits);
/// Whether the expression would be parsed with these limits.
inline bool fits(const Expression &expression, const ParseLimits &limits) {
  return fits(expression.tightestLimits(), limits);
}

/// The tokens of `text`, which they point into, white space skipped. An error
/// for a character or a word that no token can be.
Expected<std::vector<Token>> lex(std::string_view text);

/// The tree of `text`. `arityOf` serves the prefix reading only: the strict
/// reading takes any name with any number of arguments.
Expected<ExpressionPtr> parse(std::string_view text, const ParseLimits &limits,
                              ArityFn arityOf);

} // namespace syntax
} // namespace kexpr

#endif // KEXPR_SYNTAX_PARSER_H
