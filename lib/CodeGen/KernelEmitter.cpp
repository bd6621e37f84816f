//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelEmitter.h"

#include "CodeGen/Operators.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::Access;
using semantics::Plan;
using semantics::ValueKind;
using semantics::Walk;

namespace {

/// Emits the one function of a module.
class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, const Plan &plan, const Target &target);
  void run();

private:
  /// One vector of elements on its way through the body.
  struct Position {
    llvm::Value *index; ///< Of its first element.
    llvm::Value *mask;  ///< Lanes that exist; null for all.
  };
  /// An operand or output of the function.
  struct Slot {
    Access access;
    llvm::Value *pointer = nullptr;
    llvm::Value *stride = nullptr; ///< In bytes, if strided.
    llvm::Value *splat = nullptr;  ///< The one element, if constant.
  };

  void makeFunction(const Target &target);
  void emitEntry();
  void emitMainLoop();
  void emitTail();
  void emitBody(const Position &at);
  Slot makeSlot(const Access &access, unsigned position,
                const llvm::Twine &name);
  llvm::Value *load(const Slot &slot, const Position &at, llvm::Twine name);
  void store(const Slot &slot, const Position &at, llvm::Value *value);
  llvm::Value *address(const Slot &slot, const Position &at);
  llvm::Value *addresses(const Slot &slot, const Position &at);
  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(module.getContext(), name, function);
  }

  llvm::Module &module;
  const Plan &plan;
  llvm::IRBuilder<> ir;
  LaneBuilder lanes;
  std::int64_t unroll;
  llvm::Function *function = nullptr;
  llvm::Value *count = nullptr;
  llvm::Value *whole = nullptr; ///< Elements that the main loop computes.
  llvm::BasicBlock *entry = nullptr, *mainLoop = nullptr, *check = nullptr,
                   *tail = nullptr, *done = nullptr;
  std::vector<Slot> outputs, inputs;
};

} // namespace

/// Copies of the body in the main loop. A short body is repeated so that the
/// loop's own instructions weigh little; a long one hides its latency by
/// itself, since a core looks hundreds of instructions ahead.
static std::int64_t unrollOf(const Plan &plan) {
  const unsigned operations = plan.graph.work().operations;
  return operations <= 32 ? 4 : operations <= 96 ? 2 : 1;
}

