//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"
#include "CodeGen/LoopShape.h"

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
  if (!start)
    openAgain();
  ir.SetInsertPoint(redo);
  storeStates(index);
  llvm::Value *end = redoEnd(index);
  if (from) {
    from->addIncoming(index, redo);
    to->addIncoming(end, redo);
    ir.CreateBr(tailEntry);
  } else {
    emitSecondBody(index, end);
  }
  ir.SetInsertPoint(common);
}

/// Where the main loop goes on. One of stages is entered some steps on, since
/// what follows is often rare as well, and the stages are filled anew.
llvm::Value *KernelBuilder::redoEnd(llvm::Value *index) {
  if (stages == 1)
    return advance(index, "redo.end");
  constexpr std::int64_t steps = 32;
  const std::int64_t elements = steps * unrollFactor * lanes.lanes;
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                  ir.CreateNUWAdd(index, ir.getInt64(elements)),
                                  whole, nullptr, "redo.end");
}

/// The body with its constants in registers, made in the block before, where it
/// is short enough to be computed in those that are left.
KernelBuilder::Values KernelBuilder::computeHolding(llvm::BasicBlock *before,
                                                    const Position &position) {
  constexpr unsigned mostUsed = 12, longest = 64;
  HeldConstants held{before->getTerminator(),
                     target.vectorRegisters - mostUsed};
  if (level == OptLevel::Optimized && target.vectorRegisters > 16 &&
      plan.rowLength == 0 && plan.work().operations <= longest)
    lanes.held = &held;
  Values values = compute(position);
  lanes.held = nullptr;
  return values;
}

/// What the main loop leaves out with every `rarely` both ways, vector by
/// vector. For a slow way inside another it goes on to the tail, which has
/// that as well.
void KernelBuilder::emitSecondBody(llvm::Value *index, llvm::Value *end) {
  llvm::BasicBlock *redo = ir.GetInsertBlock();
  auto *second = block("second", tailEntry),
       *resume = block("resume", tailEntry);
  ir.CreateBr(second);
  ir.SetInsertPoint(second);
  llvm::PHINode *at = ir.CreatePHI(ir.getInt64Ty(), 2, "r");
  at->addIncoming(index, redo);
  names.suffix = ".second";
  llvm::SmallVector<llvm::Value *> rarerMasks;
  unsigned depth = 0;
  if (!plan.isAlongRows) { // Their tail is no second body.
    lanes.rareMasks = &rarerMasks;
    lanes.rareDepth = &depth;
  }
  const Values values = computeHolding(redo, {at});
  lanes.rareMasks = nullptr;
  lanes.rareDepth = nullptr;
  if (!rarerMasks.empty()) {
    shareTail();
    llvm::Value *isRarer = ir.CreateOrReduce(ir.CreateOr(rarerMasks));
    from->addIncoming(at, ir.GetInsertBlock());
    to->addIncoming(end, ir.GetInsertBlock());
    auto *stored = block("stored", tailEntry);
    ir.CreateCondBr(isRarer, tailEntry, stored, unlikely(ir.getContext()));
    ir.SetInsertPoint(stored);
  }
  store({at}, values);
  setCopy(0);
  hasSecondBody = true;
  llvm::Value *next = ir.CreateNUWAdd(at, ir.getInt64(lanes.lanes), "r.next");
  at->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, end, "more"), second, resume);
  ir.SetInsertPoint(resume);
  resumeAt(end);
}

/// The way back to the main loop, by a block in front of it: else the second
/// body would be part of that loop, and LLVM would take no constants out of
/// either.
void KernelBuilder::openAgain() {
  llvm::IRBuilderBase::InsertPointGuard guard(ir);
  auto *again = block("again", loop);
  llvm::BasicBlock *before = index->getIncomingBlock(0u);
  before->getTerminator()->replaceSuccessorWith(loop, again);
  ir.SetInsertPoint(again);
  start = ir.CreatePHI(ir.getInt64Ty(), 2, "start");
  start->addIncoming(index->getIncomingValue(0), before);
  ir.CreateBr(loop);
  index->setIncomingBlock(0, again);
  index->setIncomingValue(0, start);
}

