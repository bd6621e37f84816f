//===- Bench/Workload.h - A kernel, its data, and the check of it --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_WORKLOAD_H
#define KEXPR_TOOLS_BENCH_WORKLOAD_H

#include "Common/Array.h"
#include "kexpr/Engine.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// The rival of a fused kernel: one operator at a time, each with a kernel of
/// its own over whole tensors, as good as kexpr makes it, and each with a
/// temporary tensor that is allocated in the call and freed after its last
/// use.
class OpByOp {
public:
  /// Takes the reverse Polish order for operands of these shapes. Operators
  /// whose arguments are all literals stay literals. Errors: those of
  /// compiling an operator.
  static Expected<OpByOp> make(const Engine &engine,
                               const Expression &expression,
                               Span<const Shape> shapes, Precision precision);

  /// The results, in tensors of their own.
  Expected<std::vector<Array>> run(Span<const TensorView> inputs,
                                   const RunOptions &options) const;

private:
  class Builder;

  struct Step {
    Kernel kernel;
    /// Values: the inputs are the first, then come the results of steps.
    std::vector<std::size_t> arguments;
    Shape shape;
    /// Steps whose results nothing needs after this one.
    std::vector<std::size_t> lastUses;
  };

  std::size_t inputCount = 0;
  std::vector<Step> steps;
  /// Steps whose results are the outputs.
  std::vector<std::size_t> outputs;
};

/// Input and output memory that all cases share, so that gigabytes are filled
/// once and not once a case. Grows on demand; a pointer is good until the next
/// larger one of the same index is asked for. For one thread.
class Pool {
public:
  /// `count` values between 0.1 and 2, the same from run to run; different for
  /// each index.
  Expected<const float *> input(std::size_t index, std::int64_t count) {
    return reserve<const float *>(inputs, index, count, index << 40);
  }
  /// `count` values to write, their pages touched before.
  Expected<float *> output(std::size_t index, std::int64_t count) {
    return reserve<float *>(outputs, index, count, 0);
  }

private:
  using Slots = std::vector<std::optional<Array>>;
  template <class Pointer>
  static Expected<Pointer> reserve(Slots &slots, std::size_t index,
                                   std::int64_t count, std::uint64_t seed);
  Slots inputs, outputs;
};

/// An expression at certain shapes: what a benchmark runs and verifies. For
/// one thread.
class Workload {
public:
  /// Shapes are those of @0, @1...; one shape alone is that of all operands.
  Workload(std::string_view expression, std::vector<Shape> shapes,
           Precision precision = Precision::Default)
      : text(expression), shapes(std::move(shapes)), precision(precision) {}

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
  /// Those that a call goes over: an operand of a reduction has more.
  std::int64_t elements() const;
  /// Bytes of all operands used and all outputs: the least a run must move.
  std::int64_t bytes() const;

private:
  Status compile(const Engine &engine);
  Status addOutputs(std::vector<TensorView> &views, Pool &pool,
                    std::size_t first) const;
  Status allocate(Pool &pool);
  Status verify(const Engine &engine, Pool &pool, const RunOptions &options);

  std::string text;
  std::vector<Shape> shapes;
  const Precision precision;
  std::optional<Kernel> kernel;
  std::optional<OpByOp> rival;
  Shape outputShape;
  std::vector<TensorView> inputs, outputs;
  std::set<unsigned> verifiedThreads;
};

/// Whether all f32 elements are equal in their bits, any NaN being equal to any
/// other; otherwise an error that names the first that is not.
Status sameBits(const void *results, const void *expected, std::int64_t count);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_WORKLOAD_H
