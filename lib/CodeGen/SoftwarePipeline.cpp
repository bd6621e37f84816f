//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/SoftwarePipeline.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <cassert>

using namespace kexpr;
using namespace kexpr::codegen;
using llvm::Instruction;

/// Cycles, as on most cores.
static unsigned latencyOf(const Instruction &each) {
  switch (each.getOpcode()) {
  case Instruction::Load:
    return 6;
  case Instruction::FDiv:
    return 13;
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FCmp:
  case Instruction::SIToFP:
  case Instruction::FPToSI:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    return 4;
  case Instruction::Call:
    return llvm::cast<llvm::IntrinsicInst>(each).getIntrinsicID() ==
                   llvm::Intrinsic::sqrt
               ? 15
               : 4;
  case Instruction::BitCast:
  case Instruction::FNeg:
    return 0;
  default:
    return 1;
  }
}

/// Whether it is done anew in each stage that needs it: part of an address, or
/// of the instruction that it is for.
static bool isCopied(const Instruction &each) {
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::CallInst>(each))
    return false;
  const llvm::Type *type = each.getType();
  return !type->isVectorTy() || type->getScalarType()->isIntegerTy(1) ||
         each.getOpcode() == Instruction::FNeg ||
         each.getOpcode() == Instruction::BitCast;
}

static bool isCallOf(const Instruction &each, llvm::Intrinsic::ID intrinsic) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
  return call && call->getIntrinsicID() == intrinsic;
}

static bool isLoad(const Instruction &each) {
  return llvm::isa<llvm::LoadInst>(each) ||
         isCallOf(each, llvm::Intrinsic::masked_load);
}

/// The operands of both kinds begin with what is stored, and where.
static bool isStore(const Instruction &each) {
  return llvm::isa<llvm::StoreInst>(each) ||
         isCallOf(each, llvm::Intrinsic::masked_store);
}

static bool isBody(const Instruction &each) {
  return !llvm::isa<llvm::PHINode>(each) && !each.isTerminator();
}

namespace {

class SoftwarePipeline {
public:
  explicit SoftwarePipeline(const StepLoop &loop)
      : loop(loop), head(*loop.index->getParent()),
        before(loop.index->getIncomingBlock(0u)),
        latch(*loop.index->getIncomingBlock(1u)),
        next(llvm::cast<Instruction>(loop.index->getIncomingValue(1u))) {}

  unsigned run(unsigned wanted);

private:
  bool hasCheck() const { return &head != &latch; }
  bool hasPrologue() const {
    return !hasCheck() && (!loop.states.empty() || !held.empty());
  }
  /// Whether it loads or stores states.
  bool isOfStates(const Instruction &each) const {
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&each);
    return address &&
           llvm::is_contained(loop.states, llvm::getUnderlyingObject(address));
  }
  bool divides() const {
    return llvm::any_of(body, [](const Instruction *each) {
      return each->getOpcode() == Instruction::FDiv;
    });
  }
  bool isPossible() const;
  void measure();
  void delay();
  void findLast();
  void assignStages();
  void needIn(unsigned stage, const llvm::Value *value,
              llvm::DenseMap<const llvm::Value *, unsigned> &last) const;
  unsigned carriedRegisters() const;
  void countOn();
  void rebuild();
  void addPrologue();
  void place(Instruction *each, Instruction *where);
  /// To the stack, as long as there is nothing to store.
  void divert(Instruction *store);
  llvm::Value *behind(unsigned stage);
  /// A value of the elements that a stage works on.
  llvm::Value *in(unsigned stage, llvm::Value *value, Instruction *where);
  /// A value as it was so many iterations ago.
  llvm::Value *delayed(llvm::Value *value, unsigned iterations);

