//===- CodeGen/Operators.h - Operators as vector IR -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_OPERATORS_H
#define KEXPR_CODEGEN_OPERATORS_H

#include "CodeGen/Lanes.h"
#include "Ops/Table.h"

namespace kexpr::codegen {

/// Emits one operator over vectors and gives its result.
using EmitFn = llvm::Value *(*)(const LaneBuilder &builder,
                                llvm::Value *const *args);

/// The emitters of an arithmetic, indexed by OpId; null for an operator whose
/// rule leaves the arithmetic out.
llvm::ArrayRef<EmitFn> emitters(ops::Arithmetic arithmetic);

/// Emits a conversion between two types that differ.
llvm::Value *emitConversion(const LaneBuilder &builder, llvm::Value *value,
                            DType from, DType to);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_OPERATORS_H
