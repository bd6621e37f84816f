//===- CodeGen/LineTable.h - Places in an object file ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LINETABLE_H
#define KEXPR_CODEGEN_LINETABLE_H

#include "CodeGen/CodeGen.h"

namespace kexpr::codegen {

/// Reads `size` and `places` from the bytes of an object. What cannot be read
/// is left out.
void readLineTable(ObjectCode &object);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LINETABLE_H
