//===- kexpr/PnnxLayer.h - An expression as a framework's layer -*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNXLAYER_H
#define KEXPR_PNNXLAYER_H

#include "kexpr/Engine.h"

#include <functional>

namespace kexpr {
inline namespace v2 {

/// Why a layer refuses an operator or a call: the rows of the table by which a
/// framework maps errors to its own codes. Values are stable and without gaps.
enum class LayerStatus : std::uint8_t {
  NullOperator,          ///< There is no operator.
  MissingExpression,     ///< It has no parameter `expr`.
  NullExpression,        ///< `expr` has no value.
  ExpressionNotText,     ///< `expr` is a number, a bool or a list.
  EmptyExpression,       ///< `expr` has nothing but white space.
  MalformedExpression,   ///< Syntax, names, arity, or a limit that was passed.
  UnsupportedExpression, ///< Types do not fit, or there is not one output.
  CompileFailed,
  NoInputs,
  NoOutputs,
  TooFewTensors,
  SurplusTensors,   ///< More than the operands need, but no whole operand more.
  EmptyInput,       ///< An input is an empty view or a null pointer.
  InvalidTensor,    ///< Impossible shapes or strides, or a null output.
  TypeMismatch,     ///< An input or output of another element type.
  InputMismatch,    ///< The inputs' shapes do not broadcast.
  OutputMismatch,   ///< An output has not the shape that the inputs come to.
  EmptyOutput,      ///< An output is an empty view, and nobody allocates it.
  AllocationFailed, ///< The host did not allocate an output.
  OverlappingOutput,
  OutOfMemory, ///< The last one.
};

inline constexpr std::size_t LayerStatusCount =
    static_cast<std::size_t>(LayerStatus::OutOfMemory) + 1;

/// "null operator", "too few tensors"...; "?" for a value that is no status.
KEXPR_API std::string_view nameOf(LayerStatus status);

/// An error with the row of a framework's table.
class LayerError : public Error {
public:
  LayerError(LayerStatus status, Error error)
      : Error(std::move(error)), layerStatus(status) {}
  LayerStatus status() const { return layerStatus; }

private:
  LayerStatus layerStatus;
};

/// The type in which a host holds the value of an operator's parameter.
enum class ParameterKind : std::uint8_t {
  Null,
  Bool,
  Int,
  Float,
  String,
  List
};

/// A parameter of an operator: its key, and its value as text.
struct LayerParameter {
  std::string_view key;
  ParameterKind kind = ParameterKind::String;
  std::string_view text = {};
};

/// What a layer is made from, in the host's memory.
struct LayerOperator {
  Span<const LayerParameter> parameters;
};

/// Makes the output of a batch item for the host, which keeps what it makes; an
/// empty view says that it cannot. It is called on the thread of the call.
using OutputAllocator =
    std::function<TensorView(std::size_t item, DType type, const Shape &shape)>;

/// A `pnnx.Expression` operator in the form inference frameworks run: a layer
/// that takes one tensor for each operand and batch item. Immutable, cheap to
/// copy, usable from any thread, those of OpenMP and oneTBB included.
class KEXPR_API ExpressionLayer {
public:
  /// The layer of an operator's `expr` parameter. An engine compiles an
  /// expression once, so a layer may as well be made for each call. Errors are
  /// rows up to CompileFailed, or OutOfMemory.
  static Expected<ExpressionLayer, LayerError>
  create(const Engine &engine, std::string_view expression,
         const CompileOptions &options = {});
  /// The text of an operator's parameter `expr`, for hosts that look at it
  /// later. Errors are rows up to ExpressionNotText.
  static Expected<std::string_view, LayerError>
  expressionOf(const LayerOperator *description);
  /// The layer of an operator; null is an error.
  static Expected<ExpressionLayer, LayerError>
  create(const Engine &engine, const LayerOperator *description,
         const CompileOptions &options = {});

  /// Computes every batch item. `inputs` holds operand 0's items, then operand
  /// 1's, and so on; `outputs` has one tensor an item and so decides the batch
  /// size. Operands past those the expression uses are not looked at. An
  /// output may be exactly an input of its own item; `@0` copies.
  ///
  /// Memory is the host's: outputs are written where they are. An output that
  /// is an empty view is made by `allocate`, once inputs and the shapes of the
  /// other outputs were found right; without `allocate` it is an error. A
  /// refused call has written nothing. If an allocation fails nothing is
  /// computed, and outputs allocated before stay the host's. An exception of
  /// `allocate` is AllocationFailed with its text, `std::bad_alloc`
  /// OutOfMemory.
  ///
  /// Hosts that call from several threads at once set `options.maxThreads` to
  /// 1: the call then stays on its thread and wakes no other. Such a call
  /// allocates nothing if one with these shapes went before on the thread, it
  /// has one item with its output, and the kernel has at most eight tensors.
  Expected<void, LayerError>
  forward(Span<const TensorView> inputs, Span<const TensorView> outputs,
          const RunOptions &options = {},
          const OutputAllocator &allocate = {}) const;

  const Kernel &kernel() const { return compiled; }

private:
  explicit ExpressionLayer(Kernel kernel) : compiled(std::move(kernel)) {}
  Kernel compiled;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_PNNXLAYER_H
