//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelEmitter.h"

#include "CodeGen/Operators.h"
#include "CodeGen/Slot.h"

#include <llvm/TargetParser/Triple.h>

#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::Access;
using semantics::Plan;
using semantics::ValueKind;

/// Copies of the body in the main loop. A short body is repeated so that the
/// loop's own instructions weigh little; a long one hides its latency by
/// itself, since a core looks hundreds of instructions ahead, and is repeated
/// only where compile time matters less than the last few percent.
static unsigned copiesOf(const Plan &plan, OptLevel level) {
  const unsigned operations = plan.graph.work().operations;
  if (operations <= 16)
    return 4;
  return operations <= 48 && level == OptLevel::Optimized ? 2 : 1;
}

namespace {

/// Emits the function of a module.
class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, const Plan &plan, const Target &target,
                OptLevel level);
  void run();

private:
  using Values = std::vector<llvm::Value *>;
  void makeFunction(const Target &target);
  void makeSlots();
  llvm::Value *emitMainLoop(llvm::BasicBlock *loop, llvm::BasicBlock *after);
  void emitTailLoop(llvm::BasicBlock *loop, llvm::Value *whole,
                    llvm::BasicBlock *after);
  bool emitBody(const Position &at);
  void emitElements(const Position &at, llvm::BasicBlock *after);
  Values compute(const Position &at);
  llvm::Value *call(const semantics::Value &value, const Values &values);
  void store(const Position &at, const Values &values);
  llvm::BasicBlock *block(const char *name,
                          llvm::BasicBlock *before = nullptr) {
    return llvm::BasicBlock::Create(module.getContext(), name, function,
                                    before);
  }

  llvm::Module &module;
  const Plan &plan;
  const unsigned copies;
  llvm::IRBuilder<> ir;
  LaneBuilder lanes;
  llvm::Function *function = nullptr;
  llvm::Value *count = nullptr;
  std::vector<Slot> outputs, inputs;
};

} // namespace

KernelEmitter::KernelEmitter(llvm::Module &module, const Plan &plan,
                             const Target &target, OptLevel level)
    : module(module), plan(plan), copies(copiesOf(plan, level)),
      ir(module.getContext()), lanes{ir, target.vectorBits / 32,
                                     llvm::Triple(target.triple).isX86()} {
  makeFunction(target);
}

void KernelEmitter::makeFunction(const Target &target) {
  auto *type = llvm::FunctionType::get(
      ir.getVoidTy(), {ir.getInt64Ty(), ir.getPtrTy(), ir.getPtrTy()}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                    KernelSymbol, module);
  const std::string bits = std::to_string(target.vectorBits);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty())
    function->addFnAttr("target-features", target.features);
  // Both are needed for 512-bit vectors on CPUs that prefer 256.
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  function->getArg(0)->setName("count");
  function->getArg(1)->setName("pointers");
  function->getArg(2)->setName("strides");
  count = function->getArg(0);
}

void KernelEmitter::makeSlots() {
  llvm::Value *pointers = function->getArg(1), *strides = function->getArg(2);
  unsigned number = 0;
  for (const Access &access : plan.outputs) {
    const auto name = "out" + std::to_string(number);
    outputs.emplace_back(lanes, access, pointers, strides, number++, name);
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const auto name = "x" + std::to_string(plan.graph.inputs[i]);
    inputs.emplace_back(lanes, plan.inputs[i], pointers, strides, number++,
                        name);
  }
}

llvm::Value *KernelEmitter::call(const semantics::Value &value,
                                 const Values &values) {
  llvm::Value *args[ops::MaxArity];
  unsigned arity = 0;
  for (semantics::ValueId arg : plan.graph.args(value))
    args[arity++] = values[arg];
  llvm::Value *result = emitters()[value.op](lanes, args);
  if (llvm::isa<llvm::Instruction>(result) && !result->hasName())
    result->setName(llvm::StringRef(ops::table()[value.op].info.name));
  return result;
}

KernelEmitter::Values KernelEmitter::compute(const Position &at) {
  const semantics::Graph &graph = plan.graph;
  Values values;
  for (const semantics::Value &value : graph.values)
    switch (value.kind) {
    case ValueKind::Constant:
      values.push_back(lanes.splat(static_cast<float>(value.number)));
      break;
    case ValueKind::Input:
      values.push_back(inputs[value.input].load(
          lanes, at, "x" + llvm::Twine(graph.inputs[value.input])));
      break;
    case ValueKind::Call:
      values.push_back(call(value, values));
    }
  return values;
}

void KernelEmitter::store(const Position &at, const Values &values) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i].store(lanes, at, values[plan.graph.outputs[i]]);
}

