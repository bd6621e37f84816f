//===- Semantics/Simplify.h - Calls in their simplest exact form ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_SIMPLIFY_H
#define KEXPR_SEMANTICS_SIMPLIFY_H

#include "Semantics/Graph.h"
#include "Semantics/Promotion.h"

#include <optional>
#include <span>
#include <string_view>

namespace kexpr::semantics {

/// A value of the graph with its type in PyTorch, or a number that has met no
/// operand yet.
struct TypedValue {
  std::optional<NumberId> number = {};
  ValueId value = 0;
  /// The type in PyTorch; f16 and bf16 are f32 in the graph. Of a number, that
  /// of an output: what it was converted to, which it meets operands without.
  DType type = DType::F32;
  Weight weight = Weight::Tensor;
};

/// Adds calls to a graph in the simplest form that has the same bits: the
/// operator table's literal forms and overloads. Errors have no range in the
/// text, and those of code TypeMismatch no message.
class Simplifier {
public:
  Simplifier(GraphBuilder &graph, Precision precision)
      : graph(graph), precision(precision) {}

  Expected<TypedValue> number(const NumberNode &node);
  /// `op` applied to `args`, as many as it takes.
  Expected<TypedValue> call(ops::OpId op, std::span<const TypedValue> args);
  /// The other meaning of `op`, with one argument more, which is converted to
  /// the type of the call without it.
  Expected<TypedValue> overload(ops::OpId op, std::span<const TypedValue> args);
  /// A value as one of `type`, rounded to it.
  Expected<TypedValue> cast(DType type, const TypedValue &value);
  /// An expansion of the operator table with `args` for @0, @1...
  Expected<TypedValue> expand(const ops::Expansion &expansion,
                              std::span<const TypedValue> args);
  /// The reduction of `value` over axes, rounded to its type: a named one,
  /// which is exact until then where the precision is `Accurate`.
  Expected<TypedValue> reduce(ops::ReductionId reduction, const AxisSet &axes,
                              const TypedValue &value);
  /// The same of a reduction to the type of its states, unrounded, that
  /// computes as it does for elements of `like`; `uncounted` is as in `Value`.
  TypedValue reduceWide(ops::ReductionId reduction, const AxisSet &axes,
                        const TypedValue &value, DType like,
                        std::uint32_t uncounted = 0);
  /// The scan of `value` along one axis, rounded to its type.
  Expected<TypedValue> scan(ops::ReductionId reduction, const AxisSet &axes,
                            const TypedValue &value);
  /// `value` seen beside a tensor of channels in so many groups.
  TypedValue view(ViewKind kind, const TypedValue &value,
                  const TypedValue &beside, std::uint64_t groups);
  /// `value` at the classes of rows of a tensor, or whether there are these.
  TypedValue atClasses(ViewKind kind, const TypedValue &value,
                       const TypedValue &beside, const TypedValue &classes);
  /// See `GraphBuilder::elementsAt`.
  TypedValue elementsAt(const TypedValue &classes, const TypedValue &value);
  /// A value of f64 or of the type, rounded to it once.
  Expected<TypedValue> rounded(DType type, const TypedValue &value);
  /// The value that is stored for an output, of the type in PyTorch.
  ValueId stored(const TypedValue &value);
  /// Type and weight in promotion.
  ArgumentType typeOf(const TypedValue &value) const;

private:
  Expected<TypedValue> expandAs(DType type, const ops::Expansion &expansion,
                                std::span<const TypedValue> args);
  std::optional<DType> promotedType(std::span<const TypedValue> args);
  std::optional<DType> callType(const ops::OpInfo &info,
                                std::span<const TypedValue> args);
  Expected<TypedValue> numberCall(ops::OpId op,
                                  std::span<const TypedValue> args);
  Expected<TypedValue> halfCall(const ops::OpInfo &info, DType type,
                                std::span<const TypedValue> args);
  bool isLiteral(const TypedValue &value) const;
  std::optional<TypedValue> withLiteral(ops::OpId op, DType type,
                                        std::span<const TypedValue> args);
  ValueId valueAs(DType type, const TypedValue &value, bool bake);
  Expected<TypedValue> limit(DType type, const TypedValue &value, bool isLeast);
  TypedValue reduced(ValueId result, const AxisSet &axes,
                     const TypedValue &value) const;

  GraphBuilder &graph;

public:
  const Precision precision;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_SIMPLIFY_H
