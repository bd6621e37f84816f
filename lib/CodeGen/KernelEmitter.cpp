//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelEmitter.h"

#include "Code/Features.h"
#include "CodeGen/KernelBuilder.h"
#include "CodeGen/LlvmVersion.h"
#include "CodeGen/LoopShape.h"
#include "CodeGen/Operators.h"
#include "CodeGen/SoftwarePipeline.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::Access;
using semantics::AccessPattern;
using semantics::Plan;
using semantics::ValueKind;

KernelBuilder::KernelBuilder(llvm::Module &module, const Plan &plan,
                             const Target &target, OptLevel level)
    : module(module), plan(plan), target(target),
      unrollFactor(unrollFactorOf(plan, target, level)), level(level),
      stages(stagesOf(plan, target, level)),
      holdsStates(codegen::holdsStates(plan, target, level)),
      tailLanes(tailLanesOf(plan, target)), rowLanes(lanesOf(plan, target)),
      ir(module.getContext(), llvm::ConstantFolder(), Naming(names)),
      lanes{ir,
            plan.isAlongRows ? rowsAtOnce(plan, target, level) : rowLanes,
            target.hasHalf,
            target.hasExponents ? vectorBitsOf(plan, target) : 0,
            target.hasPermute,
            target.scalesSlowly,
            target.maskedBytes,
            target.maskedBits,
            names} {
  lanes.multipliesToAdd = target.convertsWhereItAdds &&
                          level == OptLevel::Optimized &&
                          !plan.hasLongElements();
  makeFunction();
  if (plan.listing)
    debug.emplace(*function, *plan.listing);
  setLocation(syntax::Listing::loop());
}

void KernelBuilder::setLocationOf(semantics::ValueId value) {
  if (debug)
    setLocation(plan.listing->nodes[plan.graph.origins[value]]);
}

/// Location of the check whether a step must be done again: that of the
/// operator with a slow way, or of the loop if there are several.
void KernelBuilder::setLocationOfRare() {
  if (rare.size() == 1)
    setLocationOf(*rare.begin());
  else
    setLocation(syntax::Listing::loop());
}

/// Selects the copy of the body in the main loop that code is emitted for.
void KernelBuilder::setCopy(unsigned copy) {
  names.suffix = copy ? '.' + std::to_string(copy) : "";
}

void KernelBuilder::makeFunction() {
  auto *type = llvm::FunctionType::get(
      ir.getVoidTy(), {ir.getInt64Ty(), ir.getPtrTy(), ir.getPtrTy()}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                    KernelSymbol, module);
  const unsigned used = vectorBitsOf(plan, target);
  const std::string bits = std::to_string(used);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty())
    function->addFnAttr("target-features", target.features);
  // Both are needed for 512-bit vectors on CPUs that prefer 256.
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  // LLVM would spill vectors to wherever a caller's stack happens to be: over
  // two lines in most processes, and two pages, which takes far longer, in
  // some.
  if (target.architecture() == code::X86 && maySpill(plan, level))
    function->addFnAttr("stackrealign");
  // Vectors of Arm's that are longer than NEON's: of one length where all of
  // the machine's are used, else of at least so much.
  constexpr unsigned fixed = 128;
  if (target.scalableBits && used > fixed)
    function->addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
        module.getContext(), used / fixed,
        used == target.scalableBits ? used / fixed : 0));
  function->getArg(0)->setName("count");
  function->getArg(1)->setName("pointers");
  function->getArg(2)->setName("strides");
  count = function->getArg(0);
}

void KernelBuilder::makeArguments() {
  const LoopArrays arrays{
      function->getArg(1), function->getArg(2), row,
      static_cast<unsigned>(plan.outputs.size() + plan.inputs.size())};
  unsigned number = 0;
  for (const Access &access : plan.outputs) {
    const auto name = "out" + std::to_string(number);
    if (access.reducing && access.reducing->goesOn)
      ++number;
    else if (access.reducing)
      states.emplace_back(lanes, access, arrays, number++, name);
    else
      outputs.emplace_back(lanes, access, arrays, number++, name);
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const auto name = "x" + std::to_string(plan.graph.inputs[i]);
    inputs.emplace_back(lanes, plan.inputs[i], arrays, number++, name);
  }
  for (const semantics::Value &value : plan.graph.values)
    if (value.kind == ValueKind::Parameter)
      parameters.emplace_back(
          lanes, Access{value.type, AccessPattern::Constant}, arrays,
          number + value.input, "p" + std::to_string(value.input));
  if (plan.isFolded())
    findAhead(arrays);
}

