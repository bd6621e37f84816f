//===- CodeGen/TargetMachine.h - LLVM's view of a target ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_TARGETMACHINE_H
#define KEXPR_CODEGEN_TARGETMACHINE_H

#include "CodeGen/CodeGen.h"

#include <llvm/Target/TargetMachine.h>

namespace kexpr::codegen {

/// The calling thread's machine for a target and level, made at first use and
/// kept: making one takes longer than compiling a small kernel, and one must
/// not be used by two threads at once.
Expected<llvm::TargetMachine *> targetMachine(const Target &target,
                                              OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_TARGETMACHINE_H
