//===- Dump/PageCode.h - An expression beside its code --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGECODE_H
#define KEXPR_TOOLS_DUMP_PAGECODE_H

#include "Dump/PageData.h"

namespace kexpr::tools {

// All are HTML in which every word or line has the part it is of.

/// The expression as a source file.
std::string listingHtml(const PageData &data);

/// The kernel's LLVM IR, with what is not of the main loop folded away.
std::string irHtml(const PageData &data);

/// Its assembly, with what each instruction of the loop takes.
std::string assemblyHtml(const PageData &data);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGECODE_H