void KernelBuilder::resumeAt(llvm::Value *end) {
  start->addIncoming(end, ir.GetInsertBlock());
  reopenStates();
  ir.CreateCondBr(ir.CreateICmpNE(end, whole, "more"), start->getParent(),
                  tailCheck);
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

/// The tail is the second body as well where that is long: of doubles, and in
/// code that is to be there soon. It has what a second body leaves out.
void KernelBuilder::shareTail() {
  llvm::IRBuilderBase::InsertPointGuard guard(ir);
  ir.SetInsertPoint(tailEntry);
  from = ir.CreatePHI(ir.getInt64Ty(), 2, "from");
  to = ir.CreatePHI(ir.getInt64Ty(), 2, "to");
}

/// The elements that the main loop leaves, at least one, by masked vectors.
void KernelBuilder::emitTail(llvm::BasicBlock *done) {
  auto *tail = block("tail", done);
  ir.SetInsertPoint(tailEntry);
  const bool isShared = from && !rare.empty();
  if (from && !isShared) {
    from->eraseFromParent();
    to->eraseFromParent();
    from = to = nullptr;
  }
  // Whole vectors where they pay: without doubles or with registers for two of
  // them, and not for the longest slow ways, which would take too long to
  // compile.
  constexpr unsigned most = 512;
  const bool isNarrow = plan.work().wide == 0 && plan.work().rareWide == 0;
  const bool isWhole = from && !rare.empty() && level == OptLevel::Optimized &&
                       (isNarrow || target.vectorRegisters > 16) &&
                       plan.work().rareWide <= most;
  if (!isWhole && (!rare.empty() || computesWide(plan)))
    narrow(tailLanes);
  ir.CreateBr(tail);
  llvm::Value *begin = whole, *end = count;
  if (from) {
    from->addIncoming(whole, tailCheck);
    to->addIncoming(count, tailCheck);
    begin = from;
    end = to;
  }
  ir.SetInsertPoint(tail);
  llvm::PHINode *at = ir.CreatePHI(ir.getInt64Ty(), 2, "j");
  at->addIncoming(begin, tailEntry);
  // A few steps of the main loop are left at most, so 32 bits hold it.
  llvm::Value *left =
      ir.CreateTrunc(ir.CreateSub(end, at, "rest"), ir.getInt32Ty(), "left");
  llvm::Value *mask =
      ir.CreateICmpSLT(ir.CreateStepVector(lanes.vectorType<std::int32_t>()),
                       ir.CreateVectorSplat(lanes.lanes, left, "left"), "mask");
  names.suffix = ".tail";
  lanes.existing = mask;
  const Position position{at, left, mask};
  // Narrow vectors would fetch each line again and again.
  constexpr unsigned enoughLanes = 8;
  if (plan.fetchesAhead() && lanes.lanes >= enoughLanes)
    fetchAhead(position, 0);
  store(position, isShared && !hasSecondBody
                      ? computeHolding(tailEntry, position)
                      : compute(position));
  setCopy(0);
  llvm::Value *next = ir.CreateNUWAdd(at, ir.getInt64(lanes.lanes), "j.next");
  at->addIncoming(next, ir.GetInsertBlock());
  auto *after = isShared ? block("tail.end", done) : done;
  ir.CreateCondBr(ir.CreateICmpSLT(next, end, "more"), tail, after);
  if (!isShared)
    return;
  ir.SetInsertPoint(after);
  auto *resume = block("resume", done);
  ir.CreateCondBr(ir.CreateICmpEQ(end, count, "last"), done, resume);
  ir.SetInsertPoint(resume);
  resumeAt(end);
}
