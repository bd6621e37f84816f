//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel checks a batch. The layer counts tensors, has outputs allocated,
// and maps errors of the kernel to rows of the table.
//
//===----------------------------------------------------------------------===//
#include "kexpr/PnnxLayer.h"

#include "Support/Guarded.h"
#include "Support/Text.h"
#include "Support/Uncancelled.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace kexpr;

using MadeLayer = Expected<ExpressionLayer, LayerError>;
using Forwarded = Expected<void, LayerError>;

/// `guarded` for functions whose errors are rows of a framework's table.
template <class F>
static auto guardedLayer(F work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return LayerError(LayerStatus::OutOfMemory, errorOfException());
  }
}

static LayerError refuse(LayerStatus status, ErrorCode code,
                         std::string message) {
  return {status, Error(code, std::move(message))};
}

std::string_view kexpr::nameOf(LayerStatus status) {
  constexpr std::string_view names[] = {"null operator",
                                        "missing expression",
                                        "null expression",
                                        "expression not text",
                                        "empty expression",
                                        "malformed expression",
                                        "unsupported expression",
                                        "compile failed",
                                        "no inputs",
                                        "no outputs",
                                        "too few tensors",
                                        "surplus tensors",
                                        "empty input",
                                        "invalid tensor",
                                        "type mismatch",
                                        "input mismatch",
                                        "output mismatch",
                                        "empty output",
                                        "allocation failed",
                                        "overlapping output",
                                        "out of memory"};
  static_assert(std::size(names) == LayerStatusCount);
  const auto row = static_cast<std::size_t>(status);
  return row < LayerStatusCount ? names[row] : "?";
}

/// The row for an error of compilation.
static LayerStatus statusOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidSyntax:
  case ErrorCode::LimitExceeded:
  case ErrorCode::UnknownOperator:
  case ErrorCode::WrongArity:
    return LayerStatus::MalformedExpression;
  case ErrorCode::TypeMismatch:
  case ErrorCode::Unsupported:
    return LayerStatus::UnsupportedExpression;
  case ErrorCode::OutOfMemory:
    return LayerStatus::OutOfMemory;
  default:
    return LayerStatus::CompileFailed;
  }
}

MadeLayer ExpressionLayer::create(const Engine &engine,
                                  std::string_view expression,
                                  const CompileOptions &options) {
  return guardedLayer([&]() -> MadeLayer {
    if (expression.find_first_not_of(" \t\n\v\f\r") == expression.npos)
      return refuse(LayerStatus::EmptyExpression, ErrorCode::InvalidSyntax,
                    "the expression is empty");
    auto kernel = engine.compile(expression, options);
    if (!kernel)
      return LayerError(statusOf(kernel.error().code()), kernel.error());
    if (kernel->outputCount() != 1)
      return refuse(LayerStatus::UnsupportedExpression, ErrorCode::Unsupported,
                    concat("a layer has one output; the expression has ",
                           kernel->outputCount()));
    return ExpressionLayer(std::move(*kernel));
  });
}

