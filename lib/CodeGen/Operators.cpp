//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/Operators.h"

#include "Ops/Operators.h"

#include <array>
#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;

using ops::Arithmetic;

template <class Op, Arithmetic A>
static llvm::Value *emit(const LaneBuilder &builder, llvm::Value *const *args) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ops::applyFormula<Op, A>(
               Lanes<ops::ArgumentIn<Op, A, I>>{{&builder, args[I]}}...)
        .rep.value;
  }
  (std::make_index_sequence<ops::arityOf<Op>>{});
}

template <class Op, Arithmetic A> static constexpr EmitFn emitterOf() {
  if constexpr (ops::worksIn(Op::info.types, A))
    return emit<Op, ops::servedBy<Op, A>>;
  else
    return nullptr;
}

using EmitTable = std::array<EmitFn, ops::AllOperators::size>;

template <Arithmetic A> static constexpr EmitTable makeTable() {
  EmitTable result{};
  std::size_t next = 0;
  ops::AllOperators::forEach(
      [&]<class Op>() { result[next++] = emitterOf<Op, A>(); });
  return result;
}

template <std::size_t... A>
static constexpr auto makeTables(std::index_sequence<A...>) {
  return std::array{makeTable<static_cast<Arithmetic>(A)>()...};
}

llvm::ArrayRef<EmitFn> codegen::emitters(Arithmetic arithmetic) {
  static constexpr auto tables =
      makeTables(std::make_index_sequence<ops::ArithmeticCount>{});
  return tables[static_cast<std::size_t>(arithmetic)];
}

/// f16 to f32 by the machine.
static llvm::Value *widen(const LaneBuilder &builder, llvm::Value *pattern) {
  llvm::IRBuilderBase &ir = builder.ir;
  auto *halves = llvm::FixedVectorType::get(ir.getHalfTy(), builder.lanes);
  return ir.CreateFPExt(ir.CreateBitCast(pattern, halves),
                        builder.vectorType<float>());
}

static llvm::Value *narrow(const LaneBuilder &builder, llvm::Value *number) {
  llvm::IRBuilderBase &ir = builder.ir;
  auto *halves = llvm::FixedVectorType::get(ir.getHalfTy(), builder.lanes);
  // For SVE's vectors LLVM 19 makes one rounding, f64 to f16, of two.
  if (ir.GetInsertBlock()->getParent()->hasFnAttribute(
          llvm::Attribute::VScaleRange))
    number = ir.CreateArithmeticFence(number, number->getType());
  return ir.CreateBitCast(ir.CreateFPTrunc(number, halves),
                          builder.vectorType<std::uint16_t>());
}

template <DType From, DType To>
static llvm::Value *convertLanes(const LaneBuilder &builder,
                                 llvm::Value *value) {
  const Lanes<ops::Element<From>> lanes{{&builder, value}};
  return ops::convertElement<From, To>(lanes).rep.value;
}

/// By the conversion that gives the bits of another, whose vectors are of the
/// same types.
template <DType From, DType To>
static llvm::Value *convertFor(const LaneBuilder &builder, llvm::Value *value) {
  constexpr auto served = ops::servingConversion(From, To);
  return convertLanes<served.first, served.second>(builder, value);
}

llvm::Value *codegen::emitConversion(const LaneBuilder &builder,
                                     llvm::Value *value, DType from, DType to) {
  if (builder.hasHalf && from == DType::F16)
    return to == DType::F32
               ? widen(builder, value)
               : emitConversion(builder, widen(builder, value), DType::F32, to);
  if (builder.hasHalf && to == DType::F16)
    return from == DType::F32
               ? narrow(builder, value)
               : narrow(builder,
                        emitConversion(builder, value, from, DType::F32));
  return ops::visitType(from, [&]<DType From>() {
    return ops::visitType(
        to, [&]<DType To>() { return convertFor<From, To>(builder, value); });
  });
}
