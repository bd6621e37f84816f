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

/// The kernel that `make` gives, or its error, which is reported to `state`;
/// the call is the time of the iteration.
template <class F>
static auto timeMaking(benchmark::State &state, const F &make) {
  const auto start = Clock::now();
  auto made = make();
  state.SetIterationTime(
      std::chrono::duration<double>(Clock::now() - start).count());
  succeeded(state, made ? Status() : made.error());
  return made;
}

/// A cache in memory for one kernel.
static EngineOptions oneKernel() { return {.maxKernels = 1}; }

/// Compiles another kernel, which evicts the last one.
static Status forget(const Engine &engine) {
  auto other = engine.compile("neg(@0)", {.mode = Mode::Interpret});
  return other ? Status() : Status(other.error());
}

void tools::timeCompile(benchmark::State &state, const std::string &expression,
                        const CompileOptions &options) {
  const Engine engine(oneKernel());
  const std::pair<const char *, std::chrono::nanoseconds CompileTimes::*>
      stages[] = {{"parse", &CompileTimes::parse},
                  {"plan", &CompileTimes::plan},
                  {"emit", &CompileTimes::emit},
                  {"codegen", &CompileTimes::codegen},
                  {"link", &CompileTimes::link}};
  CompileTimes sum;
  for (auto _ : state) {
    const auto kernel =
        timeMaking(state, [&] { return engine.compile(expression, options); });
    if (!kernel || !succeeded(state, forget(engine)))
      return;
    for (const auto &[name, time] : stages)
      sum.*time += kernel->compileTimes().*time;
  }
  for (const auto &[name, time] : stages)
    state.counters[name] =
        benchmark::Counter(std::chrono::duration<double>(sum.*time).count(),
                           benchmark::Counter::kAvgIterations);
}

namespace {
/// Tensors for one call of an expression over contiguous f32 operands.
class FirstCall {
public:
  explicit FirstCall(const std::string &expression) : values(Elements, 0.5f) {
    if (auto parsed = Expression::parse(expression))
      inputs.assign(parsed->operandCount(),
                    TensorView(values.data(), {Elements}));
  }
  /// Allocates the outputs, whose types and shapes an interpreted kernel knows:
  /// outside of the time that is measured.
  Status prepare(const Engine &engine, const std::string &expression) {
    auto kernel = engine.compile(expression, {.mode = Mode::Interpret});
    if (!kernel)
      return kernel.error();
    for (std::size_t i = 0; i < kernel->outputCount(); ++i) {
      const auto shape = kernel->outputShape(inputs, i);
      if (!shape)
        return shape.error();
      const DType type = kernel->outputType(i);
      results.emplace_back(shape->elementCount() * sizeOf(type));
      outputs.emplace_back(results.back().data(), type, *shape);
    }
    return {};
  }
  Status run(const Kernel &kernel) const { return kernel.run(inputs, outputs); }

private:
  static constexpr std::int64_t Elements = 4096;

  std::vector<float> values;
  std::vector<TensorView> inputs, outputs;
  std::vector<std::vector<char>> results;
};
} // namespace

/// Waits for the last tier without sleeping: after a sleep the core's caches
/// are cold, which would be measured as well.
static void settle(const Engine &engine, const Kernel &kernel) {
  const auto start = Clock::now();
  while (kernel.tier() != Tier::Optimized &&
         Clock::now() - start < std::chrono::seconds(1))
    ;
  engine.settle();
}

void tools::timeFirst(benchmark::State &state, const std::string &expression,
                      const CompileOptions &options) {
  const Engine engine(oneKernel());
  FirstCall call(expression);
  if (!succeeded(state, call.prepare(engine, expression)))
    return;
  for (auto _ : state) {
    if (!succeeded(state, forget(engine)))
      return;
    const auto kernel = timeMaking(state, [&]() -> Expected<Kernel> {
      auto made = engine.compile(expression, options);
      const Status status = made ? call.run(*made) : made.error();
      if (!status)
        return status.error();
      return made;
    });
    if (!kernel)
      return;
    if (options.mode == Mode::Tiered)
      settle(engine, *kernel);
  }
}

void tools::timeDisk(benchmark::State &state, const std::string &expression,
                     const CompileOptions &options) {
  const ScratchDirectory directory;
  const EngineOptions cached{.cacheDirectory = directory.path()};
  const auto first = Engine(cached).compile(expression, options);
  if (!succeeded(state, first ? Status() : first.error()))
    return;
  for (auto _ : state) {
    const Engine engine(cached);
    const auto kernel =
        timeMaking(state, [&] { return engine.compile(expression, options); });
    const EngineStats stats = engine.stats();
    if (!kernel || stats.diskHits == 0 || stats.diskMisses > 0)
      return state.SkipWithError("not found on disk");
  }
}

void tools::timeLookup(benchmark::State &state, const std::string &expression,
                       const CompileOptions &options) {
  static const Engine engine;
  for (auto _ : state) {
    auto kernel = engine.compile(expression, options);
    if (!kernel)
      return static_cast<void>(succeeded(state, kernel.error()));
    benchmark::DoNotOptimize(kernel);
  }
}
