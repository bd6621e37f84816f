//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/PnnxLayer.h"

#include <string>

using namespace kexpr;

Expected<ExpressionLayer> ExpressionLayer::create(const Engine &engine,
                                                  std::string_view expression) {
  auto kernel = engine.compile(expression);
  if (!kernel)
    return kernel.error();
  return ExpressionLayer(std::move(*kernel));
}

/// What is wrong with the number of tensors.
static Status checkCounts(std::size_t given, std::size_t batch,
                          std::size_t operands) {
  if (batch == 0)
    return Error(ErrorCode::InvalidArgument, "the layer was given no outputs");
  if (given == 0 && operands > 0)
    return Error(ErrorCode::InvalidArgument, "the layer was given no inputs");
  const std::size_t needed = batch * operands;
  if (given < needed)
    return Error(ErrorCode::MissingOperand,
                 "operand @" + std::to_string(given / batch) +
                     " of batch item " + std::to_string(given % batch) +
                     " is missing: " + std::to_string(given) +
                     " tensors given, " + std::to_string(needed) + " needed");
  if (given % batch != 0)
    return Error(
        ErrorCode::InvalidArgument,
        std::to_string(given) +
            " tensors are no whole number of operands for a batch of " +
            std::to_string(batch));
  return {};
}

Status ExpressionLayer::forward(Span<const TensorView> inputs,
                                Span<const TensorView> outputs,
                                const RunOptions &options) const {
  if (auto status = checkCounts(inputs.size(), outputs.size(),
                                compiled.expression().operandCount());
      !status)
    return status;
  return compiled.runBatch(inputs, outputs, options);
}
