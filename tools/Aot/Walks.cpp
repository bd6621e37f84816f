//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Aot/Walks.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;
using semantics::AccessPattern;

using Patterns = std::vector<AccessPattern>;

static DType typeOf(const Operands &operands, std::size_t index) {
  return index < operands.accesses.size() ? operands.accesses[index].type
                                          : DType::F32;
}

/// How an operand may move.
static Patterns choicesOf(const Operands &operands, std::size_t index) {
  const AccessPattern said = index < operands.accesses.size()
                                 ? operands.accesses[index].pattern
                                 : AccessPattern::Contiguous;
  if (said != AccessPattern::Contiguous)
    return {said};
  return {AccessPattern::Contiguous, AccessPattern::Constant,
          AccessPattern::Strided};
}

/// A row of an operand or output, without memory: calls are only prepared.
static TensorView row(DType type, AccessPattern pattern) {
  constexpr std::int64_t length = 4096;
  const std::int64_t step = pattern == AccessPattern::Contiguous ? 1
                            : pattern == AccessPattern::Constant ? 0
                                                                 : 2;
  return {static_cast<void *>(nullptr), type, Shape{length}, Shape{step}};
}

static Status prepare(const Kernel &kernel,
                      const std::vector<TensorView> &inputs,
                      const std::vector<TensorView> &outputs) {
  const auto prepared = kernel.prepare(inputs, outputs);
  return prepared ? Status() : Status(prepared.error());
}

static Status makeRow(const Kernel &kernel, const Operands &operands,
                      const Patterns &patterns, AccessPattern output) {
  std::vector<TensorView> inputs, outputs;
  for (std::size_t i = 0; i < patterns.size(); ++i)
    inputs.push_back(row(typeOf(operands, i), patterns[i]));
  for (std::size_t i = 0; i < kernel.outputCount(); ++i)
    outputs.push_back(row(kernel.outputType(i), output));
  return prepare(kernel, inputs, outputs);
}

/// Whether a combination is one of those that are made of many operands: some
/// contiguous and some constant, or all contiguous but one.
static bool isLikely(const Patterns &patterns, const Operands &operands) {
  std::size_t strided = 0, constant = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (choicesOf(operands, i).size() > 1) {
      strided += patterns[i] == AccessPattern::Strided;
      constant += patterns[i] == AccessPattern::Constant;
    }
  return strided == 0 || (strided == 1 && constant == 0);
}

/// The next combination; false after the last.
static bool advance(Patterns &patterns, const Operands &operands) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Patterns choices = choicesOf(operands, i);
    const auto at = std::ranges::find(choices, patterns[i]) + 1;
    if (at != choices.end()) {
      patterns[i] = *at;
      return true;
    }
    patterns[i] = choices[0];
  }
  return false;
}

/// Combinations of more operands than these are too many to make, or for a
/// kernel to have.
static constexpr std::size_t MostWhole = 3, MostOperands = 5;

static Expected<std::string>
makeRows(const Kernel &kernel, const Operands &operands, std::size_t count) {
  Patterns first;
  for (std::size_t i = 0; i < count; ++i)
    first.push_back(choicesOf(operands, i)[0]);
  if (auto status = makeRow(kernel, operands, first, AccessPattern::Strided);
      !status)
    return status.error();
  if (count > MostOperands) {
    if (auto status =
            makeRow(kernel, operands, first, AccessPattern::Contiguous);
        !status)
      return status.error();
    return std::string("calls in which an operand is not contiguous");
  }
  for (Patterns each = first;;) {
    if (count <= MostWhole || isLikely(each, operands))
      if (auto status =
              makeRow(kernel, operands, each, AccessPattern::Contiguous);
          !status)
        return status.error();
    if (!advance(each, operands))
      break;
  }
  std::string missing = "strided outputs, where an operand is not contiguous";
  if (count > MostWhole)
    missing += "; strided operands, where another is not contiguous";
  return missing;
}

Status tools::makeShapes(const Kernel &kernel, const Operands &operands,
                         const std::vector<Shape> &shapes) {
  std::vector<TensorView> inputs, outputs;
  for (std::size_t i = 0; i < kernel.expression().operandCount(); ++i) {
    const bool isConstant =
        choicesOf(operands, i)[0] == AccessPattern::Constant;
    inputs.emplace_back(static_cast<void *>(nullptr), typeOf(operands, i),
                        isConstant ? Shape()
                                   : shapes[std::min(i, shapes.size() - 1)]);
  }
  for (std::size_t i = 0; i < kernel.outputCount(); ++i) {
    const auto shape = kernel.outputShape(inputs, i);
    if (!shape)
      return shape.error();
    outputs.emplace_back(static_cast<void *>(nullptr), kernel.outputType(i),
                         *shape);
  }
  return prepare(kernel, inputs, outputs);
}

/// Whether a status is of the engine, and not of shapes.
static bool isOfEngine(const Status &status) {
  return !status && (status.error().code() == ErrorCode::CompileFailed ||
                     status.error().code() == ErrorCode::Io ||
                     status.error().code() == ErrorCode::Unsupported);
}

Expected<std::string> tools::makeWalks(const Kernel &kernel,
                                       const Operands &operands) {
  const auto plan = makePlan(kernel.expression(), operands, kernel.precision());
  if (!plan)
    return plan.error();
  if (!plan->graph.hasReductions())
    return makeRows(kernel, operands, kernel.expression().operandCount());
  // Rows of different lengths, and as columns.
  const Shape shapes[] = {{1000},     {64, 1000},      {64, 20},
                          {1000, 64}, {2, 32, 14, 14}, {1, 64, 1000}};
  std::string fitting;
  Status refused;
  for (const Shape &shape : shapes) {
    const Status status = makeShapes(kernel, operands, {shape});
    if (isOfEngine(status))
      return status.error();
    if (status)
      fitting += (fitting.empty() ? "" : " ") + shape.str();
    else
      refused = status;
  }
  if (fitting.empty())
    return Error(
        refused.error().code(),
        "none of the shapes that are tried fits, say some in a list: " +
            refused.error().message());
  return "calls of reductions that are laid out otherwise than " + fitting;
}