  const StepLoop &loop;
  /// States that are in registers.
  llvm::SmallVector<llvm::PHINode *> held;
  llvm::BasicBlock &head, *before, &latch;
  Instruction *next;
  unsigned stages = 1;
  /// What is in one stage alone, in order, and the cycle in which each could
  /// begin if all were there for it, out of so many.
  std::vector<Instruction *> body;
  std::vector<unsigned> starts;
  unsigned total = 1;
  llvm::DenseSet<const llvm::Value *> mustBeLast;
  /// What reads from where the same step stores, and what depends on it.
  llvm::DenseSet<const llvm::Value *> behindStores;
  llvm::DenseMap<llvm::Value *, unsigned> stageOf;
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> copies,
      delays;
  /// Of the elements that are loaded, and of the last ones.
  llvm::Value *first = nullptr, *last = nullptr;
  /// What is computed of the index of the loop itself.
  llvm::DenseSet<const llvm::Value *> ofIndex;
  /// Whether the last stage has elements.
  llvm::Value *isFilled = nullptr;
};

} // namespace

bool SoftwarePipeline::isPossible() const {
  for (const llvm::BasicBlock *block : {&head, &latch})
    for (const Instruction &each : *block) {
      if (each.isIntDivRem())
        return false;
      if (hasCheck() && isStore(each) &&
          (!each.getOperand(0)->getType()->isVectorTy() ||
           each.getMetadata(llvm::LLVMContext::MD_nontemporal)))
        return false;
    }
  return true;
}

void SoftwarePipeline::measure() {
  for (llvm::PHINode &phi : head.phis())
    if (&phi != loop.index)
      held.push_back(&phi);
  llvm::DenseMap<llvm::Value *, unsigned> ready;
  auto look = [&](Instruction &each) {
    if (!isBody(each))
      return;
    unsigned start = 0;
    for (llvm::Value *operand : each.operands())
      start = std::max(start, ready.lookup(operand));
    ready[&each] = start + latencyOf(each);
    total = std::max(total, ready[&each]);
    const bool isChecked = hasCheck() && each.getParent() == &head;
    if (isChecked || !isCopied(each)) {
      body.push_back(&each);
      starts.push_back(isChecked ? 0 : start);
    }
  };
  llvm::for_each(head, look);
  if (hasCheck())
    llvm::for_each(latch, look);
  if (hasPrologue())
    delay();
}

/// Has everything begin as late as it could, so that few values wait.
void SoftwarePipeline::delay() {
  llvm::DenseMap<const llvm::Value *, unsigned> begin;
  for (Instruction &each : llvm::reverse(head)) {
    unsigned end = total;
    for (const llvm::User *user : each.users())
      if (const auto found = begin.find(user); found != begin.end())
        end = std::min(end, found->second);
    begin[&each] = end - std::min(end, latencyOf(each));
  }
  for (std::size_t i = 0; i < body.size(); ++i)
    starts[i] = begin.lookup(body[i]);
}

/// Finds what the last stage must do: stores, what reads from where they store,
/// and what depends on that or on states.
void SoftwarePipeline::findLast() {
  llvm::DenseSet<const llvm::Value *> stored;
  auto look = [&](const Instruction &each) {
    if (isStore(each))
      stored.insert(each.getOperand(1));
    const auto isBehind = [this](const llvm::Value *operand) {
      return behindStores.contains(operand);
    };
    if (llvm::any_of(each.operands(), isBehind) ||
        (isLoad(each) &&
         stored.contains(each.getOperand(0)->stripInBoundsConstantOffsets())))
      behindStores.insert(&each);
    if (isBody(each) &&
        (isStore(each) || isOfStates(each) || behindStores.contains(&each) ||
         llvm::any_of(each.operands(), [this](const llvm::Value *operand) {
           return mustBeLast.contains(operand) ||
                  llvm::is_contained(held, operand);
         })))
      mustBeLast.insert(&each);
  };
  llvm::for_each(head, look);
  if (hasCheck())
    llvm::for_each(latch, look);
}

void SoftwarePipeline::assignStages() {
  for (std::size_t i = 0; i < body.size(); ++i)
    stageOf[body[i]] = mustBeLast.contains(body[i]) ? stages - 1
                       : isLoad(*body[i]) && !hasPrologue()
                           ? 0
                           : std::min(starts[i] * stages / total, stages - 1);
}

