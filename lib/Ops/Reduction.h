//===- Ops/Reduction.h - What a reduction says of itself ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reduction is a struct, as an operator is, and nothing outside lib/Ops
/// knows one by name:
///
///   static constexpr ReductionInfo info          what it is
///   template <class T> using Element             what elements of a computed
///                                                type T are made first
///   template <class T> static constexpr unsigned parts
///                                                the Elements of a state
///   template <class V> static V identity(unsigned part, V index)
///                                                a part of the state of no
///                                                elements, whose first one
///                                                will have this index
///   template <class S, class V> static S step(S state, V x)
///                                                one element more
///   template <class S> static S combine(S a, S b)
///                                                of two states; a is of the
///                                                elements that come first
///   template <class V, int N> static V finish(Several<V, N> state, V count)
///                                                the result of so many
///                                                elements
///   template <class V, int N> static S normalized(S state)
///                                                if there: what scans make of
///                                                a state that took as many
///                                                elements as a lane takes of a
///                                                block
///   template <class R> static R reference(std::span<const R> elements)
///                                                what it means
///   static constexpr bool hasNeutralIdentity     if there, and true: a state
///                                                and the identity make one of
///                                                the same result, if not -0
///
/// A state is a `Several<V, parts<T>>`. The tree in which elements meet is part
/// of what a reduction means, so that its bits depend on nothing else: of the
/// reduced elements in row-major order, element r belongs to block
/// r / ReductionBlock and there to lane r % ReductionLanes. A lane takes its
/// elements in order. Lanes of a block are folded by halves, lane j with j +
/// 16, 8, 4, 2, 1. Blocks meet as a binary counter counts: two neighbours of
/// one size become one, and what is left over is folded from the right. A scan
/// has one lane: a state takes the elements in order.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_REDUCTION_H
#define KEXPR_OPS_REDUCTION_H

#include "Ops/Algebra/Value.h"
#include "Ops/Operator.h"

#include <span>

namespace kexpr::ops {

inline constexpr std::size_t ReductionLanes = 32;
inline constexpr std::int64_t ReductionBlock = 2048;

/// Which types a reduction computes in, and what others are made first.
enum class ReductionTypes : std::uint8_t {
  Sums,     ///< Floating point; integers and bools are i64.
  Floating, ///< Floating point; integers and bools are an error.
  Any,      ///< Any type; bools are compared as 0 and 1.
  Number,   ///< Any type but bool, which is an error.
  Truth,    ///< Bools; other types are made bool. The result of u8 is u8.
};

enum class ReductionResult : std::uint8_t {
  Same,  ///< The type computed in.
  Index, ///< i64: a position among the reduced elements.
};

/// What a reduction is of the exact sum, for `Precision::Accurate`.
enum class ReductionOfSum : std::uint8_t {
  No,   ///< Something else.
  Sum,  ///< The sum, rounded.
  Mean, ///< The sum over the number of elements, rounded.
};

struct ReductionInfo {
  std::string_view name;
  /// One line: the meaning for elements x.
  std::string_view doc;
  ReductionTypes types = ReductionTypes::Sums;
  ReductionResult result = ReductionResult::Same;
  /// Whether there is a result of no elements.
  bool takesNone = true;
  /// Largest errors, as of an operator, where terms do not cancel.
  Bounds ulp = {};
  ReductionOfSum ofSum = ReductionOfSum::No;
  /// The function that gives, for each element, the result of those up to it,
  /// which is one of the type of the elements; none has no name.
  std::string_view scan = {}, scanDoc = {};
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_REDUCTION_H
