//===- Syntax/Leaf.h - Tokens to values -----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_LEAF_H
#define KEXPR_SYNTAX_LEAF_H

#include "kexpr/Expression.h"

namespace kexpr::syntax {

/// The leaf that an operand, literal or name token stands for, or why its value
/// is none: an index or an integer that is too large. Its range is the token's.
Expected<Node> leafOf(const Token &token, std::string_view text,
                      const ParseLimits &limits);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_LEAF_H
