//===- kexpr/Operators.h - The operator table, for reading ------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPERATORS_H
#define KEXPR_OPERATORS_H

#include "kexpr/Export.h"
#include "kexpr/Span.h"

#include <string_view>

namespace kexpr {
inline namespace v2 {

/// One operator as a host sees it. All text lives as long as the process.
struct OperatorInfo {
  std::string_view name;
  /// Other spellings, separated by blanks; often empty.
  std::string_view aliases;
  unsigned arity;
  /// A second arity with its own meaning (`add(x,y,alpha)`); 0 if none.
  unsigned overloadArity;
  /// The meaning as a formula over x, y, z.
  std::string_view doc;
  /// The group of element types that it computes in: "float", "numeric",
  /// "integral"...
  std::string_view types;
  /// Largest error in units in the last place (0.5 is correctly rounded, 0
  /// exact) in f32 at Precision::Default; infinite where terms may cancel.
  double maxUlp;
  /// The same in f32 at Precision::Accurate.
  double maxUlpAccurate;
  /// The same in f64.
  double maxUlpF64;
  /// The same in f32 at Precision::Fast.
  double maxUlpFast;
  /// Primitive operations of one f32 element.
  unsigned operations;
  /// Whether PNNX writes it in expression strings.
  bool pnnx;
  /// How many of the last arguments may be left out.
  unsigned defaults;
};

/// Every operator, in the order of docs/operators.md; empty where memory runs
/// out.
KEXPR_API Span<const OperatorInfo> operators();

/// One function over axes of tensors as a host sees it: a reduction, or several
/// of them with operators. All text lives as long as the process.
struct RowFunctionInfo {
  std::string_view name;
  /// Its arguments; those from `[` on may be left out: "x, [axes, keepdim]".
  std::string_view signature;
  /// The meaning in a line.
  std::string_view doc;
  /// Whether it is one reduction.
  bool isReduction;
  /// Largest error in units in the last place, of f32 and f64, where terms do
  /// not cancel.
  double maxUlp, maxUlpF64;
};

/// Every function over axes, the reductions first; empty where memory runs out.
KEXPR_API Span<const RowFunctionInfo> rowFunctions();

} // namespace v2
} // namespace kexpr

#endif // KEXPR_OPERATORS_H
