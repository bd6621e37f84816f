//===- Dump/PageTree.h - An expression as a drawing -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGETREE_H
#define KEXPR_TOOLS_DUMP_PAGETREE_H

#include "Dump/PageData.h"

namespace kexpr::tools {

/// The tree of every output, the result on top, with what each part costs. Of
/// a large tree the upper part is drawn, and how much is left out below it.
std::string treeSvg(const PageData &data);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGETREE_H
