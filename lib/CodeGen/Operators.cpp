//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/Operators.h"

#include "Ops/Operators.h"

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
  if constexpr (Op::info.types == ops::TypeRule::Integral ||
                Op::info.result == ops::ResultRule::Bool)
    return nullptr;
  else
    return emit<Op>;
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
