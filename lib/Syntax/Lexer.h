//===- Syntax/Lexer.h - Text to tokens ------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_LEXER_H
#define KEXPR_SYNTAX_LEXER_H

#include "kexpr/Expression.h"

#include <vector>

namespace kexpr::syntax {

/// The tokens of `text`, which they point into, white space skipped. An error
/// for a character or a word that no token can be.
Expected<std::vector<Token>> lex(std::string_view text);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_LEXER_H
