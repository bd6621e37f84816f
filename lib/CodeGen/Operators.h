//===- CodeGen/Operators.h - Operators as vector IR -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_OPERATORS_H
#define KEXPR_CODEGEN_OPERATORS_H

#include "CodeGen/Lanes.h"
#include "Semantics/Plan.h"
#include "kexpr/Error.h"

namespace kexpr::codegen {

/// Emits one operator over vectors and gives its result.
using EmitFn = llvm::Value *(*)(const LaneBuilder &builder,
                                llvm::Value *const *args);

/// The emitters of an arithmetic, indexed by OpId; null for an operator that
/// does not take floats to floats.
llvm::ArrayRef<EmitFn> emitters(ops::Arithmetic arithmetic);

/// Whether a plan can be emitted: it reads, computes and writes f32 alone or
/// f64 alone, with operators that `emitters()` has. The error says what is not
/// so.
Status checkEmittable(const semantics::Plan &plan);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_OPERATORS_H
