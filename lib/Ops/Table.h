//===- Ops/Table.h - The one operator table -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_TABLE_H
#define KEXPR_OPS_TABLE_H

#include "Ops/Algebra/Cost.h"
#include "Ops/Operator.h"
#include "kexpr/Error.h"
#include "kexpr/Tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace kexpr::ops {

/// Position of an operator in the table.
using OpId = std::uint16_t;

/// What the layers above may ask of any operator.
struct OpEntry {
  OpInfo info;
  unsigned arity;
  /// The reference over an array of arguments; a comparison gives 0 or 1. Null
  /// for an operator on integers alone.
  double (*reference)(const double *arguments);
  /// The form of a call of two arguments whose `argument` is `literal`.
  LiteralForm (*withLiteral)(int argument, double literal);
  /// Work of one element in each arithmetic; none where it has no formula.
  std::array<Work, ArithmeticCount> work;

  bool works(Arithmetic arithmetic) const {
    return worksIn(info.types, arithmetic);
  }
  /// Whether it takes floats, and nothing else, to floats.
  bool isFloatToFloat() const { return takesFloatsToFloats(info); }
  Work workIn(Arithmetic arithmetic) const {
    return work[static_cast<std::size_t>(arithmetic)];
  }
};

/// Every operator, hidden ones last. Made at the first call; from then on it
/// does not change, so that all functions here may be called from any thread.
std::span<const OpEntry> allOperators();
/// Those that expressions may name.
std::span<const OpEntry> table();
/// The operator of that name or alias, of those in `table()`.
std::optional<OpId> find(std::string_view name);
/// The same of `allOperators()`, for expressions that come from the table.
std::optional<OpId> findAny(std::string_view name);
/// The number that a literal of an expansion writes.
double literalOf(std::string_view term);
/// The value of `expansion` where @0, @1... are `args`; `call(op, values)`
/// gives the value of a call, an Expected<T>, and `literal(number)` a T.
template <class T, class F, class L>
Expected<T> expand(const Expansion &expansion, std::span<const T> args, F call,
                   L literal) {
  std::array<T, Expansion::MaxTerms> stack;
  std::size_t height = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    const std::string_view term = expansion[i];
    if (term[0] == '@') {
      stack[height++] = args[static_cast<std::size_t>(term[1] - '0')];
      continue;
    }
    if (term[0] >= '0' && term[0] <= '9') {
      stack[height++] = literal(literalOf(term));
      continue;
    }
    const OpId op = *findAny(term);
    const unsigned arity = allOperators()[op].arity;
    height -= arity;
    auto value = call(op, std::span<const T>(&stack[height], arity));
    if (!value)
      return value;
    stack[height++] = *value;
  }
  return stack[0];
}
/// The closest of `names`, for "did you mean"; empty if none is close.
std::string_view closestOf(std::string_view name,
                           std::span<const std::string_view> names);
/// The same of the names of operators and of `others`.
std::string_view closest(std::string_view name,
                         std::span<const std::string_view> others = {});
/// The arity of the operator of that name or alias, 0 if there is none; what
/// Syntax needs to read PNNX's prefix notation.
unsigned arityOfName(std::string_view name);

/// The arithmetic of elements of `type`; that of f32 for f16 and bf16.
Arithmetic arithmeticOf(DType type, Precision precision);
/// "default", "accurate" or "fast".
std::string_view nameOf(Precision precision);

/// One operator over `count` elements of one type: out[i] = formula(args[0][i],
/// ...). Bools are bytes of 0 or 1, also where a comparison gives them. `out`
/// may be exactly one of the arguments if their elements have one size.
using BlockFn = void (*)(std::size_t count, const void *const *args, void *out);

/// The block loops of every operator in an arithmetic, for the best instruction
/// set that this CPU has; indexed by OpId. Bits do not depend on the set,
/// except those of a NaN. Null for an operator whose rule leaves the arithmetic
/// out; see `worksIn`.
std::span<const BlockFn> blocks(Arithmetic arithmetic);

/// The block loop that converts elements; both types may be any but equal.
BlockFn conversion(DType from, DType to);

} // namespace kexpr::ops

#endif // KEXPR_OPS_TABLE_H
