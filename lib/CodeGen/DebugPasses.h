//===- CodeGen/DebugPasses.h - Passes for debug information ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM drops the source location of an instruction that it moves to another
/// block, so that a debugger does not seem to jump there and back. For a kernel
/// that is most of the loop, and what matters is which operator an instruction
/// is of. These passes change no instruction but for its location, and those of
/// locations do nothing to functions without debug information.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_DEBUGPASSES_H
#define KEXPR_CODEGEN_DEBUGPASSES_H

#include <llvm/Pass.h>

#include <utility>

namespace kexpr::codegen {

using PassPair = std::pair<llvm::Pass *, llvm::Pass *>;

/// Passes to run before and after one that moves instructions of SSA form: the
/// second restores the locations that the first one saw.
PassPair createKeepLocationsPasses();

/// The last pass: gives every instruction a location. One without, such as a
/// constant that is loaded where it is used or a reload from the stack, gets
/// that of the operator it is for, else that of the loop.
llvm::Pass *createFillLocationsPass();

/// Passes to run before any that generates code, one of LLVM IR, and after
/// prologue and epilogue insertion: between them, functions need CFI
/// instructions whether or not debug information does. Schedulers move nothing
/// across these, so that code would depend on debug information otherwise. The
/// printer emits them only where needed.
llvm::Pass *createFrameMovesPass(bool areRequired);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_DEBUGPASSES_H
