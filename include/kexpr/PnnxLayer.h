//===- kexpr/PnnxLayer.h - An expression as a framework's layer -*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNXLAYER_H
#define KEXPR_PNNXLAYER_H

#include "kexpr/Engine.h"

namespace kexpr {
inline namespace v1 {

/// A `pnnx.Expression` operator in the form inference frameworks run: a layer
/// that takes one tensor for each operand and batch item. Immutable, cheap to
/// copy, usable from any thread.
class KEXPR_API ExpressionLayer {
public:
  /// The layer of an operator's `expr` parameter. Errors are those of
  /// `Engine::compile`.
  static Expected<ExpressionLayer> create(const Engine &engine,
                                          std::string_view expression);

  /// Computes every batch item. `inputs` holds operand 0's items, then operand
  /// 1's, and so on; `outputs` has one tensor an item and so decides the batch
  /// size. Operands past those the expression uses are not looked at. An
  /// output may be exactly an input of its own item.
  ///
  /// A refused call writes nothing. Errors: InvalidArgument for no inputs, no
  /// outputs, or a surplus that is no whole operand; MissingOperand for too few
  /// tensors (it names operand, item, given and needed); and those of
  /// `Kernel::runBatch`.
  Status forward(Span<const TensorView> inputs, Span<const TensorView> outputs,
                 const RunOptions &options = {}) const;

  const Kernel &kernel() const { return compiled; }

private:
  explicit ExpressionLayer(Kernel kernel) : compiled(std::move(kernel)) {}
  Kernel compiled;
};

} // namespace v1
} // namespace kexpr

#endif // KEXPR_PNNXLAYER_H
