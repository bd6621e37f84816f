//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"

#include <numeric>

using namespace kexpr;
using namespace kexpr::codegen;

/// To the tail where a mask is set, and on in a block of its own elsewhere. The
/// index that follows is computed on both ways: over the branch it would take a
/// register beside the index.
void KernelBuilder::emitRedo(llvm::ArrayRef<llvm::Value *> rareMasks,
                             llvm::Value *index) {
  auto *common = block("common", tailCheck), *redo = block("redo", tailEntry);
  setLocationOfRare();
  names.part = "rare";
  llvm::Value *isRare = ir.CreateOrReduce(ir.CreateOr(rareMasks));
  nameResult(isRare, names);
  names.part = {};
  ir.CreateCondBr(isRare, redo, common, unlikely(ir.getContext()));
  setLocation(syntax::Listing::loop());
  ir.SetInsertPoint(redo);
  from->addIncoming(index, redo);
  to->addIncoming(advance(index, "redo.end"), redo);
  ir.CreateBr(tailEntry);
  ir.SetInsertPoint(common);
}

/// Goes on with vectors of fewer lanes: what was computed before has the same
/// in each.
void KernelBuilder::narrow(unsigned fewer) {
  llvm::SmallVector<int> first(fewer);
  std::iota(first.begin(), first.end(), 0);
  for (llvm::Value *&value : invariant)
    if (value && fewer < lanes.lanes)
      value = ir.CreateShuffleVector(value, first, value->getName());
  lanes.lanes = fewer;
}

/// The elements [from, to), at least one, by masked vectors: what the main loop
/// leaves at the end, and what it cannot do the fast way.
void KernelBuilder::emitTail() {
  auto *tail = block("tail");
  ir.SetInsertPoint(tailEntry);
  const bool isRareHere = from->getNumIncomingValues() > 1;
  if (isRareHere || plan.work().wide > 0)
    narrow(tailLanes);
  ir.CreateBr(tail);
  ir.SetInsertPoint(tail);
  llvm::PHINode *at = ir.CreatePHI(ir.getInt64Ty(), 2, "j");
  at->addIncoming(from, tailEntry);
  // At most one step of the main loop is left, so 32 bits hold it.
  llvm::Value *left =
      ir.CreateTrunc(ir.CreateSub(to, at, "rest"), ir.getInt32Ty(), "left");
  llvm::Value *mask =
      ir.CreateICmpSLT(ir.CreateStepVector(lanes.vectorType<std::int32_t>()),
                       ir.CreateVectorSplat(lanes.lanes, left, "left"), "mask");
  names.suffix = ".tail";
  lanes.existing = mask;
  const Position position{at, left, mask};
  store(position, compute(position));
  setCopy(0);
  llvm::Value *next = ir.CreateNUWAdd(at, ir.getInt64(lanes.lanes), "j.next");
  at->addIncoming(next, ir.GetInsertBlock());
  auto *end = block("tail.end");
  ir.CreateCondBr(ir.CreateICmpSLT(next, to, "more"), tail, end);
  ir.SetInsertPoint(end);
}

/// Back to the main loop, if that is where the tail was entered from. By a
/// block in front of it: else the tail would be part of that loop, and LLVM
/// would take no constants out of either.
void KernelBuilder::emitEnd(llvm::BasicBlock *done) {
  if (from->getNumIncomingValues() == 1) {
    ir.CreateBr(done);
    for (llvm::PHINode *only : {from, to}) {
      only->replaceAllUsesWith(only->getIncomingValue(0));
      only->eraseFromParent();
    }
    return;
  }
  auto *resume = block("resume"), *again = block("again", loop);
  ir.CreateCondBr(ir.CreateICmpEQ(to, count, "last"), done, resume);
  ir.SetInsertPoint(resume);
  ir.CreateCondBr(ir.CreateICmpNE(to, whole, "more"), again, tailCheck);
  llvm::BasicBlock *before = index->getIncomingBlock(0u);
  before->getTerminator()->replaceSuccessorWith(loop, again);
  ir.SetInsertPoint(again);
  llvm::PHINode *start = ir.CreatePHI(ir.getInt64Ty(), 2, "start");
  start->addIncoming(index->getIncomingValue(0), before);
  start->addIncoming(to, resume);
  ir.CreateBr(loop);
  index->setIncomingBlock(0, again);
  index->setIncomingValue(0, start);
}