KernelEmitter::KernelEmitter(llvm::Module &module, const Plan &plan,
                             const Target &target)
    : module(module), plan(plan),
      ir(module.getContext()), lanes{ir, target.vectorBits / 32},
      unroll(unrollOf(plan)) {
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

KernelEmitter::Slot KernelEmitter::makeSlot(const Access &access,
                                            unsigned position,
                                            const llvm::Twine &name) {
  Slot slot{access};
  auto element = [&](llvm::Type *type, unsigned argument) {
    return ir.CreateConstInBoundsGEP1_64(type, function->getArg(argument),
                                         position);
  };
  slot.pointer = ir.CreateLoad(ir.getPtrTy(), element(ir.getPtrTy(), 1),
                               name + ".pointer");
  if (access.walk == Walk::Strided)
    slot.stride = ir.CreateLoad(ir.getInt64Ty(), element(ir.getInt64Ty(), 2),
                                name + ".stride");
  if (access.walk == Walk::Constant) {
    llvm::Value *one = ir.CreateAlignedLoad(ir.getFloatTy(), slot.pointer,
                                            llvm::Align(1), name + ".element");
    slot.splat = ir.CreateVectorSplat(lanes.lanes, one, name);
  }
  return slot;
}

llvm::Value *KernelEmitter::address(const Slot &slot, const Position &at) {
  return ir.CreateInBoundsGEP(ir.getFloatTy(), slot.pointer, at.index);
}

/// The addresses of a strided slot's lanes.
llvm::Value *KernelEmitter::addresses(const Slot &slot, const Position &at) {
  auto *type = lanes.vectorType<std::int64_t>();
  llvm::Value *index = ir.CreateAdd(ir.CreateVectorSplat(lanes.lanes, at.index),
                                    ir.CreateStepVector(type));
  llvm::Value *offset =
      ir.CreateMul(index, ir.CreateVectorSplat(lanes.lanes, slot.stride));
  return ir.CreateGEP(ir.getInt8Ty(), slot.pointer, offset);
}

llvm::Value *KernelEmitter::load(const Slot &slot, const Position &at,
                                 llvm::Twine name) {
  // A base may have any alignment: elements are aligned to nothing.
  const llvm::Align any(1);
  llvm::Type *type = lanes.vectorType<float>();
  if (slot.access.walk == Walk::Constant)
    return slot.splat;
  if (slot.access.walk == Walk::Strided)
    return ir.CreateMaskedGather(
        type, addresses(slot, at), any, at.mask,
        at.mask ? llvm::Constant::getNullValue(type) : nullptr, name);
  if (!at.mask)
    return ir.CreateAlignedLoad(type, address(slot, at), any, name);
  return ir.CreateMaskedLoad(type, address(slot, at), any, at.mask,
                             llvm::Constant::getNullValue(type), name);
}

void KernelEmitter::store(const Slot &slot, const Position &at,
                          llvm::Value *value) {
  const llvm::Align any(1);
  if (slot.access.walk == Walk::Strided)
    ir.CreateMaskedScatter(value, addresses(slot, at), any, at.mask);
  else if (at.mask)
    ir.CreateMaskedStore(value, address(slot, at), any, at.mask);
  else
    ir.CreateAlignedStore(value, address(slot, at), any);
}

void KernelEmitter::emitBody(const Position &at) {
  const semantics::Graph &graph = plan.graph;
  std::vector<llvm::Value *> values(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const semantics::Value &value = graph.values[id];
    if (value.kind == ValueKind::Constant) {
      values[id] = lanes.splat(static_cast<float>(value.number));
      continue;
    }
    if (value.kind == ValueKind::Input) {
      values[id] = load(inputs[value.input], at,
                        "x" + llvm::Twine(graph.inputs[value.input]));
      continue;
    }
    llvm::Value *args[ops::MaxArity];
    unsigned arity = 0;
    for (semantics::ValueId arg : graph.args(value))
      args[arity++] = values[arg];
    values[id] = emitters()[value.op](lanes, args);
    if (llvm::isa<llvm::Instruction>(values[id]) && !values[id]->hasName())
      values[id]->setName(llvm::StringRef(ops::table()[value.op].info.name));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    store(outputs[i], at, values[graph.outputs[i]]);
}

void KernelEmitter::emitEntry() {
  ir.SetInsertPoint(entry);
  unsigned position = 0;
  for (const Access &access : plan.outputs)
    outputs.push_back(
        makeSlot(access, position, "out" + llvm::Twine(position))),
        ++position;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    inputs.push_back(makeSlot(plan.inputs[i], position++,
                              "x" + llvm::Twine(plan.graph.inputs[i])));
  const std::int64_t step = unroll * lanes.lanes;
  whole = ir.CreateAnd(count, ir.getInt64(-step), "whole");
  ir.CreateCondBr(ir.CreateICmpNE(whole, ir.getInt64(0)), mainLoop, check);
}

void KernelEmitter::emitMainLoop() {
  ir.SetInsertPoint(mainLoop);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt64Ty(), 2, "i");
  index->addIncoming(ir.getInt64(0), entry);
  for (std::int64_t copy = 0; copy < unroll; ++copy)
    emitBody({copy == 0
                  ? index
                  : ir.CreateNUWAdd(index, ir.getInt64(copy * lanes.lanes)),
              nullptr});
  llvm::Value *next =
      ir.CreateNUWAdd(index, ir.getInt64(unroll * lanes.lanes), "i.next");
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, whole), mainLoop, check);

  ir.SetInsertPoint(check);
  ir.CreateCondBr(ir.CreateICmpNE(whole, count), tail, done);
}

void KernelEmitter::emitTail() {
  ir.SetInsertPoint(tail);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt64Ty(), 2, "j");
  index->addIncoming(whole, check);
  // Less than one step of the main loop is left, so 32 bits hold it.
  llvm::Value *left =
      ir.CreateTrunc(ir.CreateSub(count, index), ir.getInt32Ty(), "left");
  llvm::Value *mask =
      ir.CreateICmpSLT(ir.CreateStepVector(lanes.vectorType<std::int32_t>()),
                       ir.CreateVectorSplat(lanes.lanes, left), "mask");
  emitBody({index, mask});
  llvm::Value *next =
      ir.CreateNUWAdd(index, ir.getInt64(lanes.lanes), "j.next");
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpSLT(next, count), tail, done);
}

void KernelEmitter::run() {
  entry = block("entry");
  mainLoop = block("vector.loop");
  check = block("tail.check");
  tail = block("tail");
  done = block("done");
  emitEntry();
  emitMainLoop();
  emitTail();
  ir.SetInsertPoint(done);
  ir.CreateRetVoid();
}

static Status checkTypes(const Plan &plan) {
  for (const auto *accesses : {&plan.inputs, &plan.outputs})
    for (const Access &access : *accesses)
      if (access.type != DType::F32)
        return Error(ErrorCode::Unsupported,
                     concat("no code can be generated for elements of type ",
                            nameOf(access.type)));
  return {};
}

Expected<std::unique_ptr<llvm::Module>>
codegen::emitKernel(llvm::LLVMContext &context, const Plan &plan,
                    const Target &target) {
  if (auto status = checkTypes(plan); !status)
    return status.error();
  auto module = std::make_unique<llvm::Module>("kexpr", context);
  module->setTargetTriple(target.triple);
  KernelEmitter(*module, plan, target).run();
  return module;
}
