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

template <class Op, ops::Arithmetic A>
static llvm::Value *emit(const LaneBuilder &builder, llvm::Value *const *args) {
  Lanes<ops::ElementIn<A>> values[ops::arityOf<Op>];
  for (unsigned i = 0; i < ops::arityOf<Op>; ++i)
    values[i] = {{&builder, args[i]}};
  return ops::applyFormula<Op, A>(values).rep.value;
}

template <class Op, ops::Arithmetic A> static constexpr EmitFn emitterOf() {
  if constexpr (ops::isFloatToFloat<Op>)
    return emit<Op, A>;
  else
    return nullptr;
}

using EmitTable = std::array<EmitFn, ops::Operators::size>;

template <ops::Arithmetic A> static constexpr EmitTable makeTable() {
  EmitTable result{};
  std::size_t next = 0;
  ops::Operators::forEach(
      [&]<class Op>() { result[next++] = emitterOf<Op, A>(); });
  return result;
}

llvm::ArrayRef<EmitFn> codegen::emitters(ops::Arithmetic arithmetic) {
  using ops::Arithmetic;
  static constexpr EmitTable tables[] = {makeTable<Arithmetic::F32>(),
                                         makeTable<Arithmetic::F32Accurate>(),
                                         makeTable<Arithmetic::F64>()};
  return tables[static_cast<std::size_t>(arithmetic)];
}

static Error unsupported(std::string_view what, DType type) {
  return {ErrorCode::Unsupported, concat("no code can be generated for ", what,
                                         " of type ", nameOf(type))};
}

Status codegen::checkEmittable(const semantics::Plan &plan) {
  const DType type = plan.outputs.front().type;
  if (type != DType::F32 && type != DType::F64)
    return unsupported("elements", type);
  for (const auto *accesses : {&plan.inputs, &plan.outputs})
    for (const semantics::Access &access : *accesses)
      if (access.type != type)
        return unsupported("elements", access.type);
  for (const semantics::Value &value : plan.graph.values) {
    if (value.type != type)
      return unsupported("values", value.type);
    const bool isCall = value.kind == semantics::ValueKind::Call;
    if (isCall && !emitters(plan.arithmeticOf(value))[value.op])
      return unsupported(concat("'", ops::table()[value.op].info.name, "'"),
                         value.type);
  }
  return {};
}