/// The body over one vector, with every `rarely` the fast way. Where that is
/// wrong for an element, nothing is stored and the vector is done again: the
/// slow way is long, and over whole vectors and in every copy it would take
/// many times longer to compile. Gives whether there was a `rarely`.
bool KernelEmitter::emitBody(const Position &at) {
  llvm::SmallVector<llvm::Value *> rareMasks;
  lanes.rareMasks = &rareMasks;
  const Values values = compute(at);
  lanes.rareMasks = nullptr;
  if (rareMasks.empty()) {
    store(at, values);
    return false;
  }
  llvm::BasicBlock *following = ir.GetInsertBlock()->getNextNode();
  auto *common = block("common", following), *next = block("next", following),
       *again = block("again");
  llvm::Value *mask = ir.CreateOr(rareMasks);
  if (at.mask)
    mask = ir.CreateAnd(mask, at.mask);
  ir.CreateCondBr(ir.CreateOrReduce(mask), again, common,
                  unlikely(ir.getContext()));
  ir.SetInsertPoint(common);
  store(at, values);
  ir.CreateBr(next);
  ir.SetInsertPoint(again);
  emitElements(at, next);
  ir.SetInsertPoint(next);
  return true;
}

/// The elements of a vector, each by itself and each `rarely` the way that is
/// right for it.
void KernelEmitter::emitElements(const Position &at, llvm::BasicBlock *after) {
  llvm::Value *size = ir.getInt64(lanes.lanes);
  if (at.left)
    size = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size,
                                    ir.CreateZExt(at.left, ir.getInt64Ty()));
  llvm::Value *end = ir.CreateNUWAdd(at.index, size);
  llvm::BasicBlock *before = ir.GetInsertBlock(), *loop = block("elements");
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt64Ty(), 2, "k");
  index->addIncoming(at.index, before);
  const unsigned vectorLanes = std::exchange(lanes.lanes, 1);
  store({index}, compute({index}));
  lanes.lanes = vectorLanes;
  llvm::Value *next = ir.CreateNUWAdd(index, ir.getInt64(1), "k.next");
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, end), loop, after);
}

/// Gives how many elements it takes care of.
llvm::Value *KernelEmitter::emitMainLoop(llvm::BasicBlock *loop,
                                         llvm::BasicBlock *after) {
  llvm::BasicBlock *before = ir.GetInsertBlock();
  ir.SetInsertPoint(loop);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt64Ty(), 2, "i");
  std::int64_t step = lanes.lanes;
  // A body with a slow way is not repeated: it is long by itself.
  if (!emitBody({index}))
    for (; step < copies * lanes.lanes; step += lanes.lanes)
      emitBody({ir.CreateNUWAdd(index, ir.getInt64(step))});
  llvm::BasicBlock *end = ir.GetInsertBlock();

  ir.SetInsertPoint(before);
  llvm::Value *whole = ir.CreateAnd(count, ir.getInt64(-step), "whole");
  ir.CreateCondBr(ir.CreateICmpNE(whole, ir.getInt64(0)), loop, after);
  ir.SetInsertPoint(end);
  llvm::Value *next = ir.CreateNUWAdd(index, ir.getInt64(step), "i.next");
  index->addIncoming(ir.getInt64(0), before);
  index->addIncoming(next, end);
  ir.CreateCondBr(ir.CreateICmpNE(next, whole), loop, after);
  return whole;
}

/// The elements from `whole` on, at least one, by masked vectors.
void KernelEmitter::emitTailLoop(llvm::BasicBlock *loop, llvm::Value *whole,
                                 llvm::BasicBlock *after) {
  llvm::BasicBlock *before = ir.GetInsertBlock();
  ir.CreateCondBr(ir.CreateICmpNE(whole, count), loop, after);
  ir.SetInsertPoint(loop);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt64Ty(), 2, "j");
  index->addIncoming(whole, before);
  // Less than one step of the main loop is left, so 32 bits hold it.
  llvm::Value *left =
      ir.CreateTrunc(ir.CreateSub(count, index), ir.getInt32Ty(), "left");
  llvm::Value *mask =
      ir.CreateICmpSLT(ir.CreateStepVector(lanes.vectorType<std::int32_t>()),
                       ir.CreateVectorSplat(lanes.lanes, left), "mask");
  emitBody({index, left, mask});
  llvm::Value *next =
      ir.CreateNUWAdd(index, ir.getInt64(lanes.lanes), "j.next");
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpSLT(next, count), loop, after);
}

void KernelEmitter::run() {
  ir.SetInsertPoint(block("entry"));
  auto *loop = block("vector.loop"), *check = block("tail.check"),
       *tail = block("tail"), *done = block("done");
  makeSlots();
  llvm::Value *whole = emitMainLoop(loop, check);
  ir.SetInsertPoint(check);
  emitTailLoop(tail, whole, done);
  ir.SetInsertPoint(done);
  ir.CreateRetVoid();
}

Expected<std::unique_ptr<llvm::Module>>
codegen::emitKernel(llvm::LLVMContext &context, const Plan &plan,
                    const Target &target, OptLevel level) {
  if (auto status = checkEmittable(plan); !status)
    return status.error();
  auto module = std::make_unique<llvm::Module>("kexpr", context);
  module->setTargetTriple(target.triple);
  KernelEmitter(*module, plan, target, level).run();
  return module;
}