static std::string_view phraseOf(ParameterKind kind) {
  constexpr std::string_view names[] = {"null",    "a bool",   "an int",
                                        "a float", "a string", "a list"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(names) ? names[index] : "of an unknown kind";
}

static Expected<std::string_view, LayerError>
findText(const LayerOperator *description) {
  constexpr auto invalid = ErrorCode::InvalidArgument;
  if (!description)
    return refuse(LayerStatus::NullOperator, invalid, "there is no operator");
  const auto &parameters = description->parameters;
  const auto expr = std::find_if(
      parameters.begin(), parameters.end(),
      [](const LayerParameter &parameter) { return parameter.key == "expr"; });
  if (expr == parameters.end())
    return refuse(LayerStatus::MissingExpression, invalid,
                  "the operator has no parameter 'expr'");
  if (expr->kind == ParameterKind::Null)
    return refuse(LayerStatus::NullExpression, invalid,
                  "the parameter 'expr' has no value");
  if (expr->kind != ParameterKind::String)
    return refuse(LayerStatus::ExpressionNotText, invalid,
                  concat("the parameter 'expr' is ", phraseOf(expr->kind),
                         "; it must be a string"));
  return expr->text;
}

Expected<std::string_view, LayerError>
ExpressionLayer::expressionOf(const LayerOperator *description) {
  return guardedLayer([&] { return findText(description); });
}

MadeLayer ExpressionLayer::create(const Engine &engine,
                                  const LayerOperator *description,
                                  const CompileOptions &options) {
  auto text = expressionOf(description);
  if (!text)
    return text.error();
  return create(engine, *text, options);
}

namespace {
/// A batch as a framework gives it.
struct LayerBatch {
  const Kernel &kernel;
  Span<const TensorView> inputs;
  std::size_t size;

  const TensorView &input(std::size_t operand, std::size_t item) const {
    return inputs[operand * size + item];
  }
  /// The shape that the output of an item must have.
  Expected<Shape> shapeOf(std::size_t item) const {
    std::vector<TensorView> operands;
    for (std::size_t k = 0; k < kernel.expression().operandCount(); ++k)
      operands.push_back(input(k, item));
    return kernel.outputShape(operands);
  }
};
} // namespace

static std::string ofItem(std::size_t item) {
  return concat(" of batch item ", item);
}

/// An error of one item's call, with a message like those of batches.
static Error ofItem(const Error &error, std::size_t item) {
  return {error.code(), concat("batch item ", item, ": ", error.message())};
}

/// Checks the number of tensors.
static Forwarded checkCounts(std::size_t given, std::size_t batch,
                             std::size_t operands) {
  constexpr auto invalid = ErrorCode::InvalidArgument;
  if (batch == 0)
    return refuse(LayerStatus::NoOutputs, invalid,
                  "the layer was given no outputs");
  if (given == 0 && operands > 0)
    return refuse(LayerStatus::NoInputs, invalid,
                  "the layer was given no inputs");
  const std::size_t needed = batch * operands;
  if (given < needed)
    return refuse(LayerStatus::TooFewTensors, ErrorCode::MissingOperand,
                  concat("operand @", given / batch, ofItem(given % batch),
                         " is missing: ", given, " tensors given, ", needed,
                         " needed"));
  if (given % batch != 0)
    return refuse(
        LayerStatus::SurplusTensors, invalid,
        concat(given,
               " tensors are no whole number of operands for a batch of ",
               batch));
  return {};
}

static bool isNull(const TensorView &view) {
  return !view.data() && view.shape().elementCount() > 0;
}

/// Whether an operand that is read is a null pointer.
static bool hasNullInput(const LayerBatch &batch) {
  for (std::uint32_t operand : batch.kernel.expression().usedOperands())
    for (std::size_t item = 0; item < batch.size; ++item)
      if (isNull(batch.input(operand, item)))
        return true;
  return false;
}

/// The row for a mismatch of shapes: that of outputs if all inputs broadcast.
static LayerStatus mismatch(const LayerBatch &batch) {
  for (std::size_t item = 0; item < batch.size; ++item)
    if (!batch.shapeOf(item))
      return LayerStatus::InputMismatch;
  return LayerStatus::OutputMismatch;
}

/// The row for an error of the kernel.
static LayerStatus statusOf(ErrorCode code, const LayerBatch &batch) {
  switch (code) {
  case ErrorCode::MissingOperand:
    return LayerStatus::EmptyInput;
  case ErrorCode::TypeMismatch:
    return LayerStatus::TypeMismatch;
  case ErrorCode::ShapeMismatch:
    return mismatch(batch);
  case ErrorCode::OverlappingOutput:
    return LayerStatus::OverlappingOutput;
  case ErrorCode::CompileFailed:
    return LayerStatus::CompileFailed;
  case ErrorCode::OutOfMemory:
    return LayerStatus::OutOfMemory;
  default:
    return hasNullInput(batch) ? LayerStatus::EmptyInput
                               : LayerStatus::InvalidTensor;
  }
}

static Expected<TensorView, LayerError>
callAllocator(const OutputAllocator &allocate, std::size_t item, DType type,
              const Shape &shape) {
  const Uncancelled whole;
  const auto failed = [&](const char *why) {
    return refuse(
        LayerStatus::AllocationFailed, ErrorCode::OutOfMemory,
        concat("the output", ofItem(item), " was not allocated: ", why));
  };
  try {
    return allocate(item, type, shape);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &exception) {
    return failed(exception.what());
  } catch (...) {
    return failed("its allocator threw");
  }
}

/// Has empty outputs allocated, after the others and all inputs were checked.
static Forwarded fill(const LayerBatch &batch, std::vector<TensorView> &outputs,
                      const OutputAllocator &allocate) {
  std::vector<Shape> shapes;
  for (std::size_t item = 0; item < batch.size; ++item) {
    auto shape = batch.shapeOf(item);
    if (!shape)
      return LayerError(statusOf(shape.error().code(), batch),
                        ofItem(shape.error(), item));
    if (!outputs[item].empty() && outputs[item].shape() != *shape)
      return refuse(LayerStatus::OutputMismatch, ErrorCode::ShapeMismatch,
                    concat("the output", ofItem(item), " has shape ",
                           outputs[item].shape().str(),
                           "; its operands broadcast to ", shape->str()));
    shapes.push_back(*shape);
  }
  const DType type = batch.kernel.outputType();
  for (std::size_t item = 0; item < batch.size; ++item) {
    if (!outputs[item].empty())
      continue;
    auto made = callAllocator(allocate, item, type, shapes[item]);
    if (!made)
      return made.error();
    outputs[item] = *made;
    if (outputs[item].empty())
      return refuse(LayerStatus::AllocationFailed, ErrorCode::OutOfMemory,
                    concat("the output", ofItem(item), " of shape ",
                           shapes[item].str(), " was not allocated"));
  }
  return {};
}

static Forwarded compute(const LayerBatch &batch,
                         Span<const TensorView> outputs,
                         const RunOptions &options) {
  // A single call allocates nothing.
  const bool isOne = batch.size == 1;
  const auto status =
      isOne ? batch.kernel.run(batch.inputs, outputs, options)
            : batch.kernel.runBatch(batch.inputs, outputs, options);
  if (status)
    return {};
  const Error &error = status.error();
  return LayerError(statusOf(error.code(), batch),
                    isOne ? ofItem(error, 0) : error);
}

Forwarded ExpressionLayer::forward(Span<const TensorView> inputs,
                                   Span<const TensorView> outputs,
                                   const RunOptions &options,
                                   const OutputAllocator &allocate) const {
  return guardedLayer([&]() -> Forwarded {
    if (auto counted = checkCounts(inputs.size(), outputs.size(),
                                   compiled.expression().operandCount());
        !counted)
      return counted;
    const auto empty =
        std::find_if(outputs.begin(), outputs.end(),
                     [](const TensorView &view) { return view.empty(); });
    const LayerBatch batch{compiled, inputs, outputs.size()};
    if (empty == outputs.end())
      return compute(batch, outputs, options);
    if (allocate) {
      std::vector<TensorView> made(outputs.begin(), outputs.end());
      auto filled = fill(batch, made, allocate);
      return filled ? compute(batch, made, options) : filled;
    }
    return refuse(LayerStatus::EmptyOutput, ErrorCode::InvalidArgument,
                  concat("the output", ofItem(empty - outputs.begin()),
                         " is empty, and the layer has nobody to allocate it"));
  });
}
