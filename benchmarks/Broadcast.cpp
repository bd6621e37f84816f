//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands that are broadcast or transposed, each measured in turns with the
// same expression over equal contiguous shapes.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Bench/Timing.h"

#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// One operand that is no equal contiguous one, among others that are.
struct ViewCase {
  std::string name;
  Shape output;
  Shape shape;
  Shape strides; ///< In elements; of rank 0 for row-major.
};

struct Pattern {
  const char *name;
  const char *expression;
};
} // namespace

/// The last operand is the one that varies.
static constexpr Pattern patterns[] = {{"E1", "add(@0,@1)"},
                                       {"E2", "add(mul(@0,@1),@2)"}};

static const std::vector<ViewCase> &cases() {
  static const std::vector<ViewCase> list = {
      {"scalar", {8, 256, 56, 56}, {1}, {}},
      {"row", {8, 256, 56, 56}, {56}, {}},
      {"channel", {8, 256, 56, 56}, {256, 1, 1}, {}},
      {"batch and channel", {8, 256, 56, 56}, {8, 256, 1, 1}, {}},
      {"column, last axis 3", {8, 256, 1045, 3}, {8, 256, 1045, 1}, {}},
      {"column, last axis 7", {8, 256, 448, 7}, {8, 256, 448, 1}, {}},
      {"column, last axis 14", {8, 256, 224, 14}, {8, 256, 224, 1}, {}},
      {"row of 3", {8, 256, 1045, 3}, {3}, {}},
      {"row of 7", {8, 256, 448, 7}, {7}, {}},
      {"row of 14", {8, 256, 224, 14}, {14}, {}},
      {"3x3 per channel", {2786, 256, 3, 3}, {256, 1, 1}, {}},
      {"7x7 per plane", {512, 256, 7, 7}, {512, 256, 1, 1}, {}},
      {"56 per row", {8, 256, 56, 56}, {8, 256, 56, 1}, {}},
      {"transposed planes",
       {8, 256, 56, 56},
       {8, 256, 56, 56},
       {256 * 3136, 3136, 1, 56}},
      {"NHWC to NCHW",
       {8, 256, 56, 56},
       {8, 256, 56, 56},
       {256 * 3136, 1, 56 * 256, 256}},
      {"NCHW to NHWC",
       {8, 56, 56, 256},
       {8, 56, 56, 256},
       {256 * 3136, 56, 1, 3136}},
      {"RGB to planes",
       {32, 3, 256, 256},
       {32, 3, 256, 256},
       {3 * 65536, 1, 3 * 256, 3}},
      {"all axes reversed",
       {186, 186, 186},
       {186, 186, 186},
       {1, 186, 186 * 186}},
      {"4096x4096 transposed", {4096, 4096}, {4096, 4096}, {1, 4096}},
      {"every second", {2048, 3136}, {2048, 3136}, {6272, 2}},
  };
  return list;
}

static std::int64_t countOf(const Shape &shape) { return shape.elementCount(); }

namespace {
/// The tensors of a case, and the kernel that runs on them.
class Comparison {
public:
  Comparison(const ViewCase &view, const Pattern &pattern)
      : view(view), pattern(pattern) {}

  Status prepare(const Engine &engine, Pool &pool);
  Status runView() { return run(viewed); }
  Status runEqual() { return run(equal); }

private:
  Status run(const std::vector<TensorView> &inputs) {
    return kernel->run(inputs, output, {.maxThreads = 1});
  }
  Status verify(Pool &pool);

  const ViewCase &view;
  const Pattern &pattern;
  std::optional<Kernel> kernel;
  std::vector<TensorView> viewed, equal;
  TensorView output;
};
} // namespace

/// Writes the view's elements out in the order of `shape`, one by one.
static void materialize(const TensorView &view, const Shape &shape,
                        float *out) {
  const auto *from = static_cast<const float *>(view.data());
  for (std::int64_t i = 0; i < countOf(shape); ++i) {
    std::int64_t rest = i, offset = 0;
    for (std::size_t end = 1; end <= view.shape().rank(); ++end) {
      const std::int64_t extent = shape[shape.rank() - end];
      const std::size_t own = view.shape().rank() - end;
      if (view.shape()[own] != 1)
        offset += rest % extent * view.strides()[own];
      rest /= extent;
    }
    out[i] = from[offset];
  }
}

