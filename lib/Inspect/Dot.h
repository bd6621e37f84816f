//===- Inspect/Dot.h - A graph for Graphviz -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INSPECT_DOT_H
#define KEXPR_INSPECT_DOT_H

#include "Semantics/Graph.h"

#include <string>
#include <string_view>

namespace kexpr::inspect {

/// The graph in Graphviz's language, titled: operands are boxes, numbers are
/// notes, conversions are diamonds, operators are ellipses, outputs are houses,
/// and each edge says the type of what goes along it. Arguments enter a node
/// from left to right.
std::string dotOf(const semantics::Graph &graph, std::string_view title);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_DOT_H