/// Notes the last stage that needs each value, by way of what is copied.
void SoftwarePipeline::needIn(
    unsigned stage, const llvm::Value *value,
    llvm::DenseMap<const llvm::Value *, unsigned> &last) const {
  const auto *each = llvm::dyn_cast<Instruction>(value);
  if (!each || llvm::isa<llvm::PHINode>(each))
    return;
  unsigned &known = last[each];
  if (known > stage)
    return;
  known = stage;
  if (isCopied(*each))
    for (const llvm::Value *operand : each->operands())
      needIn(stage, operand, last);
}

/// Registers that hold values from one iteration to the next.
unsigned SoftwarePipeline::carriedRegisters() const {
  llvm::DenseMap<const llvm::Value *, unsigned> last;
  for (Instruction *each : body)
    for (const llvm::Value *operand : each->operands())
      needIn(stageOf.lookup(each), operand, last);
  unsigned registers = 0;
  for (Instruction *each : body)
    if (each->getType()->isVectorTy() && !isCopied(*each)) {
      const unsigned bits = static_cast<unsigned>(
          each->getType()->getPrimitiveSizeInBits().getFixedValue());
      const unsigned stage = stageOf.lookup(each);
      registers += (std::max(last.lookup(each), stage) - stage) *
                   std::max(1u, bits / loop.registerBits);
    }
  return registers;
}

/// More iterations, whose index stays that of the last elements.
void SoftwarePipeline::countOn() {
  llvm::IRBuilder<> ir(before->getTerminator());
  llvm::Value *more = ir.getInt64((stages - 1) * loop.step);
  last = ir.CreateSub(loop.whole, ir.getInt64(loop.step), "last");
  llvm::Value *stop = ir.CreateAdd(loop.whole, more, "stop");
  llvm::cast<Instruction>(latch.getTerminator()->getOperand(0))
      ->replaceUsesOfWith(loop.whole, stop);
  ir.SetInsertPoint(&head, head.getFirstNonPHIIt());
  first = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, loop.index, last,
                                   nullptr, "first");
  ofIndex.insert(first);
  ofIndex.insert(next);
  if (!hasCheck())
    return;
  assert(held.empty());
  ir.SetInsertPoint(before->getTerminator());
  llvm::Value *fill = ir.CreateAdd(loop.index->getIncomingValue(0u), more);
  ir.SetInsertPoint(&latch, latch.getFirstNonPHIIt());
  isFilled = ir.CreateICmpUGE(loop.index, fill, "filled");
  ofIndex.insert(isFilled);
}

llvm::Value *SoftwarePipeline::delayed(llvm::Value *value,
                                       unsigned iterations) {
  if (iterations == 0)
    return value;
  if (llvm::Value *made = delays.lookup({value, iterations}))
    return made;
  auto *phi = llvm::PHINode::Create(value->getType(), 2,
                                    value->getName() + ".late", head.begin());
  delays[{value, iterations}] = phi;
  phi->setDebugLoc(llvm::cast<Instruction>(value)->getDebugLoc());
  phi->addIncoming(value == first
                       ? loop.index->getIncomingValue(0u)
                       : llvm::Constant::getNullValue(value->getType()),
                   before);
  phi->addIncoming(delayed(value, iterations - 1), &latch);
  return phi;
}

/// Where the elements of a stage begin, of a loop that has a prologue.
llvm::Value *SoftwarePipeline::behind(unsigned stage) {
  llvm::Value *&made = copies[{loop.index, stage}];
  if (!made) {
    llvm::IRBuilder<> ir(llvm::cast<Instruction>(first)->getNextNode());
    made = ir.CreateSub(loop.index, ir.getInt64(stage * loop.step), "i.late");
    ofIndex.insert(made);
    if (stage + 1 < stages)
      made = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, made, last,
                                      nullptr, "i.late");
  }
  return made;
}

