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
#include <cassert>
#include <utility>

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
    const auto waiting = chosen.begin() + number * vectors;
    for (llvm::Value *row : elements) {
      if (taking.chooses() && !waiting->empty())
        row = taking.step(lanes, *waiting, row)[0];
      if (taking.chooses() && *copy + vectors < unrollFactor)
        *waiting = {row};
      else
        *first = taking.step(lanes, *first, row);
    }
    if (*copy + vectors >= unrollFactor)
      waiting->clear();
    std::rotate(first, first + 1, first + vectors);
    std::rotate(waiting, waiting + 1, waiting + vectors);
  } else {
    taking.take(lanes, at, elements);
  }
  names.part = {};
}

/// Begins the loop over rows of a folded plan.
void KernelBuilder::openRows() {
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *rows = block("rows");
  ir.CreateBr(rows);
  ir.SetInsertPoint(rows);
  row = ir.CreatePHI(ir.getInt64Ty(), 2, "row");
  row->addIncoming(ir.getInt64(0), before);
}

/// Ends it.
void KernelBuilder::closeRows() {
  llvm::Value *next = ir.CreateNUWAdd(row, ir.getInt64(1), "row.next");
  const LoopArrays arrays{function->getArg(1), function->getArg(2)};
  const auto number =
      static_cast<unsigned>(2 * (plan.outputs.size() + plan.inputs.size()));
  llvm::Value *rows = arrays.stride(ir, number, "rows");
  row->addIncoming(next, ir.GetInsertBlock());
  auto *end = block("end");
  ir.CreateCondBr(ir.CreateICmpSLT(next, rows, "more"), row->getParent(), end);
  ir.SetInsertPoint(end);
}

/// Makes memory for the states of a folded plan, which are those of no elements
/// in it unless the main loop has others.
void KernelBuilder::makeStates() {
  assert(llvm::all_of(states, [this](const LoopStates &each) {
    return each.isFolded() == plan.isFolded();
  }));
  for (LoopStates &each : states)
    if (each.isFolded())
      each.open(lanes);
  if (!holdsStates)
    resetStates();
}

void KernelBuilder::resetStates() {
  for (const LoopStates &each : states)
    if (each.isFolded())
      each.reset(lanes);
}

std::vector<StateParts> KernelBuilder::loadStates() {
  std::vector<StateParts> loaded;
  for (const LoopStates &each : states)
    for (unsigned first = 0; first < ops::ReductionLanes; first += lanes.lanes)
      loaded.push_back(
          each.load(lanes, each.addresses(lanes, ir.getInt64(first))));
  return loaded;
}

/// Has states where the main loop begins: those in memory, or at first none of
/// any elements.
void KernelBuilder::openStates() {
  llvm::IRBuilderBase::InsertPointGuard guard(ir);
  llvm::BasicBlock *again = start->getParent();
  if (plan.isFolded()) {
    ir.SetInsertPoint(again, again->begin());
    for (const LoopStates &each : states)
      for (unsigned first = 0; first < ops::ReductionLanes;
           first += lanes.lanes) {
        StateParts state;
        for (llvm::Value *none : each.identity(lanes)) {
          llvm::PHINode *phi = ir.CreatePHI(none->getType(), 2, "opened");
          phi->addIncoming(none, start->getIncomingBlock(0u));
          state.push_back(phi);
        }
        opened.push_back(state);
      }
    held = opened;
  } else {
    ir.SetInsertPoint(again->getTerminator());
    held = loadStates();
  }
  ir.SetInsertPoint(loop);
  for (StateParts &state : held)
    for (llvm::Value *&part : state) {
      llvm::PHINode *phi = ir.CreatePHI(part->getType(), 2, "held");
      phi->addIncoming(part, again);
      part = phi;
    }
  heldBefore = held;
  chosen.assign(held.size(), {});
}

/// Has the main loop of a folded plan begin again with those in memory.
void KernelBuilder::reopenStates() {
  if (opened.empty())
    return;
  // A tail may have had narrower vectors.
  const unsigned before = std::exchange(lanes.lanes, rowLanes);
  const std::vector<StateParts> loaded = loadStates();
  lanes.lanes = before;
  for (auto [state, parts] : llvm::zip_equal(opened, loaded))
    for (auto [phi, part] : llvm::zip_equal(state, parts))
      llvm::cast<llvm::PHINode>(phi)->addIncoming(part, ir.GetInsertBlock());
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

/// Stores states where the main loop ends, unless they are there to be folded.
void KernelBuilder::closeStates() {
  llvm::BasicBlock *latch = ir.GetInsertBlock();
  for (std::size_t i = 0; i < held.size(); ++i)
    for (std::size_t p = 0; p < held[i].size(); ++p)
      llvm::cast<llvm::PHINode>(heldBefore[i][p])
          ->addIncoming(held[i][p], latch);
  auto *close = block("close", tailCheck);
  latch->getTerminator()->replaceSuccessorWith(tailCheck, close);
  ir.SetInsertPoint(close);
  if (plan.isFolded()) {
    closing = close;
    fold = block("fold", tailCheck);
    auto *left = block("left", tailCheck);
    llvm::Value *isAll = ir.CreateICmpEQ(whole, count, "all");
    if (unrollFactor * lanes.lanes % ops::ReductionLanes != 0)
      isAll = ir.CreateAnd(
          isAll,
          ir.CreateICmpEQ(
              ir.CreateAnd(count, ir.getInt64(ops::ReductionLanes - 1)),
              ir.getInt64(0), "even"),
          "all");
    ir.CreateCondBr(isAll, fold, left);
    ir.SetInsertPoint(left);
  }
  storeStates(whole);
  ir.CreateBr(tailCheck);
}

/// Folds the states of a folded plan where they are.
void KernelBuilder::foldStates() {
  if (!plan.isFolded())
    return;
  std::vector<StateParts> vectors = loadStates();
  if (fold) {
    llvm::BasicBlock *loading = ir.GetInsertBlock();
    ir.CreateBr(fold);
    ir.SetInsertPoint(fold);
    for (auto [state, parts] : llvm::zip_equal(vectors, held))
      for (auto [part, heldPart] : llvm::zip_equal(state, parts)) {
        llvm::PHINode *phi = ir.CreatePHI(part->getType(), 2, "folded");
        phi->addIncoming(part, loading);
        phi->addIncoming(heldPart, closing);
        part = phi;
      }
  }
  llvm::MutableArrayRef<StateParts> left = vectors;
  const std::size_t each = ops::ReductionLanes / lanes.lanes;
  for (const LoopStates &folding : states) {
    folding.close(lanes, left.take_front(each));
    left = left.drop_front(each);
  }
}
