//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements a second by element type, one thread. Where memory is the limit,
// halves should run twice as fast as f32.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Common/Array.h"

#include <cstring>
#include <iostream>
#include <memory>
#include <optional>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr std::pair<const char *, const char *> expressions[] = {
    {"E1", "add(@0,@1)"}, {"E2", "add(mul(@0,@1),@2)"}};
static constexpr DType types[] = {DType::F32, DType::F16, DType::BF16,
                                  DType::F64, DType::I8,  DType::I32};
/// Second-level cache, memory.
static constexpr std::int64_t sizes[] = {32000, 64000000};

static std::string nameOf(std::string_view expression, DType type,
                          std::int64_t size) {
  return std::string(expression) + '/' + std::string(kexpr::nameOf(type)) +
         '/' + std::to_string(size);
}

namespace {
/// One expression over tensors of one type, with its result by the interpreter
/// for the first elements.
class Case {
public:
  static std::shared_ptr<Case> make(const Engine &engine, const char *text,
                                    DType type, std::int64_t size) {
    auto result = std::make_shared<Case>();
    result->options.operandTypes.assign(3, type);
    auto kernel = engine.compile(text, result->options);
    if (!kernel)
      return nullptr;
    result->kernel = *kernel;
    for (std::uint32_t k = 0; k <= kernel->expression().operandCount(); ++k) {
      auto array = Array::make(type, {size});
      if (!array)
        return nullptr;
      for (std::int64_t i = 0; i < size; ++i)
        array->set(i, static_cast<double>((i * (2 * k + 3)) % 101) * 0.25 - 9);
      result->arrays.push_back(std::move(*array));
    }
    return result->isRight(text, size) ? result : nullptr;
  }

  bool run() const {
    std::vector<TensorView> inputs;
    for (std::size_t k = 1; k < arrays.size(); ++k)
      inputs.push_back(arrays[k].view());
    return static_cast<bool>(
        kernel->run(inputs, arrays[0].view(), {.maxThreads = 1}));
  }
  std::size_t bytes() const { return arrays.size() * arrays[0].bytes(); }

private:
  bool isRight(const char *text, std::int64_t size) const {
    const std::int64_t count = std::min<std::int64_t>(size, 4096);
    CompileOptions interpret = options;
    interpret.mode = Mode::Interpret;
    auto reference = Engine().compile(text, interpret);
    auto expected = Array::make(arrays[0].type(), {count});
    if (!reference || !expected || !run())
      return false;
    std::vector<TensorView> inputs;
    for (std::size_t k = 1; k < arrays.size(); ++k)
      inputs.emplace_back(arrays[k].data(), arrays[k].type(), Shape{count});
    return reference->run(inputs, expected->view()) &&
           std::memcmp(expected->data(), arrays[0].data(), expected->bytes()) ==
               0;
  }

  CompileOptions options;
  std::optional<Kernel> kernel;
  std::vector<Array> arrays; ///< The output, then the operands.
};
} // namespace

static void runCase(benchmark::State &state, const Engine &engine,
                    const char *text, DType type, std::int64_t size) {
  const auto work = Case::make(engine, text, type, size);
  if (!work) {
    state.SkipWithError("the result is not the interpreter's");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(work->run());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * size);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(work->bytes()));
}

static void summarize(const RunLog &log) {
  Table table({"expression", "elements", "type", "ns/element", "f32 / it"});
  for (const auto &[name, text] : expressions)
    for (std::int64_t size : sizes)
      for (DType type : types) {
        const auto *one = log.find(nameOf(name, type, size));
        const auto *single = log.find(nameOf(name, DType::F32, size));
        if (one && single)
          table.add({name, std::to_string(size),
                     std::string(kexpr::nameOf(type)),
                     number(one->seconds * 1e9 / static_cast<double>(size), 3),
                     number(single->seconds / one->seconds, 2)});
      }
  std::cout << '\n';
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const Engine engine;
  for (const auto &[name, text] : expressions)
    for (std::int64_t size : sizes)
      for (DType type : types)
        benchmark::RegisterBenchmark(
            nameOf(name, type, size).c_str(),
            [&engine, text = text, type, size](benchmark::State &state) {
              runCase(state, engine, text, type, size);
            })
            ->UseRealTime();
  return runSuite(argc, argv, engine,
                  {"--benchmark_min_time=0.1", "--benchmark_repetitions=5",
                   "--benchmark_enable_random_interleaving=true",
                   "--benchmark_report_aggregates_only=true"},
                  summarize);
}