llvm::Value *SoftwarePipeline::in(unsigned stage, llvm::Value *value,
                                  Instruction *where) {
  if (value == loop.index)
    return hasPrologue() && stage > 0 ? behind(stage) : delayed(first, stage);
  if (llvm::is_contained(held, value))
    return value;
  auto *each = llvm::dyn_cast<Instruction>(value);
  if (!each || (each->getParent() != &head && each->getParent() != &latch))
    return value;
  const auto found = stageOf.find(each);
  const bool isStaged = found != stageOf.end();
  if (isStaged && (found->second == stage || !isCopied(*each)))
    return delayed(each, stage - found->second);
  if (llvm::Value *made = copies.lookup({each, stage}))
    return made;
  Instruction *copy = each->clone();
  copy->setName(each->getName());
  for (llvm::Use &operand : copy->operands())
    operand.set(in(stage, operand.get(), where));
  copy->insertInto(where->getParent(), where->getIterator());
  copies[{each, stage}] = copy;
  return copy;
}

void SoftwarePipeline::place(Instruction *each, Instruction *where) {
  const unsigned stage = stageOf[each];
  std::vector<llvm::Value *> operands;
  for (llvm::Use &operand : each->operands())
    operands.push_back(in(stage, operand.get(), where));
  for (unsigned i = 0; i < operands.size(); ++i)
    each->setOperand(i, operands[i]);
  each->moveBefore(*where->getParent(), where->getIterator());
  if (isStore(*each) && hasCheck())
    divert(each);
}

void SoftwarePipeline::divert(Instruction *store) {
  llvm::BasicBlock &entry = head.getParent()->getEntryBlock();
  llvm::IRBuilder<> ir(&entry, entry.getFirstNonPHIIt());
  auto *scratch =
      ir.CreateAlloca(store->getOperand(0)->getType(), nullptr, "scratch");
  scratch->setAlignment(llvm::Align(16));
  ir.SetInsertPoint(store);
  store->setOperand(1,
                    ir.CreateSelect(isFilled, store->getOperand(1), scratch));
}

/// Does the iterations in which the last stage has no elements before the loop,
/// as far as they make something for it.
void SoftwarePipeline::addPrologue() {
  auto *prologue = llvm::BasicBlock::Create(head.getContext(), "prologue",
                                            head.getParent(), &head);
  llvm::IRBuilder<> ir(prologue);
  llvm::DenseMap<const llvm::Value *, llvm::Value *> made;
  const auto find = [&made](llvm::Value *value) {
    const auto found = made.find(value);
    return found == made.end() ? value : found->second;
  };
  for (llvm::PHINode &phi : head.phis())
    made[&phi] = phi.getIncomingValueForBlock(before);
  for (unsigned filled = 1; filled < stages; ++filled) {
    for (const Instruction &each : head) {
      if (!isBody(each) || each.getType()->isVoidTy())
        continue;
      Instruction *copy = ir.Insert(each.clone(), each.getName());
      for (llvm::Use &operand : copy->operands())
        operand.set(find(operand.get()));
      made[&each] = copy;
    }
    llvm::SmallVector<std::pair<const llvm::PHINode *, llvm::Value *>> late;
    for (llvm::PHINode &phi : head.phis())
      if (!llvm::is_contained(held, &phi))
        late.emplace_back(&phi, find(phi.getIncomingValueForBlock(&head)));
    for (const auto &[phi, value] : late)
      made[phi] = value;
  }
  ir.CreateBr(&head);
  before->getTerminator()->replaceSuccessorWith(&head, prologue);
  for (llvm::PHINode &phi : head.phis()) {
    const auto from = static_cast<unsigned>(phi.getBasicBlockIndex(before));
    phi.setIncomingBlock(from, prologue);
    phi.setIncomingValue(from, made[&phi]);
  }
  for (Instruction &each : llvm::make_early_inc_range(llvm::reverse(*prologue)))
    if (llvm::isInstructionTriviallyDead(&each))
      each.eraseFromParent();
}

