//===- Syntax/Printer.h - Tree to canonical text --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_PRINTER_H
#define KEXPR_SYNTAX_PRINTER_H

#include "kexpr/Expression.h"

#include <string>
#include <vector>

namespace kexpr::syntax {

/// The canonical text of nodes, whose root is the last: the call form without
/// blanks, a listing where calls repeat. Literals have their shortest spelling
/// that reads back to the same value of the same kind; all NaNs are `nan`.
std::string print(Span<const Node> nodes);

/// The calls that are arguments more than once, ascending: visitors of a
/// listing must not enter them twice.
std::vector<std::uint32_t> sharedNodes(Span<const Node> nodes);

/// A real number in its shortest spelling.
std::string printFloat(double value);

/// A literal, an operand or a word.
std::string printLeaf(const Node &node);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_PRINTER_H
