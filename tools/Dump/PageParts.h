//===- Dump/PageParts.h - Which nodes are one, and where they stand -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGEPARTS_H
#define KEXPR_TOOLS_DUMP_PAGEPARTS_H

#include "Dump/PageData.h"

namespace kexpr::tools {

/// For each node of the expression the first one that is spelled the same but
/// for aliases of operators: itself if there is none before it.
std::vector<std::uint32_t> equalNodes(const Expression &expression);

/// Makes the parts of an expression and notes the places of its listing; the
/// loop itself is the first part.
void addParts(PageData &data);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGEPARTS_H