/// Finds how far on operands are fetched: by rows, or by a page in loops that
/// are the first to read their rows, as most processors look no further by
/// themselves. So are the lines of what is stored: stores wait for theirs one
/// after the other, and what the loop does next waits with them.
void KernelBuilder::findAhead(const LoopArrays &arrays) {
  const bool areRows = plan.fetchesAhead();
  llvm::Value *rows =
      areRows ? arrays.stride(ir, 2 * arrays.rowSteps + 1, "rows.ahead")
              : nullptr;
  const auto bytesOf = [&](std::size_t number) -> llvm::Value * {
    const auto step = arrays.rowSteps + static_cast<unsigned>(number);
    return areRows ? ir.CreateMul(rows, arrays.stride(ir, step, "row.step"),
                                  "ahead")
                   : ir.getInt64(PageBytes);
  };
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (!plan.outputs[i].reducing)
      aheadOfStores.push_back(
          plan.outputs[i].pattern == AccessPattern::Contiguous && !plan.streams
              ? bytesOf(i)
              : nullptr);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    // What is read twice is of rows that follow each other.
    const auto &operands = plan.graph.inputs;
    const auto here = operands.begin() + static_cast<std::ptrdiff_t>(i);
    const bool isOperand = *here < semantics::Graph::FirstValue &&
                           std::find(operands.begin(), here, *here) == here;
    ahead.push_back(isOperand && !plan.inputs[i].isKept &&
                            (areRows || fetchesPages(plan, target)) &&
                            plan.inputs[i].pattern == AccessPattern::Contiguous
                        ? bytesOf(plan.outputs.size() + i)
                        : nullptr);
  }
}

/// Of a copy of the body, unless the copy before has fetched its lines. Rows
/// are more than the first cache keeps until their turn comes.
void KernelBuilder::fetchAhead(const Position &at, unsigned copy) {
  const auto fetch = [&](const std::vector<LoopArgument> &arguments,
                         const Values &bytes, FetchInto cache) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] &&
          copy * lanes.lanes * arguments[i].elementBytes() % LineBytes == 0)
        arguments[i].fetch(lanes, at, bytes[i], cache);
  };
  fetch(inputs, ahead,
        plan.fetchesAhead() ? FetchInto::Second : FetchInto::First);
  fetch(outputs, aheadOfStores, FetchInto::Second);
}

llvm::Value *KernelBuilder::call(const semantics::Value &value,
                                 OneOfEach values) {
  llvm::Value *args[ops::MaxArity];
  unsigned arity = 0;
  for (semantics::ValueId arg : plan.graph.args(value))
    args[arity++] = values[arg];
  names.part = ops::allOperators()[value.op].info.name;
  llvm::Value *result =
      emitters(plan.arithmeticOf(value))[value.op](lanes, args);
  nameResult(result, names);
  names.part = {};
  return result;
}

KernelBuilder::Values KernelBuilder::compute(const Position &at) {
  columns.clear();
  if (plan.rowLength > 0)
    return parts              ? computeInParts(at)
           : plan.isAlongRows ? computeAlongRows(at.index)
                              : computeRows(at);
  Values values;
  for (semantics::ValueId id = 0; id < plan.graph.values.size(); ++id) {
    const std::size_t before = rareCount();
    values.push_back(invariant[id] ? invariant[id] : value(id, at, values));
    if (rareCount() > before)
      rare.insert(id);
  }
  return values;
}

llvm::Value *KernelBuilder::convert(const semantics::Value &value,
                                    OneOfEach values) {
  names.part = nameOf(value.type);
  llvm::Value *result = emitConversion(
      lanes, values[value.args[0]], plan.graph.computedType(value), value.type);
  nameResult(result, names);
  names.part = {};
  return result;
}

/// Elements of an operand. Of one in rows all are loaded with the first.
llvm::Value *KernelBuilder::input(std::uint32_t number, const Position &at,
                                  unsigned element) {
  if (plan.inputs[number].pattern == AccessPattern::Row)
    return inputs[number].loadElement(lanes, ir.getInt64(element));
  if (!inputs[number].isInRows())
    return inputs[number].load(lanes, at);
  auto &row = columns[number];
  if (row.empty()) {
    // Memory does not answer in the time that short bodies take for a page.
    const bool isLong = plan.hasLongBody();
    row = inputs[number].loadRows(
        lanes, at, plan.rowLength, isLong ? PageBytes : 2 * PageBytes,
        isLong ? FetchInto::First : FetchInto::Second);
  }
  return row[element];
}