Status Comparison::prepare(const Engine &engine, Pool &pool) {
  auto compiled = engine.compile(pattern.expression);
  if (!compiled)
    return compiled.error();
  kernel = std::move(*compiled);
  const std::size_t operands = kernel->expression().operandCount();
  const std::int64_t count = countOf(view.output);
  // Twice the elements: a view may step over some.
  auto memory = pool.input(operands, 2 * count);
  auto copy = pool.output(1, count);
  auto out = pool.output(0, count);
  if (!memory || !copy || !out)
    return Error(ErrorCode::OutOfMemory, "the tensors do not fit in memory");
  const Shape strides =
      view.strides.rank() ? view.strides : contiguousStrides(view.shape);
  const TensorView last(static_cast<const void *>(*memory), DType::F32,
                        view.shape, strides);
  materialize(last, view.output, *copy);
  for (std::size_t i = 0; i + 1 < operands; ++i) {
    auto input = pool.input(i, count);
    if (!input)
      return input.error();
    viewed.emplace_back(*input, view.output);
  }
  equal = viewed;
  viewed.push_back(last);
  equal.emplace_back(*copy, view.output);
  output = {static_cast<void *>(*out), DType::F32, view.output};
  return verify(pool);
}

/// The view must give what its elements give when they lie in a row.
Status Comparison::verify(Pool &pool) {
  const std::int64_t count = countOf(view.output);
  auto expected = pool.output(2, count);
  if (!expected)
    return expected.error();
  const auto *results = static_cast<const float *>(output.data());
  if (auto status = runEqual(); !status)
    return status;
  std::copy_n(results, count, *expected);
  if (auto status = runView(); !status)
    return status;
  return sameBits(results, *expected, count);
}

static std::string nameOf(const ViewCase &view, const Pattern &pattern) {
  return std::string(pattern.name) + "/" + view.name;
}

static void compare(benchmark::State &state, const Engine &engine, Pool &pool,
                    const ViewCase &view, const Pattern &pattern) {
  Comparison comparison(view, pattern);
  if (!succeeded(state, comparison.prepare(engine, pool)))
    return;
  std::vector<double> ours, equals;
  for (auto _ : state) {
    equals.push_back(timeOf([&] { (void)comparison.runEqual(); }));
    ours.push_back(timeOf([&] { (void)comparison.runView(); }));
    state.SetIterationTime(ours.back());
  }
  const auto count = static_cast<double>(countOf(view.output));
  state.SetItemsProcessed(state.iterations() * countOf(view.output));
  state.counters["ns_per_element"] = median(ours) / count * 1e9;
  state.counters["equal_ns_per_element"] = median(equals) / count * 1e9;
  state.counters["speed_of_equal"] = median(equals) / median(ours);
}

static void summarize(const RunLog &log) {
  Table table({"last operand", "expression", "ns/element",
               "equal shapes ns/element", "speed / equal shapes"});
  for (const ViewCase &view : cases())
    for (const Pattern &pattern : patterns)
      if (const auto *result = log.find(nameOf(view, pattern)))
        table.add({view.name, pattern.name,
                   number(result->counters.at("ns_per_element"), 3),
                   number(result->counters.at("equal_ns_per_element"), 3),
                   number(result->counters.at("speed_of_equal"), 2)});
  std::cout << "\nOne thread; both sides measured in turns. Medians.\n\n";
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  for (const Pattern &pattern : patterns)
    for (const ViewCase &view : cases())
      benchmark::RegisterBenchmark(nameOf(view, pattern).c_str(),
                                   [&](benchmark::State &state) {
                                     compare(state, engine, pool, view,
                                             pattern);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
  return runSuite(argc, argv, engine,
                  {"--benchmark_min_time=0.2", "--benchmark_repetitions=3",
                   "--benchmark_report_aggregates_only=true"},
                  summarize);
}
