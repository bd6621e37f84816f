//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Batch items as separate tensors, as frameworks hold them, in turns with one
// tensor of all their elements.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Bench/Timing.h"

#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct BatchCase {
  std::string name;
  const char *expression;
  std::size_t items;
  Shape shape;
};

/// Both calls over the same memory.
struct Calls {
  std::optional<Kernel> kernel;
  std::vector<TensorView> inputs, outputs; ///< Item by item.
  std::vector<TensorView> wholeInputs;
  TensorView wholeOutput;

  Status prepare(const Engine &engine, Pool &pool, const BatchCase &batch);
  Status runItems(const RunOptions &options) const {
    return kernel->runBatch(inputs, outputs, options);
  }
  Status runWhole(const RunOptions &options) const {
    return kernel->run(wholeInputs, wholeOutput, options);
  }
  Status verify(Pool &pool, const RunOptions &options) const;
};
} // namespace

static const std::vector<BatchCase> &cases() {
  static const std::vector<BatchCase> list = {
      {"E1/256x3x224x224", "add(@0,@1)", 256, {3, 224, 224}},
      {"E2/256x3x224x224", "add(mul(@0,@1),@2)", 256, {3, 224, 224}},
      {"SiLU/256x3x224x224", "mul(@0,sigmoid(@0))", 256, {3, 224, 224}},
      {"E1/1000x64x7x7", "add(@0,@1)", 1000, {64, 7, 7}},
      {"E2/1000x64x7x7", "add(mul(@0,@1),@2)", 1000, {64, 7, 7}},
      {"SiLU/1000x64x7x7", "mul(@0,sigmoid(@0))", 1000, {64, 7, 7}},
      {"SiLU/1000x256", "mul(@0,sigmoid(@0))", 1000, {256}}};
  return list;
}

static void addItems(std::vector<TensorView> &views, const void *memory,
                     const BatchCase &batch) {
  const auto *first = static_cast<const float *>(memory);
  const std::int64_t count = batch.shape.elementCount();
  for (std::size_t item = 0; item < batch.items; ++item)
    views.emplace_back(first + static_cast<std::int64_t>(item) * count,
                       batch.shape);
}

Status Calls::prepare(const Engine &engine, Pool &pool,
                      const BatchCase &batch) {
  auto compiled = engine.compile(batch.expression);
  if (!compiled)
    return compiled.error();
  kernel = std::move(*compiled);
  const std::int64_t count =
      static_cast<std::int64_t>(batch.items) * batch.shape.elementCount();
  for (std::size_t i = 0; i < kernel->expression().operandCount(); ++i) {
    auto input = pool.input(i, count);
    if (!input)
      return input.error();
    addItems(inputs, *input, batch);
    wholeInputs.emplace_back(*input, Shape{count});
  }
  auto output = pool.output(0, count);
  if (!output)
    return output.error();
  addItems(outputs, *output, batch);
  wholeOutput = {*output, Shape{count}};
  return {};
}

/// Both must give the same bits.
Status Calls::verify(Pool &pool, const RunOptions &options) const {
  const std::int64_t count = wholeOutput.shape().elementCount();
  auto *results = static_cast<float *>(wholeOutput.data());
  auto expected = pool.output(1, count);
  if (!expected)
    return expected.error();
  if (auto status = runWhole({.maxThreads = 1}); !status)
    return status;
  std::copy_n(results, count, *expected);
  std::fill_n(results, count, 0.0f);
  if (auto status = runItems(options); !status)
    return status;
  return sameBits(results, *expected, count);
}

static void compare(benchmark::State &state, const Engine &engine, Pool &pool,
                    const BatchCase &batch, unsigned threads) {
  const RunOptions options{.maxThreads = threads};
  Calls calls;
  if (!succeeded(state, calls.prepare(engine, pool, batch)) ||
      !succeeded(state, calls.verify(pool, options)))
    return;
  engine.settle(); // what streams is built at its first use
  std::vector<double> items, whole;
  for (auto _ : state) {
    items.push_back(timeOf([&] { (void)calls.runItems(options); }));
    whole.push_back(timeOf([&] { (void)calls.runWhole(options); }));
    state.SetIterationTime(items.back());
  }
  state.counters["items_us"] = median(items) * 1e6;
  state.counters["whole_us"] = median(whole) * 1e6;
  state.counters["speed_of_whole"] = median(whole) / median(items);
}

static std::string nameOf(const BatchCase &batch, unsigned threads) {
  return batch.name + "/threads:" + std::to_string(threads);
}

static std::vector<unsigned> threadCounts() {
  const unsigned all = hardwareThreads();
  return all > 1 ? std::vector<unsigned>{1, all} : std::vector<unsigned>{1};
}

static void summarize(const RunLog &log) {
  Table table(
      {"items", "threads", "items us", "one tensor us", "speed / one tensor"});
  for (const BatchCase &batch : cases())
    for (unsigned threads : threadCounts())
      if (const auto *result = log.find(nameOf(batch, threads)))
        table.add({batch.name, std::to_string(threads),
                   number(result->counters.at("items_us"), 1),
                   number(result->counters.at("whole_us"), 1),
                   number(result->counters.at("speed_of_whole"), 3)});
  std::cout << "\nBoth sides measured in turns. Medians.\n\n";
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  for (const BatchCase &batch : cases())
    for (unsigned threads : threadCounts())
      benchmark::RegisterBenchmark(nameOf(batch, threads).c_str(),
                                   [&, threads](benchmark::State &state) {
                                     compare(state, engine, pool, batch,
                                             threads);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
  return runSuite(argc, argv, engine,
                  {"--benchmark_min_time=0.5", "--benchmark_repetitions=3",
                   "--benchmark_report_aggregates_only=true"},
                  summarize);
}