llvm::Value *KernelBuilder::value(semantics::ValueId id, const Position &at,
                                  OneOfEach values, unsigned element) {
  const semantics::Value &value = plan.graph.values[id];
  setLocationOf(id);
  switch (value.kind) {
  case ValueKind::Constant:
    return lanes.splatBits(value.type, value.bits);
  case ValueKind::Input:
    return input(value.input, at, element);
  case ValueKind::Parameter:
    return parameters[value.input].load(lanes, at);
  case ValueKind::Convert:
    return convert(value, values);
  case ValueKind::Reduce:
  case ValueKind::View:
  case ValueKind::Scan: // Sweeps have none.
  case ValueKind::Fold: // One of all elements.
  case ValueKind::Call:
    break;
  }
  return call(value, values);
}

/// Computes values that are the same for all elements before the loop.
void KernelBuilder::hoist() {
  const semantics::Graph &graph = plan.graph;
  if (plan.isAlongRows && !parts)
    loadRowsOfAll();
  if (plan.rowLength > 0)
    return;
  for (semantics::ValueId id = 0; id < graph.values.size(); ++id) {
    const semantics::Value &each = graph.values[id];
    const auto args = graph.args(each);
    const bool isSame =
        each.kind == ValueKind::Input
            ? plan.inputs[each.input].pattern == AccessPattern::Constant
            : std::all_of(args.begin(), args.end(), [this](auto arg) {
                return invariant[arg] != nullptr;
              });
    invariant.push_back(isSame ? value(id, {}, invariant) : nullptr);
  }
  setLocation(syntax::Listing::loop());
}

/// Stores elements and gives others to states: in memory, or to those that the
/// main loop holds for a copy of its body.
void KernelBuilder::store(const Position &at, const Values &values,
                          std::optional<unsigned> copy) {
  if (plan.rowLength > 0)
    return plan.isAlongRows ? storeAlongRows(at.index, values)
                            : storeRows(at, values);
  std::size_t stored = 0, taken = 0;
  bool isStored = false;
  llvm::SmallVector<llvm::Value *> rows;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    if (debug) // A sweep may have more outputs than its expression.
      setLocation(i < plan.listing->outputs.size() ? plan.listing->outputs[i]
                                                   : syntax::Listing::loop());
    llvm::Value *elements = values[plan.graph.outputs[i]];
    if (!plan.outputs[i].reducing) {
      if (!std::exchange(isStored, false))
        outputs[stored++].store(lanes, at, elements,
                                plan.streams && !plan.outputs[i].isKept);
      continue;
    }
    isStored = copy && takesKept(plan, target, level, i);
    if (isStored) {
      auto *converted = llvm::cast<llvm::FPExtInst>(elements);
      elements = outputs[stored++].storeAndWiden(
          lanes, at, converted->getOperand(0), vectorBitsOf(plan, target));
      if (converted->use_empty())
        converted->eraseFromParent();
    }
    rows.push_back(elements);
    const bool isLast = i + 1 == plan.outputs.size() ||
                        !plan.outputs[i + 1].reducing ||
                        !plan.outputs[i + 1].reducing->goesOn;
    if (!isLast)
      continue;
    take(at, rows, taken++, copy);
    rows.clear();
  }
  setLocation(syntax::Listing::loop());
}

/// Copies of the body from `index` on, with every `rarely` the fast way. Where
/// that is wrong for an element the second body does these vectors. Gives the
/// index that follows.
llvm::Value *KernelBuilder::emitFastBodies(llvm::Value *index,
                                           llvm::BasicBlock *before) {
  llvm::SmallVector<llvm::Value *> rareMasks;
  llvm::SmallVector<Values> bodies;
  auto position = [&](unsigned copy) {
    setCopy(copy);
    return Position{
        ir.CreateNUWAdd(index, ir.getInt64(copy * lanes.lanes), "at")};
  };
  lanes.rareMasks = &rareMasks;
  if (replacesDivisions(plan, level))
    lanes.same = invariant;
  for (unsigned copy = 0; copy < unrollFactor; ++copy) {
    const Position at = position(copy);
    bodies.push_back(compute(at));
    fetchAhead(at, copy);
    if (rareMasks.empty())
      store(at, bodies.back(), copy);
  }
  lanes.rareMasks = nullptr;
  lanes.same = {};
  if (level == OptLevel::Optimized)
    hoistParts(loop, before);
  setCopy(0);
  if (!rareMasks.empty()) {
    emitCheck(rareMasks, index);
    // A position of this block's own is part of an address, and no register.
    for (unsigned copy = 0; copy < unrollFactor; ++copy)
      store(position(copy), bodies[copy], copy);
  }
  setCopy(0);
  return advance(index);
}

