//===- CodeGen/LoopSimulation.h - A loop on LLVM's model of a CPU ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPSIMULATION_H
#define KEXPR_CODEGEN_LOOPSIMULATION_H

#include "CodeGen/LoopRecorder.h"
#include "CodeGen/LoopReport.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Target/TargetMachine.h>

namespace kexpr::codegen {

/// Runs a loop through LLVM's machine code analyzer; nothing where LLVM has no
/// scheduling model of the machine. `code` has an
/// entry for each instruction, whose predictions are filled in.
std::optional<LoopPrediction>
simulate(llvm::ArrayRef<RecordedInstruction> loop,
         const llvm::TargetMachine &machine,
         llvm::MutableArrayRef<LoopInstruction> code);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPSIMULATION_H
