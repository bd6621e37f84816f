//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/Operators.h"

#include "Ops/Operators.h"
#include "Support/Text.h"

#include <array>

using namespace kexpr;
using namespace kexpr::codegen;

template <class Op>
static llvm::Value *emit(const LaneBuilder &builder, llvm::Value *const *args) {
  Lanes<float> values[ops::arityOf<Op>];
  for (unsigned i = 0; i < ops::arityOf<Op>; ++i)
    values[i] = {{&builder, args[i]}};
  return ops::applyFormula<Op>(values).rep.value;
}

template <class Op> static constexpr EmitFn emitterOf() {
  if constexpr (ops::isFloatToFloat<Op>)
    return emit<Op>;
  else
    return nullptr;
}

llvm::ArrayRef<EmitFn> codegen::emitters() {
  static constexpr auto table = [] {
    std::array<EmitFn, ops::Operators::size> result{};
    std::size_t next = 0;
    ops::Operators::forEach(
        [&]<class Op>() { result[next++] = emitterOf<Op>(); });
    return result;
  }();
  return table;
}

static Error unsupported(std::string_view what, DType type) {
  return {ErrorCode::Unsupported, concat("no code can be generated for ", what,
                                         " of type ", nameOf(type))};
}

Status codegen::checkEmittable(const semantics::Plan &plan) {
  for (const auto *accesses : {&plan.inputs, &plan.outputs})
    for (const semantics::Access &access : *accesses)
      if (access.type != DType::F32)
        return unsupported("elements", access.type);
  for (const semantics::Value &value : plan.graph.values) {
    const bool isCall = value.kind == semantics::ValueKind::Call;
    if (isCall && !emitters()[value.op])
      return unsupported(concat("'", ops::table()[value.op].info.name, "'"),
                         value.type);
    if (value.type != DType::F32)
      return unsupported("values", value.type);
  }
  return {};
}