/// Has a loop of one block use what is the same in each of its steps from
/// before it: parts of operators that depend on an operand of one value.
void KernelBuilder::hoistParts(llvm::BasicBlock *body,
                               llvm::BasicBlock *before) {
  const auto isOutside = [body](const llvm::Use &operand) {
    auto *made = llvm::dyn_cast<llvm::Instruction>(operand.get());
    return !made || made->getParent() != body;
  };
  for (llvm::Instruction &each : llvm::make_early_inc_range(*body))
    if (!llvm::isa<llvm::PHINode>(each) && !each.mayReadOrWriteMemory() &&
        llvm::isSafeToSpeculativelyExecute(&each) &&
        llvm::all_of(each.operands(), isOutside))
      each.moveBefore(before->getTerminator());
}

/// A number that all lanes have, if that is what an operand is.
static llvm::Constant *splatOf(const llvm::Use &operand) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(operand.get());
  return constant && constant->getType()->isVectorTy() &&
                 constant->getType()->isFPOrFPVectorTy() &&
                 constant->getSplatValue() && !constant->isNullValue()
             ? constant
             : nullptr;
}

/// Lanes of a number in memory, named after their type and it: v8f32.0.5.
static llvm::GlobalVariable *inMemory(llvm::Module &module,
                                      llvm::Constant *constant) {
  auto *type = llvm::cast<llvm::FixedVectorType>(constant->getType());
  llvm::SmallString<32> name;
  llvm::raw_svector_ostream(name) << 'v' << type->getNumElements() << 'f'
                                  << type->getScalarSizeInBits() << '.';
  llvm::cast<llvm::ConstantFP>(constant->getSplatValue())
      ->getValueAPF()
      .toString(name);
  return new llvm::GlobalVariable(module, type, /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, constant,
                                  name);
}

/// Whether an instruction adds or multiplies, and has a form with this operand
/// in memory. Others mostly choose, and use what they compare twice.
static bool mayBeInMemory(const llvm::Use &operand) {
  const auto *user = llvm::cast<llvm::Instruction>(operand.getUser());
  switch (user->getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FMul:
    return true;
  case llvm::Instruction::FSub:
    return operand.getOperandNo() == 1;
  default:
    const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return call && call->getIntrinsicID() == llvm::Intrinsic::fma;
  }
}

/// Has the main loop use constants from before it, if there are few enough. A
/// fence keeps LLVM from seeing what they are.
void KernelBuilder::hoistConstants() {
  llvm::MapVector<llvm::Constant *, llvm::SmallVector<llvm::Use *>> uses;
  llvm::BasicBlock *latch = index->getIncomingBlock(1u);
  for (llvm::BasicBlock *block = loop;; block = latch) {
    for (llvm::Instruction &each : *block)
      for (llvm::Use &operand : each.operands()) {
        llvm::Constant *constant = splatOf(operand);
        if (constant && !llvm::isa<llvm::PHINode>(each))
          uses[constant].push_back(&operand);
      }
    if (block == latch)
      break;
  }
  // Of many, LLVM would not choose well which to load after all; loops with
  // states are shaped for it.
  if (states.empty() && uses.size() > target.vectorRegisters * 3 / 4)
    return;
  ir.SetInsertPoint(index->getIncomingBlock(0u)->getTerminator());
  for (const auto &[constant, operands] : uses) {
    llvm::Value *held = ir.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence,
                                           {constant->getType()}, {constant},
                                           nullptr, "constant");
    for (llvm::Use *operand : operands)
      operand->set(held);
  }
}

/// Has instructions of the main loop and of its second body find constants in
/// memory, lane by lane, one each: LLVM would broadcast each by one more.
void KernelBuilder::foldConstants() {
  llvm::DenseMap<llvm::Constant *, llvm::GlobalVariable *> globals;
  const auto fold = [&](llvm::Instruction &each) {
    for (llvm::Use &operand : llvm::reverse(each.operands())) {
      llvm::Constant *constant = splatOf(operand);
      if (!constant || !mayBeInMemory(operand))
        continue;
      llvm::GlobalVariable *&global = globals[constant];
      if (!global)
        global = inMemory(module, constant);
      ir.SetInsertPoint(&each);
      operand.set(ir.CreateLoad(constant->getType(), global, "constant"));
      return;
    }
  };
  // What is before the loop is better off with those in registers.
  for (llvm::BasicBlock &block :
       llvm::make_range(loop->getIterator(), function->end()))
    llvm::for_each(block, fold);
}

