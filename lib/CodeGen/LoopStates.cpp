//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopStates.h"

#include "Ops/Reductions.h"

#include <array>
#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;

namespace {
using EmitStepFn = void (*)(const LaneBuilder &lanes, StateParts &state,
                            llvm::Value *elements);
using StepRow = std::array<EmitStepFn, std::size(ops::AllTypes)>;
} // namespace

template <class R, DType Form>
static void emitStep(const LaneBuilder &lanes, StateParts &state,
                     llvm::Value *elements) {
  using T = ops::Element<Form>;
  using V = Lanes<typename R::template Element<T>>;
  constexpr unsigned parts = R::template parts<T>;
  ops::Several<V, parts> taking;
  for (unsigned p = 0; p < parts; ++p)
    taking.each[p] = {{&lanes, state[p]}};
  taking = R::step(taking, V{{&lanes, elements}});
  for (unsigned p = 0; p < parts; ++p)
    state[p] = taking.each[p].rep.value;
}

template <class R, DType Form> static constexpr EmitStepFn stepEmitterOf() {
  if constexpr (ops::worksIn(R::info.types, Form))
    return emitStep<R, Form>;
  else
    return nullptr;
}

template <class R, std::size_t... K>
static constexpr StepRow makeStepRow(std::index_sequence<K...>) {
  return {stepEmitterOf<R, ops::AllTypes[K]>()...};
}

template <class... R> static constexpr auto makeStepTable(ops::OpList<R...>) {
  constexpr auto types = std::make_index_sequence<std::size(ops::AllTypes)>{};
  return std::array{makeStepRow<R>(types)...};
}

static constexpr auto stepEmitters = makeStepTable(ops::Reductions{});

LoopStates::LoopStates(const LaneBuilder &lanes,
                       const semantics::Access &access, llvm::Value *pointers,
                       llvm::Value *strides, unsigned number,
                       std::string statesName)
    : name(std::move(statesName)), access(access),
      type(lanes.elementType(access.type)) {
  llvm::IRBuilderBase &ir = lanes.ir;
  pointer = ir.CreateLoad(
      ir.getPtrTy(),
      ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), pointers, number,
                                    llvm::Twine(name) + ".slot"),
      llvm::Twine(name) + ".pointer");
  if (isInLanes())
    stride = ir.getInt64(ops::ReductionLanes * sizeOf(access.type));
  else
    stride = ir.CreateLoad(
        ir.getInt64Ty(),
        ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(), strides, number,
                                      llvm::Twine(name) + ".stride.slot"),
        llvm::Twine(name) + ".stride");
}

std::string_view LoopStates::reduction() const {
  return ops::reductions()[access.reducing->reduction].info.name;
}

StateAddresses LoopStates::addresses(const LaneBuilder &lanes,
                                     llvm::Value *index) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  if (isInLanes())
    index = ir.CreateAnd(index, ir.getInt64(ops::ReductionLanes - 1),
                         llvm::Twine(name) + ".lane");
  llvm::Value *address = ir.CreateInBoundsGEP(type, pointer, index,
                                              llvm::Twine(name) + ".address");
  StateAddresses result = {address};
  while (result.size() < access.reducing->loops().parts)
    result.push_back(address = ir.CreateGEP(ir.getInt8Ty(), address, stride,
                                            llvm::Twine(name) + ".address"));
  return result;
}

StateParts LoopStates::load(const LaneBuilder &lanes,
                            const StateAddresses &from) const {
  llvm::Type *vectorType = llvm::FixedVectorType::get(type, lanes.lanes);
  StateParts state;
  for (llvm::Value *address : from)
    state.push_back(lanes.ir.CreateAlignedLoad(vectorType, address, AnyAddress,
                                               llvm::Twine(name) + ".state"));
  return state;
}

void LoopStates::store(const LaneBuilder &lanes, const StateAddresses &to,
                       const StateParts &state) const {
  for (auto [part, address] : llvm::zip_equal(state, to))
    lanes.ir.CreateAlignedStore(part, address, AnyAddress);
}

StateParts LoopStates::step(const LaneBuilder &lanes, StateParts state,
                            llvm::Value *elements) const {
  const semantics::Reducing &reducing = *access.reducing;
  stepEmitters[reducing.reduction][ops::positionOf(reducing.form)](lanes, state,
                                                                   elements);
  return state;
}

void LoopStates::take(const LaneBuilder &lanes, const Position &at,
                      llvm::Value *elements) const {
  const StateAddresses where = addresses(lanes, at.index);
  const StateParts old = load(lanes, where);
  StateParts state = step(lanes, old, elements);
  if (at.mask)
    for (std::size_t p = 0; p < state.size(); ++p)
      state[p] = lanes.ir.CreateSelect(at.mask, state[p], old[p]);
  store(lanes, where, state);
}
