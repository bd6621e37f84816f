//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Workload.h"

#include "Support/Text.h"

#include <cmath>
#include <cstring>

using namespace kexpr;
using namespace kexpr::tools;

Status tools::sameBits(const float *results, const float *expected,
                       std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    if (std::memcmp(results + i, expected + i, sizeof(float)) != 0 &&
        !(std::isnan(results[i]) && std::isnan(expected[i])))
      return Error(ErrorCode::CompileFailed,
                   concat("wrong result: element ", i, " is ", results[i],
                          " and should be ", expected[i]));
  return {};
}

Status Workload::compile(const Engine &engine) {
  auto compiled = engine.compile(text);
  if (!compiled)
    return compiled.error();
  const std::size_t operands = compiled->expression().operandCount();
  if (shapes.size() == 1)
    shapes.resize(std::max<std::size_t>(operands, 1), shapes[0]);
  if (shapes.size() < operands)
    return Error(ErrorCode::MissingOperand,
                 concat(shapes.size(), " shapes for ", operands, " operands"));
  kernel = std::move(*compiled);
  return {};
}

Status Workload::place(Pool &pool) {
  inputs.clear();
  outputs.clear();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto memory = pool.input(i, shapes[i].elementCount());
    if (!memory)
      return memory.error();
    inputs.emplace_back(*memory, shapes[i]);
  }
  auto shape = kernel->outputShape(inputs);
  if (!shape)
    return shape.error();
  outputShape = *shape;
  for (std::size_t i = 0; i < kernel->outputCount(); ++i) {
    auto memory = pool.output(i, count());
    if (!memory)
      return memory.error();
    outputs.emplace_back(static_cast<void *>(*memory), DType::F32, *shape);
  }
  return {};
}

Status Workload::verify(const Engine &engine, Pool &pool,
                        const RunOptions &options) {
  auto oracle = engine.compile(text, {.mode = Mode::Interpret});
  if (!oracle)
    return oracle.error();
  std::vector<TensorView> expected;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto memory = pool.output(outputs.size() + i, count());
    if (!memory)
      return memory.error();
    expected.emplace_back(static_cast<void *>(*memory), DType::F32,
                          outputShape);
  }
  if (auto status = oracle->run(inputs, expected); !status)
    return status;
  if (auto status = run(options); !status)
    return status;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (auto status =
            sameBits(static_cast<const float *>(outputs[i].data()),
                     static_cast<const float *>(expected[i].data()), count());
        !status)
      return status;
  return {};
}

Status Workload::prepare(const Engine &engine, Pool &pool,
                         const RunOptions &options) {
  if (!kernel)
    if (auto status = compile(engine); !status)
      return status;
  // The pool may have moved since the last call.
  if (auto status = place(pool); !status)
    return status;
  if (!verifiedThreads.insert(options.maxThreads).second)
    return {};
  return verify(engine, pool, options);
}

Status Workload::prepareOpByOp(const Engine &engine,
                               const RunOptions &options) {
  if (rival)
    return {};
  auto made = OpByOp::make(engine, kernel->expression(), shapes);
  if (!made)
    return made.error();
  rival = std::move(*made);
  auto results = rival->run(inputs, options);
  if (!results)
    return results.error();
  if (auto status = run(options); !status)
    return status;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Array &result = (*results)[i];
    // Outputs of a list broadcast together only where they are fused.
    if (result.shape() != outputShape)
      continue;
    if (auto status =
            sameBits(static_cast<const float *>(result.data()),
                     static_cast<const float *>(outputs[i].data()), count());
        !status)
      return status;
  }
  return {};
}

std::int64_t Workload::bytes() const {
  std::int64_t elements =
      count() * static_cast<std::int64_t>(kernel->outputCount());
  for (std::uint32_t operand : kernel->expression().usedOperands())
    elements += shapes[operand].elementCount();
  return elements * static_cast<std::int64_t>(sizeof(float));
}
