//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"

#include <llvm/ADT/SmallPtrSet.h>

#include <numeric>

using namespace kexpr;
using namespace kexpr::codegen;

/// Moves what a check does not need behind it, in order: where it fails that
/// would be done in vain.
static void moveBehind(llvm::Value *check, llvm::BasicBlock *before,
                       llvm::BasicBlock *behind) {
  llvm::SmallPtrSet<llvm::Value *, 32> needed;
  llvm::SmallVector<llvm::Value *> left = {check};
  while (!left.empty()) {
    auto *each = llvm::dyn_cast<llvm::Instruction>(left.pop_back_val());
    if (each && each->getParent() == before && needed.insert(each).second)
      left.append(each->op_begin(), each->op_end());
  }
  for (llvm::Instruction &each : llvm::make_early_inc_range(*before))
    if (!llvm::isa<llvm::PHINode>(each) && !each.isTerminator() &&
        !needed.contains(&each))
      each.moveBefore(*behind, behind->end());
}

/// To the second body where a mask is set, and on in a block of its own
/// elsewhere. The index that follows is computed on both ways: over the branch
/// it would take a register beside the index.
void KernelBuilder::emitCheck(llvm::ArrayRef<llvm::Value *> rareMasks,
                              llvm::Value *index) {
  auto *common = block("common", tailCheck), *redo = block("redo", tailEntry);
  setLocationOfRare();
  names.part = "rare";
  llvm::Value *isRare = ir.CreateOrReduce(ir.CreateOr(rareMasks));
  nameResult(isRare, names);
  names.part = {};
  moveBehind(isRare, ir.GetInsertBlock(), common);
  ir.CreateCondBr(isRare, redo, common, unlikely(ir.getContext()));
  setLocation(syntax::Listing::loop());
  ir.SetInsertPoint(redo);
  emitSecondBody(index);
  ir.SetInsertPoint(common);
}

/// Where a loop of stages that was left is entered again: some steps on, since
/// what follows is often rare as well, and the stages are filled anew.
llvm::Value *KernelBuilder::redoEnd(llvm::Value *index) {
  constexpr std::int64_t steps = 16;
  const std::int64_t elements = steps * unrollFactor * lanes.lanes;
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                  ir.CreateNUWAdd(index, ir.getInt64(elements)),
                                  whole, nullptr, "redo.end");
}

/// A step of the main loop with every `rarely` both ways, vector by vector, and
/// back to the main loop. By a block in front of it: else this would be part of
/// that loop, and LLVM would take no constants out of either.
void KernelBuilder::emitSecondBody(llvm::Value *index) {
  llvm::BasicBlock *redo = ir.GetInsertBlock();
  auto *second = block("second", tailEntry),
       *resume = block("resume", tailEntry), *again = block("again", loop);
  llvm::Value *end = stages == 1 ? advance(index, "redo.end") : redoEnd(index);
  ir.CreateBr(second);
  ir.SetInsertPoint(second);
  llvm::PHINode *at = ir.CreatePHI(ir.getInt64Ty(), 2, "r");
  at->addIncoming(index, redo);
  names.suffix = ".second";
  store({at}, compute({at}));
  setCopy(0);
  llvm::Value *next = ir.CreateNUWAdd(at, ir.getInt64(lanes.lanes), "r.next");
  at->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, end, "more"), second, resume);
  ir.SetInsertPoint(resume);
  ir.CreateCondBr(ir.CreateICmpNE(end, whole, "more"), again, tailCheck);
  llvm::BasicBlock *before = this->index->getIncomingBlock(0u);
  before->getTerminator()->replaceSuccessorWith(loop, again);
  ir.SetInsertPoint(again);
  llvm::PHINode *start = ir.CreatePHI(ir.getInt64Ty(), 2, "start");
  start->addIncoming(this->index->getIncomingValue(0), before);
  start->addIncoming(end, resume);
  ir.CreateBr(loop);
  this->index->setIncomingBlock(0, again);
  this->index->setIncomingValue(0, start);
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

/// The elements that the main loop leaves, at least one, by masked vectors.
void KernelBuilder::emitTail(llvm::BasicBlock *done) {
  auto *tail = block("tail", done);
  ir.SetInsertPoint(tailEntry);
  if (!rare.empty() || plan.work().wide > 0)
    narrow(tailLanes);
  ir.CreateBr(tail);
  ir.SetInsertPoint(tail);
  llvm::PHINode *at = ir.CreatePHI(ir.getInt64Ty(), 2, "j");
  at->addIncoming(whole, tailEntry);
  // At most one step of the main loop is left, so 32 bits hold it.
  llvm::Value *left =
      ir.CreateTrunc(ir.CreateSub(count, at, "rest"), ir.getInt32Ty(), "left");
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
  ir.CreateCondBr(ir.CreateICmpSLT(next, count, "more"), tail, done);
}
