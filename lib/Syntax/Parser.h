//===- Syntax/Parser.h - Text to tree -------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two readings, one tree. The call grammar is read strictly:
///
///   text  = { "%" number "=" value ";" } value
///   value = operand | literal | word | name "(" value { "," value } ")"
///         | "[" [ value { "," value } ] "]" | "%" number
///
/// Values with a number are those of a listing, which is a graph.
///
/// PNNX itself reads prefix notation, in which brackets and commas mean
/// nothing, and therefore at times writes text that the call grammar does not
/// have. Where such faults of PNNX's own, names without brackets that its
/// folding does not know and empty arguments, are the only ones, the text is
/// read as PNNX would, if that uses every token.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_PARSER_H
#define KEXPR_SYNTAX_PARSER_H

#include "Syntax/ExpressionData.h"

#include <memory>

namespace kexpr::syntax {

/// How many arguments a name takes; 0 for a name that is no operator.
using ArityFn = unsigned (*)(std::string_view name);

using ExpressionPtr = std::shared_ptr<const detail::ExpressionData>;

/// Whether a text that takes so much of each limit is within these.
bool fits(const ParseLimits &taken, const ParseLimits &limits);
/// Whether the expression would be parsed with these limits.
inline bool fits(const Expression &expression, const ParseLimits &limits) {
  return fits(expression.tightestLimits(), limits);
}

/// The tree of `text`. `arityOf` serves the prefix reading only: the strict
/// reading takes any name with any number of arguments.
Expected<ExpressionPtr> parse(std::string_view text, const ParseLimits &limits,
                              ArityFn arityOf);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_PARSER_H
