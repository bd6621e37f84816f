//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts at each of the default ParseLimits: from text to the first result, over
// 64 elements, of an engine that knows nothing. All operands are ones, so that
// every result is known.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"

#include <algorithm>
#include <chrono>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

using Clock = std::chrono::steady_clock;

namespace {
struct Case {
  std::string name;
  std::string text;
  float result; ///< Every element of every output.
};

/// The tensors of a call of a case.
struct Call {
  explicit Call(const Kernel &kernel)
      : ones(64, 1), results(kernel.outputCount() * 64),
        inputs(kernel.expression().operandCount(), {ones.data(), {64}}) {
    for (std::size_t i = 0; i < kernel.outputCount(); ++i)
      outputs.push_back({results.data() + i * 64, {64}});
  }

  std::vector<float> ones, results;
  std::vector<TensorView> inputs, outputs;
};
} // namespace

static std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ",") + part;
  return text;
}

/// The sum of the parts, as a tree of little depth.
static std::string sum(std::vector<std::string> parts) {
  while (parts.size() > 1) {
    std::vector<std::string> halves;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
      halves.push_back("add(" + parts[i] + "," + parts[i + 1] + ")");
    if (parts.size() % 2)
      halves.push_back(parts.back());
    parts = std::move(halves);
  }
  return parts[0];
}

/// So many parts, made of their numbers.
template <class F>
static std::vector<std::string> parts(unsigned count, F part) {
  std::vector<std::string> all;
  for (unsigned i = 0; i < count; ++i)
    all.push_back(part(i));
  return all;
}

static std::string repeated(const std::string &word, unsigned times) {
  std::string text;
  for (unsigned i = 0; i < times; ++i)
    text += word;
  return text;
}

static std::string operand(unsigned index) {
  return "@" + std::to_string(index);
}

/// A call of two operands that no other number gives.
static std::string pairOf(const char *name, unsigned i) {
  return std::string(name) + "(" + operand(i % 128) + "," +
         operand(128 + i / 128) + ")";
}

static std::vector<Case> lengthCases() {
  const std::string zeros(1000, '0');
  const auto longLiteral = [&](unsigned i) {
    return "mul(@0," + std::to_string(i) + "." + zeros + ")";
  };
  const std::string digits(1'000'000, '1');
  return {
      {"length/literals", sum(parts(1000, longLiteral)), 499500},
      {"length/literal", "maximum(@0,0." + digits + ")", 1},
      {"length/blanks", "neg(neg(" + std::string(1'000'000, ' ') + "@0))", 1}};
}

static std::vector<Case> depthCases() {
  constexpr unsigned most = 4096;
  return {
      {"depth/add", repeated("add(", most) + "@0" + repeated(",@0)", most),
       most + 1},
      {"depth/pow", repeated("pow(", most) + "@0" + repeated(",@1)", most), 1},
      {"depth/sqrt", repeated("sqrt(", most) + "@0" + repeated(")", most), 1}};
}

static std::vector<Case> nodeCases() {
  const auto call = [](const char *name) {
    return [name](unsigned i) { return pairOf(name, i); };
  };
  const auto product = call("mul");
  const auto same = [](unsigned) { return std::string("@0"); };
  return {{"nodes/mul", sum(parts(16384, product)), 16384},
          {"nodes/pow", sum(parts(16384, call("pow"))), 16384},
          {"nodes/shared", sum(parts(32768, same)), 32768},
          {"nodes/outputs", "[" + join(parts(21845, product)) + "]", 1},
          {"nodes/copies", "[" + join(parts(65535, same)) + "]", 1}};
}

static std::vector<Case> operandCases() {
  return {
      {"operands/sum", sum(parts(32768, operand)), 32768},
      {"operands/outputs",
       "[" +
           join(parts(32767,
                      [](unsigned i) { return "neg(" + operand(i) + ")"; })) +
           "]",
       -1},
      {"operands/last", "add(@0,@65535)", 2}};
}

static std::vector<Case> literalCases() {
  // Each pair cancels.
  const auto term = [](unsigned i) {
    return std::string(i % 2 ? "mul(@0,-" : "mul(@0,") + std::to_string(i / 2) +
           ".5)";
  };
  const auto bounds = [](unsigned i) {
    return "clamp(@0,-" + std::to_string(i) + ".5," + std::to_string(i + 1) +
           ".5)";
  };
  return {{"literals/sum", sum(parts(16384, term)), 0},
          {"literals/outputs", "[" + join(parts(16383, bounds)) + "]", 1}};
}

/// Compiles and runs a case once; how long that took.
static Expected<Clock::duration> timeOf(const Case &each, Mode mode) {
  const auto start = Clock::now();
  const Engine engine;
  const auto kernel = engine.compile(each.text, {.mode = mode});
  if (!kernel)
    return kernel.error();
  const auto compiled = Clock::now();
  Call call(*kernel);
  const auto prepared = Clock::now();
  if (auto status = kernel->run(call.inputs, call.outputs); !status)
    return status.error();
  const auto end = Clock::now();
  if (std::any_of(call.results.begin(), call.results.end(),
                  [&](float value) { return value != each.result; }))
    return Error(ErrorCode::InvalidArgument, "the result is wrong");
  return (compiled - start) + (end - prepared);
}

static void timeCase(benchmark::State &state, const Case &each, Mode mode) {
  for (auto _ : state) {
    const auto time = timeOf(each, mode);
    if (!time) {
      succeeded(state, time.error());
      return;
    }
    state.SetIterationTime(std::chrono::duration<double>(*time).count());
  }
}

static void registerCases(std::vector<Case> cases) {
  constexpr std::pair<const char *, Mode> modes[] = {
      {"interpret", Mode::Interpret},
      {"tiered", Mode::Tiered},
      {"baseline", Mode::Baseline},
      {"optimized", Mode::Optimized}};
  for (Case &each : cases) {
    const auto shared = std::make_shared<const Case>(std::move(each));
    for (const auto &[name, mode] : modes)
      benchmark::RegisterBenchmark((shared->name + "/" + name).c_str(),
                                   [shared, mode = mode](auto &state) {
                                     timeCase(state, *shared, mode);
                                   })
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
  }
}

int main(int argc, char **argv) {
  const Engine engine;
  for (const auto &cases : {lengthCases(), depthCases(), nodeCases(),
                            operandCases(), literalCases()})
    registerCases(cases);
  return runSuite(argc, argv, engine, {});
}
