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

#include <memory>

namespace kexpr::codegen {

/// A new machine for a target and level; an error if LLVM has none. One must
/// not be used by two threads at once.
Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const Target &target, OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_TARGETMACHINE_H
