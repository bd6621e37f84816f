//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel checks a batch better than a layer could; what is here counts
// tensors, has outputs made, and finds the row of the table for what the
// kernel refused.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerGuard.h"
#include "Support/Uncancelled.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace kexpr;

using Forwarded = Expected<void, LayerError>;

namespace {
/// A batch as a framework gives it.
struct Batch {
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

static LayerError refuse(LayerStatus status, ErrorCode code,
                         std::string message) {
  return {status, Error(code, std::move(message))};
}

static std::string ofItem(std::size_t item) {
  return " of batch item " + std::to_string(item);
}

/// An error of one item's call as those of batches are.
static Error ofItem(const Error &error, std::size_t item) {
  return {error.code(),
          "batch item " + std::to_string(item) + ": " + error.message()};
}

/// What is wrong with the number of tensors.
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
                  "operand @" + std::to_string(given / batch) +
                      ofItem(given % batch) +
                      " is missing: " + std::to_string(given) +
                      " tensors given, " + std::to_string(needed) + " needed");
  if (given % batch != 0)
    return refuse(
        LayerStatus::SurplusTensors, invalid,
        std::to_string(given) +
            " tensors are no whole number of operands for a batch of " +
            std::to_string(batch));
  return {};
}

static bool isNull(const TensorView &view) {
  return !view.data() && view.shape().elementCount() > 0;
}

/// Whether an operand that is read has no memory.
static bool hasNullInput(const Batch &batch) {
  for (std::uint32_t operand : batch.kernel.expression().usedOperands())
    for (std::size_t item = 0; item < batch.size; ++item)
      if (isNull(batch.input(operand, item)))
        return true;
  return false;
}

/// Shapes are refused for the sake of an output where inputs alone would do.
static LayerStatus mismatch(const Batch &batch) {
  for (std::size_t item = 0; item < batch.size; ++item)
    if (!batch.shapeOf(item))
      return LayerStatus::InputMismatch;
  return LayerStatus::OutputMismatch;
}

/// The row for what the kernel refused.
static LayerStatus statusOf(ErrorCode code, const Batch &batch) {
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
  try {
    return allocate(item, type, shape);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &exception) {
    return refuse(LayerStatus::AllocationFailed, ErrorCode::OutOfMemory,
                  "the output" + ofItem(item) +
                      " was not allocated: " + exception.what());
  } catch (...) {
    return refuse(LayerStatus::AllocationFailed, ErrorCode::OutOfMemory,
                  "the output" + ofItem(item) +
                      " was not allocated: its allocator threw");
  }
}

/// Makes the outputs that are empty, once the others and all inputs are right.
static Forwarded fill(const Batch &batch, std::vector<TensorView> &outputs,
                      const OutputAllocator &allocate) {
  std::vector<Shape> shapes;
  for (std::size_t item = 0; item < batch.size; ++item) {
    auto shape = batch.shapeOf(item);
    if (!shape)
      return LayerError(statusOf(shape.error().code(), batch),
                        ofItem(shape.error(), item));
    if (!outputs[item].empty() && outputs[item].shape() != *shape)
      return refuse(LayerStatus::OutputMismatch, ErrorCode::ShapeMismatch,
                    "the output" + ofItem(item) + " has shape " +
                        outputs[item].shape().str() +
                        "; its operands broadcast to " + shape->str());
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
                    "the output" + ofItem(item) + " of shape " +
                        shapes[item].str() + " was not allocated");
  }
  return {};
}

static Forwarded compute(const Batch &batch, Span<const TensorView> outputs,
                         const RunOptions &options) {
  // A single call needs nothing from the heap.
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

static Forwarded fillAndCompute(const Batch &batch,
                                Span<const TensorView> outputs,
                                const RunOptions &options,
                                const OutputAllocator &allocate) {
  std::vector<TensorView> made(outputs.begin(), outputs.end());
  if (auto filled = fill(batch, made, allocate); !filled)
    return filled;
  return compute(batch, made, options);
}

Forwarded ExpressionLayer::forward(Span<const TensorView> inputs,
                                   Span<const TensorView> outputs,
                                   const RunOptions &options,
                                   const OutputAllocator &allocate) const {
  return pnnx::guardedLayer([&]() -> Forwarded {
    if (auto counted = checkCounts(inputs.size(), outputs.size(),
                                   compiled.expression().operandCount());
        !counted)
      return counted;
    const auto empty =
        std::find_if(outputs.begin(), outputs.end(),
                     [](const TensorView &view) { return view.empty(); });
    const Batch batch{compiled, inputs, outputs.size()};
    if (empty == outputs.end())
      return compute(batch, outputs, options);
    if (allocate)
      return fillAndCompute(batch, outputs, options, allocate);
    return refuse(LayerStatus::EmptyOutput, ErrorCode::InvalidArgument,
                  "the output" + ofItem(empty - outputs.begin()) +
                      " is empty, and the layer has nobody to allocate it");
  });
}
