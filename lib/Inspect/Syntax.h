//===- Inspect/Syntax.h - Tokens, tree and reverse Polish order -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INSPECT_SYNTAX_H
#define KEXPR_INSPECT_SYNTAX_H

#include "kexpr/Expression.h"

#include <string>

namespace kexpr::inspect {

/// One line a token: its bytes in the text, its kind, its spelling.
std::string tokensOf(const Expression &expression);

/// One line a node, each indented below its parent.
std::string treeOf(const Expression &expression);

/// One line an entry, each with what the stack holds after it.
std::string rpnOf(const Expression &expression);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_SYNTAX_H
