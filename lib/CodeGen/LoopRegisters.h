//===- CodeGen/LoopRegisters.h - The registers that a loop uses -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPREGISTERS_H
#define KEXPR_CODEGEN_LOOPREGISTERS_H

#include "CodeGen/LoopRecorder.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Target/TargetMachine.h>

#include <vector>

namespace kexpr::codegen {

/// Whether a register of that name holds vectors or floats.
bool isVectorRegister(llvm::StringRef name);
bool isStackPointer(llvm::StringRef name);

/// For each instruction of a loop, how many vector registers hold after it what
/// the loop still needs, in this step or a later one. What only the code behind
/// the loop needs is not counted.
std::vector<unsigned> countLiveVectors(llvm::ArrayRef<RecordedInstruction> loop,
                                       const llvm::TargetMachine &machine);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPREGISTERS_H
