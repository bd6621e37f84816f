//===- CodeGen/SoftwarePipeline.h - Steps that overlap --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_SOFTWAREPIPELINE_H
#define KEXPR_CODEGEN_SOFTWAREPIPELINE_H

#include <llvm/IR/Instructions.h>

namespace kexpr::codegen {

/// `index` goes up to `whole` by `step`, in a loop of one block, or of two
/// where the first ends in a check that may leave the loop: then the elements
/// of `index`, and those before that are not stored yet, are done elsewhere.
struct StepLoop {
  llvm::PHINode *index;
  llvm::Value *whole;
  std::int64_t step;
  /// Vector registers of the machine, and bits of those that the loop uses.
  unsigned registers, registerBits;
  /// Where states of reductions in memory begin. One iteration takes each of
  /// them once at most.
  llvm::ArrayRef<const llvm::Value *> states;
};

/// Cuts the body of a loop into stages of about equal latency, each of which
/// works on the elements that the one before it had in the iteration before:
/// into `stages`, or fewer if too few registers would be left. So an iteration
/// is several short chains instead of a long one, and a core whose window holds
/// few iterations finds enough to do.
///
/// There is an iteration more for each stage but one, and no epilogue: the last
/// iterations load the last elements again.
///
/// A loop of states, in memory or values that it hands on, changes them in the
/// last stage. If it has no check, the first iterations are a prologue, and
/// everything, loads too, is done as late as the longest chain allows. In other
/// loops all but states is loaded in the first stage, and what the first
/// iterations store is nothing yet. It goes where the first elements come right
/// later; with a check, after which inputs are read again that outputs may lie
/// over, to the stack.
///
/// Does nothing to a loop that divides integers, nor to one with a check that
/// stores lanes or past the caches.
///
/// Returns how many stages there are.
unsigned pipelineLoop(const StepLoop &loop, unsigned stages);

/// Has elements of a body without branches, each of which is one long chain
/// after its loads, begin one after the other, as fast as two operations a
/// cycle allow: a core's schedulers hold fewer operations than three of them
/// wait with. In the body all have as many loads, and those of one are before
/// those of the next. What is stored of one may lie where its own loads are
/// from.
void staggerElements(llvm::BasicBlock &body, unsigned elements);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_SOFTWAREPIPELINE_H
