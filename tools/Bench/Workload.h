//===- Bench/Workload.h - A kernel, its data, and the check of it -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_WORKLOAD_H
#define KEXPR_TOOLS_BENCH_WORKLOAD_H

#include "Bench/OpByOp.h"
#include "Bench/Pool.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// An expression at certain shapes: what a benchmark runs and verifies. For
/// one thread.
class Workload {
public:
  /// Shapes are those of @0, @1...; one shape alone is that of all operands.
  Workload(std::string_view expression, std::vector<Shape> shapes)
      : text(expression), shapes(std::move(shapes)) {}

  /// Compiles, points into the pool, and holds what the kernel computes with
  /// these options against the interpreter's result, bit for bit (any NaN
  /// equals any other). Compiles and checks only at the first call.
  Status prepare(const Engine &engine, Pool &pool, const RunOptions &options);
  /// The same for evaluation one operator at a time; after `prepare`.
  Status prepareOpByOp(const Engine &engine, const RunOptions &options);

  // What follows is valid after `prepare`.
  Status run(const RunOptions &options) const {
    return kernel->run(inputs, outputs, options);
  }
  /// The same call, checked once.
  Expected<BoundKernel> bind(const RunOptions &options) const {
    return kernel->bind(inputs, outputs, options);
  }
  const OpByOp &opByOp() const { return *rival; }
  const std::vector<TensorView> &inputViews() const { return inputs; }
  const std::vector<TensorView> &outputViews() const { return outputs; }
  const Kernel &compiled() const { return *kernel; }
  /// Elements of one output.
  std::int64_t count() const { return outputShape.elementCount(); }
  /// Bytes of all operands used and all outputs: the least a run must move.
  std::int64_t bytes() const;

private:
  Status compile(const Engine &engine);
  Status place(Pool &pool);
  Status verify(const Engine &engine, Pool &pool, const RunOptions &options);

  std::string text;
  std::vector<Shape> shapes;
  std::optional<Kernel> kernel;
  std::optional<OpByOp> rival;
  Shape outputShape;
  std::vector<TensorView> inputs, outputs;
  std::set<unsigned> verifiedThreads;
};

/// Whether all elements are equal in their bits, any NaN being equal to any
/// other; otherwise an error that names the first that is not.
Status sameBits(const float *results, const float *expected,
                std::int64_t count);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_WORKLOAD_H
