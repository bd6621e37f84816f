//===- CodeGen/PlaceTable.h - Places in an object file --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where code comes from, in a section of its own. Of the time that compiling a
/// small kernel takes, LLVM's DWARF adds up to 29 %, and this up to 8 %.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_PLACETABLE_H
#define KEXPR_CODEGEN_PLACETABLE_H

#include "CodeGen/CodeGen.h"

#include <llvm/CodeGen/AsmPrinter.h>

namespace kexpr::codegen {

/// Has a printer of ELF files write the places of functions that are described
/// by `Lines::Places`.
void addPlaceTable(llvm::AsmPrinter &printer);

/// Reads `size`, `places` and `frames` of an object, which then has no such
/// sections any more. What is not there is left out.
void readPlaceTable(ObjectCode &object);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_PLACETABLE_H
