//===- Dump/Page.h - A kernel as one page of HTML -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGE_H
#define KEXPR_TOOLS_DUMP_PAGE_H

#include "Dump/PageData.h"

#include <string>

namespace kexpr::tools {

/// A page that needs no other file, and is well-formed XML as well: the
/// expression as a tree, the code that each operator became, what limits the
/// loop, what each operator costs of that, and what was measured. Without
/// measurements it is the same from run to run. Its size is bounded, whatever
/// the expression.
std::string renderPage(const PageData &data);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGE_H
