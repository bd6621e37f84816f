//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Latency.h"

#include "Bench/Suite.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

using namespace kexpr;
using namespace kexpr::tools;

using Clock = std::chrono::steady_clock;

ScratchDirectory::ScratchDirectory()
    : name(std::filesystem::temp_directory_path() /
           ("kexpr-bench-" + std::string(6, 'X'))) {
  if (!mkdtemp(name.data()))
    name.clear();
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(name, ignored);
}

static void setTime(benchmark::State &state, Clock::duration time) {
  state.SetIterationTime(std::chrono::duration<double>(time).count());
}

/// Room for one kernel.
static EngineOptions withoutMemory() { return {.maxKernels = 1}; }

/// Another kernel, so that an engine without memory forgets the last.
static Status forget(const Engine &engine) {
  auto other = engine.compile("neg(@0)", {.mode = Mode::Interpret});
  return other ? Status() : Status(other.error());
}

void tools::timeCompile(benchmark::State &state, const std::string &expression,
                        Mode mode) {
  const Engine engine(withoutMemory());
  CompileTimes sum;
  for (auto _ : state) {
    const auto start = Clock::now();
    auto kernel = engine.compile(expression, {.mode = mode});
    const auto time = Clock::now() - start;
    if (!kernel) {
      succeeded(state, kernel.error());
      return;
    }
    setTime(state, time);
    const CompileTimes times = kernel->compileTimes();
    sum.parse += times.parse;
    sum.plan += times.plan;
    sum.emit += times.emit;
    sum.codegen += times.codegen;
    sum.link += times.link;
    if (!succeeded(state, forget(engine)))
      return;
  }
  const auto add = [&](const char *name, std::chrono::nanoseconds time) {
    state.counters[name] =
        benchmark::Counter(std::chrono::duration<double>(time).count(),
                           benchmark::Counter::kAvgIterations);
  };
  add("parse", sum.parse);
  add("plan", sum.plan);
  add("emit", sum.emit);
  add("codegen", sum.codegen);
  add("link", sum.link);
}

namespace {
/// Memory for one call over contiguous f32 operands, however many there are.
class FirstCall {
public:
  explicit FirstCall(const std::string &expression)
      : values(Elements, 0.5f), inputs(operandsOf(expression)) {
    for (TensorView &input : inputs)
      input = TensorView(values.data(), {Elements});
  }
  /// Room for the outputs, which takes the time of a call with a kernel that
  /// this is not about.
  Status prepare(const Engine &engine, const std::string &expression) {
    auto kernel = engine.compile(expression, {.mode = Mode::Interpret});
    if (!kernel)
      return kernel.error();
    for (std::size_t i = 0; i < kernel->outputCount(); ++i) {
      results.emplace_back(Elements * sizeOf(kernel->outputType(i)));
      outputs.emplace_back(results.back().data(), kernel->outputType(i),
                           Shape{Elements});
    }
    return {};
  }
  Status run(const Kernel &kernel) const { return kernel.run(inputs, outputs); }

private:
  static constexpr std::int64_t Elements = 4096;

  static std::size_t operandsOf(const std::string &expression) {
    std::size_t count = 0;
    if (auto parsed = Expression::parse(expression))
      for (const Node &node : parsed->nodes())
        if (node.kind == NodeKind::Operand)
          count = std::max<std::size_t>(count, node.index + 1);
    return count;
  }

  std::vector<float> values;
  std::vector<TensorView> inputs, outputs;
  std::vector<std::vector<char>> results;
};
} // namespace

/// Waits for the last tier without sleeping: what comes after a sleep finds the
/// core's caches cold, and that is not what is measured.
static void settle(const Engine &engine, const Kernel &kernel) {
  const auto start = Clock::now();
  while (kernel.tier() != Tier::Optimized &&
         Clock::now() - start < std::chrono::seconds(1))
    ;
  engine.settle();
}

void tools::timeFirst(benchmark::State &state, const std::string &expression,
                      Mode mode) {
  const Engine engine(withoutMemory());
  FirstCall call(expression);
  if (!succeeded(state, call.prepare(engine, expression)))
    return;
  for (auto _ : state) {
    if (!succeeded(state, forget(engine)))
      return;
    const auto start = Clock::now();
    auto kernel = engine.compile(expression, {.mode = mode});
    const Status status = kernel ? call.run(*kernel) : kernel.error();
    setTime(state, Clock::now() - start);
    if (!succeeded(state, status))
      return;
    if (mode == Mode::Tiered)
      settle(engine, *kernel);
  }
}

void tools::timeDisk(benchmark::State &state, const std::string &expression) {
  const ScratchDirectory directory;
  const EngineOptions options{.cacheDirectory = directory.path()};
  if (auto first = Engine(options).compile(expression); !first) {
    succeeded(state, first.error());
    return;
  }
  for (auto _ : state) {
    const Engine engine(options);
    const auto start = Clock::now();
    auto kernel = engine.compile(expression);
    setTime(state, Clock::now() - start);
    if (!kernel || engine.stats().diskHits != 1) {
      state.SkipWithError("not found on disk");
      return;
    }
  }
}

void tools::timeLookup(benchmark::State &state, const std::string &expression) {
  static const Engine engine;
  for (auto _ : state) {
    auto kernel = engine.compile(expression);
    if (!kernel) {
      succeeded(state, kernel.error());
      return;
    }
    benchmark::DoNotOptimize(kernel);
  }
}
