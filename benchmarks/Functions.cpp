//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of one function against SLEEF's and glibc's vector functions of the
// same width, in cache, on one thread, measured in turns in one run.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "VectorLibraries.h"
#include "kexpr/kexpr.h"

#include "Ops/Table.h"

#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <random>

using namespace kexpr;
using namespace kexpr::tools;
using kexpr::benchmarks::LibraryFunction;
using kexpr::benchmarks::LibraryLoop;

/// Two operands and a result fit any second-level cache.
static constexpr std::int64_t elements = 8192;
static constexpr unsigned widths[] = {256, 512};

namespace {
/// The operands of a function and where its results go.
struct Buffers {
  alignas(64) float x[elements], y[elements], out[elements];

  explicit Buffers(std::string_view name) {
    const ops::Domain domain = ops::table()[*ops::find(name)].info.domain;
    // Neither overflow nor, but for the ends, the edges of the domain.
    std::uniform_real_distribution<float> draw(
        static_cast<float>(std::max(domain.low, -10.0)),
        static_cast<float>(std::min(domain.high, 10.0)));
    std::mt19937 generator(3);
    for (std::int64_t i = 0; i < elements; ++i) {
      x[i] = draw(generator);
      y[i] = draw(generator);
    }
  }
};
} // namespace

/// Engines by the width of their vectors; 256 bits are those of AVX2.
static std::map<unsigned, Engine> engines() {
  std::map<unsigned, Engine> result;
  for (unsigned width : widths) {
    EngineOptions options{.cpu = width == 256 ? "haswell" : "",
                          .features = {},
                          .vectorBits = width};
    const Engine engine(options);
    if (engine.vectorBits() == width)
      result.emplace(width, engine);
  }
  return result;
}

static std::string nameOf(const LibraryFunction &function,
                          std::string_view side, unsigned width) {
  return std::string(function.name) + "/" + std::string(side) + "/" +
         std::to_string(width);
}

static void count(benchmark::State &state) {
  state.SetItemsProcessed(state.iterations() * elements);
}

static void runKernel(benchmark::State &state, const Engine &engine,
                      const LibraryFunction &function, Precision precision) {
  auto memory = std::make_unique<Buffers>(function.name);
  const auto op = *ops::find(function.name);
  std::string call = std::string(function.name) + "(@0";
  call += ops::table()[op].arity == 2 ? ",@1)" : ")";
  const auto kernel = engine.compile(call, {.precision = precision});
  if (!kernel) {
    state.SkipWithError(kernel.error().message().c_str());
    return;
  }
  const Shape shape{elements};
  const std::vector<TensorView> inputs = {{memory->x, shape},
                                          {memory->y, shape}};
  const TensorView output(memory->out, shape);
  const auto bound = kernel->bind(inputs, output, {.maxThreads = 1});
  if (!bound) {
    state.SkipWithError(bound.error().message().c_str());
    return;
  }
  for (auto _ : state) {
    if (!bound->run())
      return state.SkipWithError("a bound call failed");
    benchmark::ClobberMemory();
  }
  count(state);
}

/// Whether what is timed is the function: within some ulp of the reference.
static bool isRight(const LibraryFunction &function, const Buffers &memory) {
  const ops::OpEntry &entry = ops::table()[*ops::find(function.name)];
  for (std::int64_t i = 0; i < elements; ++i) {
    const double arguments[] = {memory.x[i], memory.y[i]};
    const double exact = entry.reference(arguments);
    if (!(std::fabs(memory.out[i] - exact) <= 1e-6 * std::fabs(exact) + 1e-30))
      return std::isnan(exact) && std::isnan(memory.out[i]);
  }
  return true;
}

static void runLibrary(benchmark::State &state, const LibraryFunction &function,
                       LibraryLoop loop) {
  auto memory = std::make_unique<Buffers>(function.name);
  loop(elements, memory->x, memory->y, memory->out);
  if (!isRight(function, *memory)) {
    state.SkipWithError("the library's results are not those of the function");
    return;
  }
  for (auto _ : state) {
    loop(elements, memory->x, memory->y, memory->out);
    benchmark::ClobberMemory();
  }
  count(state);
}

static void registerFunction(const LibraryFunction &function, unsigned width,
                             const Engine &engine) {
  auto add = [&](std::string_view side, auto run) {
    benchmark::RegisterBenchmark(nameOf(function, side, width).c_str(), run);
  };
  add("default", [&](auto &state) {
    runKernel(state, engine, function, Precision::Default);
  });
  add("accurate", [&](auto &state) {
    runKernel(state, engine, function, Precision::Accurate);
  });
  add("fast", [&](auto &state) {
    runKernel(state, engine, function, Precision::Fast);
  });
  const int wide = width == 512;
  for (auto [side, loop] : {std::pair("sleef", function.sleef[wide]),
                            std::pair("libmvec", function.libmvec[wide])})
    if (loop)
      add(side, [&function, loop = loop](auto &state) {
        runLibrary(state, function, loop);
      });
}

static void summarize(const RunLog &log) {
  Table table({"function", "bits", "default ns", "accurate ns", "fast ns",
               "sleef ns", "libmvec ns", "sleef / default", "libmvec / default",
               "sleef / accurate", "libmvec / fast"});
  for (unsigned width : widths)
    for (const LibraryFunction &function : benchmarks::libraryFunctions()) {
      auto time = [&](std::string_view side) {
        const auto *result = log.find(nameOf(function, side, width));
        return result ? result->seconds * 1e9 / elements : NAN;
      };
      auto cell = [](double value, int digits) {
        return std::isnan(value) ? std::string("-") : number(value, digits);
      };
      const double ours = time("default"), accurate = time("accurate"),
                   fast = time("fast");
      const double sleef = time("sleef"), libmvec = time("libmvec");
      if (std::isnan(ours))
        continue;
      table.add({function.name, std::to_string(width), cell(ours, 3),
                 cell(accurate, 3), cell(fast, 3), cell(sleef, 3),
                 cell(libmvec, 3), cell(sleef / ours, 2),
                 cell(libmvec / ours, 2), cell(sleef / accurate, 2),
                 cell(libmvec / fast, 2)});
    }
  std::cout << "\nOne thread, " << elements
            << " elements in cache, nanoseconds an element; medians of the "
               "repetitions.\nSLEEF's functions keep to 1.0 ulp (its sigmoid, "
               "made of exp, to 1.6), libmvec's to 4.\n\n";
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const auto all = engines();
  for (const auto &[width, engine] : all)
    for (const LibraryFunction &function : benchmarks::libraryFunctions())
      registerFunction(function, width, engine);
  return runSuite(argc, argv, Engine(),
                  {"--benchmark_min_time=0.01", "--benchmark_repetitions=7",
                   "--benchmark_enable_random_interleaving=true",
                   "--benchmark_report_aggregates_only=true"},
                  summarize);
}
