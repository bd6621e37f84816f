//===- CodeGen/LoopChain.h - How long values of a loop take ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPCHAIN_H
#define KEXPR_CODEGEN_LOOPCHAIN_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MCA/Instruction.h>

#include <memory>
#include <vector>

namespace kexpr::codegen {

/// Cycles of a loop on a machine with unlimited execution units.
struct LoopChain {
  double whole = 0;   ///< One step alone.
  double carried = 0; ///< From a step to the next, as registers depend.
  /// The same where an instruction cannot begin before those that are `window`
  /// micro-operations before it have left, in order; if that is 0, not before
  /// any of those before it has begun.
  double windowed = 0;
  /// Cycles that each instruction adds to `whole`; 0 off the longest chain.
  std::vector<unsigned> parts;
};

LoopChain
measureChain(llvm::ArrayRef<std::unique_ptr<llvm::mca::Instruction>> step,
             const llvm::MCSubtargetInfo &subtarget,
             const llvm::MCRegisterInfo &registers, unsigned window);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPCHAIN_H
