//===- Syntax/Readings.h - The two readings of a text ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_READINGS_H
#define KEXPR_SYNTAX_READINGS_H

#include "Syntax/Parser.h"
#include "Syntax/Tree.h"

namespace kexpr::syntax {

/// Reads the call grammar. An error is the first place where the text leaves
/// it.
Status readCalls(std::string_view text, Span<const Token> tokens,
                 TreeBuilder &tree);

/// Whether all that keeps the tokens from the call grammar is what PNNX itself
/// writes wrong, as far as brackets and commas show it.
bool hasOnlyPnnxFaults(Span<const Token> tokens);

/// Reads prefix notation; false unless it is whole and uses every token.
bool readPrefix(Span<const Token> tokens, ArityFn arityOf, TreeBuilder &tree);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_READINGS_H
