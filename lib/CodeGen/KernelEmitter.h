//===- CodeGen/KernelEmitter.h - From a plan to LLVM IR -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_KERNELEMITTER_H
#define KEXPR_CODEGEN_KERNELEMITTER_H

#include "CodeGen/CodeGen.h"

#include <llvm/IR/Module.h>

#include <memory>

namespace kexpr::codegen {

/// The name of the one function that `emitKernel` makes.
inline constexpr const char *KernelSymbol = "kexpr_kernel";

/// A module with the plan's `LoopFn`: a main loop over whole vectors, unrolled,
/// and a tail loop over masked vectors. Every copy of the body loads its
/// operands, computes the whole graph and stores its outputs or gives them to
/// states, so that a value never leaves registers and an output may be an
/// input. A step with an element that an operator has a slow way for is done by
/// a second body, out of the way of the loop. Values are named after the
/// operands and operators they come from.
struct EmittedKernel {
  std::unique_ptr<llvm::Module> module;
  unsigned stages; ///< Of the main loop; see SoftwarePipeline.h.
};
EmittedKernel emitKernel(llvm::LLVMContext &context,
                         const semantics::Plan &plan, const Target &target,
                         OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_KERNELEMITTER_H
