//===- CodeGen/LoopSimulation.h - A loop on LLVM's model of a CPU ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPSIMULATION_H
#define KEXPR_CODEGEN_LOOPSIMULATION_H

#include "CodeGen/LoopReport.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/MC/MCInst.h>
#include <llvm/Target/TargetMachine.h>

namespace kexpr::codegen {

/// Runs a loop through LLVM's machine code analyzer; nothing where LLVM has no
/// scheduling model of the machine.
std::optional<LoopPrediction> simulate(llvm::ArrayRef<llvm::MCInst> loop,
                                       const llvm::TargetMachine &machine);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPSIMULATION_H
