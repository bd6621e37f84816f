//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reductions in a kernel. A main loop of few operations has the states of
/// lanes in registers; everything else, what the main loop leaves to do too,
/// has them in memory.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::codegen;

/// Gives elements, those of several rows, to `states[number]`.
void KernelBuilder::take(const Position &at,
                         llvm::ArrayRef<llvm::Value *> elements,
                         std::size_t number, std::optional<unsigned> copy) {
  const LoopStates &taking = states[number];
  names.part = taking.reduction();
  if (copy && holdsStates) {
    const unsigned vectors = ops::ReductionLanes / lanes.lanes;
    const auto first = held.begin() + number * vectors;
    for (llvm::Value *row : elements)
      *first = taking.step(lanes, *first, row);
    std::rotate(first, first + 1, first + vectors);
  } else {
    taking.take(lanes, at, elements);
  }
  names.part = {};
}

/// Loads states where the main loop begins, and begins again.
void KernelBuilder::openStates() {
  llvm::BasicBlock *before = start->getParent();
  for (const LoopStates &each : states)
    for (unsigned first = 0; first < ops::ReductionLanes;
         first += lanes.lanes) {
      ir.SetInsertPoint(before->getTerminator());
      const StateParts loaded =
          each.load(lanes, each.addresses(lanes, ir.getInt64(first)));
      ir.SetInsertPoint(loop);
      StateParts state;
      for (llvm::Value *part : loaded) {
        llvm::PHINode *phi = ir.CreatePHI(part->getType(), 2, "held");
        phi->addIncoming(part, before);
        state.push_back(phi);
      }
      held.push_back(state);
    }
  heldBefore = held;
}

/// Stores the states as the main loop has them before it takes the elements at
/// `index`, if it holds any.
void KernelBuilder::storeStates(llvm::Value *index) {
  auto state = held.begin();
  for (const LoopStates &each : states)
    for (unsigned first = 0; holdsStates && first < ops::ReductionLanes;
         first += lanes.lanes)
      each.store(lanes,
                 each.addresses(lanes, ir.CreateAdd(index, ir.getInt64(first))),
                 *state++);
}

/// Stores states where the main loop ends.
void KernelBuilder::closeStates() {
  llvm::BasicBlock *latch = ir.GetInsertBlock();
  for (std::size_t i = 0; i < held.size(); ++i)
    for (std::size_t p = 0; p < held[i].size(); ++p)
      llvm::cast<llvm::PHINode>(heldBefore[i][p])
          ->addIncoming(held[i][p], latch);
  auto *close = block("close", tailCheck);
  latch->getTerminator()->replaceSuccessorWith(tailCheck, close);
  ir.SetInsertPoint(close);
  storeStates(whole);
  ir.CreateBr(tailCheck);
}