/// Loads first, stores and what is behind them last; between them the stages in
/// turns.
void SoftwarePipeline::rebuild() {
  std::vector<Instruction *> old;
  for (Instruction &each : latch)
    if (isBody(each) && &each != first && &each != next)
      old.push_back(&each);
  std::vector<std::vector<Instruction *>> parts(stages);
  std::vector<Instruction *> stores;
  for (Instruction *each : body)
    if (hasCheck() && each->getParent() == &head)
      place(each, head.getTerminator());
    else if (isStore(*each) || behindStores.contains(each))
      stores.push_back(each);
    else if (isLoad(*each) && !isOfStates(*each))
      place(each, next);
    else
      parts[stageOf[each]].push_back(each);
  std::size_t longest = 0;
  for (const auto &part : parts)
    longest = std::max(longest, part.size());
  std::vector<std::size_t> done(stages);
  for (std::size_t i = 1; i <= longest; ++i)
    for (unsigned stage = stages; stage-- > 0;)
      while (done[stage] < parts[stage].size() &&
             done[stage] * longest < i * parts[stage].size())
        place(parts[stage][done[stage]++], next);
  for (Instruction *each : stores)
    place(each, next);
  for (Instruction *each : llvm::reverse(old))
    if (each->use_empty() && isCopied(*each))
      each->eraseFromParent();
}

/// In as many stages as leave registers for the rest. The limit was found on
/// Zen 4, with 16 and 32 registers: a little may be spilled. Where there are
/// 16, what is checked has vectors, too (Zen 3): three stages are enough, and
/// with no division to wait for less is spilled.
unsigned SoftwarePipeline::run(unsigned wanted) {
  if (!isPossible())
    return 1;
  measure();
  findLast();
  unsigned most = 12 + loop.registers * 3 / 8;
  if (hasCheck() && loop.registers <= 16) {
    wanted = std::min(wanted, 3u);
    most -= divides() ? 0 : 3;
  }
  for (stages = wanted; stages > 1; --stages) {
    assignStages();
    if (carriedRegisters() <= most)
      break;
  }
  if (stages == 1)
    return 1;
  countOn();
  rebuild();
  // Where the check leads to: what is not stored yet begins with the last
  // stage.
  for (llvm::Use &use : llvm::make_early_inc_range(loop.index->uses())) {
    auto *user = llvm::cast<Instruction>(use.getUser());
    if (ofIndex.contains(user))
      continue;
    use.set(llvm::isa<llvm::PHINode>(user) ? delayed(first, stages - 1)
                                           : first);
  }
  if (hasPrologue())
    addPrologue();
  return stages;
}

unsigned codegen::pipelineLoop(const StepLoop &loop, unsigned stages) {
  return stages > 1 ? SoftwarePipeline(loop).run(stages) : 1;
}

void codegen::staggerElements(llvm::BasicBlock &body, unsigned elements) {
  unsigned loads = 0, operations = 0;
  std::vector<Instruction *> all;
  for (Instruction &each : body)
    if (isBody(each)) {
      all.push_back(&each);
      if (isLoad(each))
        ++loads;
      else if (!isCopied(each) && !isStore(each))
        ++operations;
    }
  if (loads == 0 || loads % elements != 0)
    return;
  llvm::DenseMap<const llvm::Value *, unsigned> starts, ready;
  unsigned before = 0;
  for (const Instruction *each : all) {
    unsigned start = 0;
    // Elements are loaded one after the other, and all of one at once: where
    // it is stored may be one of these.
    if (isLoad(*each))
      start = before++ / (loads / elements) * operations / (2 * elements);
    for (const llvm::Value *operand : each->operands())
      start = std::max(start, ready.lookup(operand));
    starts[each] = start;
    ready[each] = start + latencyOf(*each);
  }
  llvm::stable_sort(all,
                    [&](const Instruction *left, const Instruction *right) {
                      return starts.lookup(left) < starts.lookup(right);
                    });
  for (Instruction *each : all)
    each->moveBefore(body, body.getTerminator()->getIterator());
}