/// Returns in how many stages.
unsigned KernelBuilder::emitMainLoop() {
  const std::int64_t step = unrollFactor * std::int64_t{lanes.lanes};
  whole = ir.CreateAnd(count, ir.getInt64(-step), "whole");
  llvm::BasicBlock *before = ir.GetInsertBlock();
  // Few steps are sooner done one after the other, as the tail does them.
  if (stages > 1 && !plan.isAlongRows) {
    const std::int64_t fewest = fewestVectorsOf(plan, target, level);
    whole = ir.CreateSelect(
        ir.CreateICmpUGE(count, ir.getInt64(fewest * lanes.lanes), "long"),
        whole, ir.getInt64(0), "whole");
  }
  llvm::BasicBlock *none = tailCheck;
  if (holdsStates && plan.isFolded())
    none = block("none", tailCheck);
  ir.CreateCondBr(ir.CreateICmpNE(whole, ir.getInt64(0), "any"), loop, none);
  if (none != tailCheck) {
    ir.SetInsertPoint(none);
    resetStates();
    ir.CreateBr(tailCheck);
  }
  if (overlapsRows()) {
    auto *first = block("first.row", loop);
    before->getTerminator()->replaceSuccessorWith(loop, first);
    ir.SetInsertPoint(first);
    openOverlap();
    before = ir.GetInsertBlock();
    ir.CreateBr(loop);
  }
  ir.SetInsertPoint(loop);
  index = ir.CreatePHI(ir.getInt64Ty(), 2, "i");
  index->addIncoming(ir.getInt64(0), before);
  if (holdsStates) {
    openAgain();
    openStates();
  }
  llvm::Value *next = emitFastBodies(index, before);
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, whole, "more"), loop, tailCheck);
  if (holdsStates)
    closeStates();
  if (holdsConstants(plan, target, level))
    hoistConstants();
  llvm::SmallVector<const llvm::Value *> bases;
  for (const LoopStates &each : states)
    bases.push_back(each.base());
  // What a row computes with again is sooner spilled than waited for.
  const unsigned registers =
      target.vectorRegisters * (plan.isAlongRows ? 7 : 4) / 4;
  const unsigned made = pipelineLoop(
      {index, whole, step, registers, vectorBitsOf(plan, target), bases},
      stages);
  if (foldsConstants(plan, target, level))
    foldConstants();
  if (made == 1 && staggersElements(plan, target, level) &&
      index->getIncomingBlock(1u) == loop)
    staggerElements(*loop, plan.elementsAtOnce());
  return made;
}

unsigned KernelBuilder::run() {
  ir.SetInsertPoint(block("entry"));
  if (plan.rowLength > 0)
    isOfElements = semantics::valuesOfElements(plan);
  if (plan.isInParts)
    parts = semantics::partsOf(plan);
  if (plan.isFolded())
    openRows();
  loop = block("vector.loop");
  tailCheck = block("tail.check");
  tailEntry = block("tail.entry");
  auto *done = block("done");
  makeArguments();
  makeStates();
  hoist();
  constexpr unsigned mostRare = 96;
  if (!plan.isAlongRows &&
      (level == OptLevel::Baseline || plan.work().rareWide > 0 ||
       plan.work().rareOperations > mostRare))
    shareTail();
  const unsigned made = emitMainLoop();
  if (plan.isAlongRows && lanes.lanes == 1) {
    tailEntry->eraseFromParent();
    ir.SetInsertPoint(tailCheck);
    ir.CreateBr(done);
  } else {
    if (plan.isAlongRows)
      emitRowsLeft(done);
    else
      emitTail(done);
    ir.SetInsertPoint(tailCheck);
    ir.CreateCondBr(ir.CreateICmpNE(whole, count, "left"), tailEntry, done);
  }
  ir.SetInsertPoint(done);
  lanes.existing = nullptr;
  lanes.lanes = lanesOf(plan, target);
  foldStates();
  if (row)
    closeRows();
  ir.CreateRetVoid();
  return made;
}

EmittedKernel codegen::emitKernel(llvm::LLVMContext &context, const Plan &plan,
                                  const Target &target, OptLevel level) {
  auto module = std::make_unique<llvm::Module>("kexpr", context);
  module->setTargetTriple(MachineTriple(target.triple));
  const unsigned stages = KernelBuilder(*module, plan, target, level).run();
  return {std::move(module), stages};
}
