//===- Host/LoadedThread.h - One thread of a mixed load -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_LOADEDTHREAD_H
#define KEXPR_UNITTESTS_HOST_LOADEDTHREAD_H

#include "Api/NumberedExpressions.h"

#include <array>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace kexpr::test {

/// Threads of a host that come and go: a call is done by three.
inline Executor inThirds() {
  Executor executor;
  executor.threads = 3;
  executor.run = [](void *, std::int64_t count, Executor::Tasks tasks,
                    void *call) {
    const std::int64_t third = count / 3;
    std::thread first(tasks, 0, third, call);
    std::thread second(tasks, third, 2 * third, call);
    tasks(2 * third, count, call);
    first.join();
    second.join();
  };
  return executor;
}

/// What all threads share: engines, and operands that nobody writes.
struct Load {
  static constexpr std::size_t MaxCount = 100000;

  explicit Load(std::vector<Engine> subjects) : engines(std::move(subjects)) {
    for (std::size_t k = 0; k < operands.size(); ++k)
      for (std::size_t i = 0; i < 2 * MaxCount; ++i)
        operands[k].push_back(
            0.5f + static_cast<float>((i * 13 + k * 29) % 41) / 37.0f);
  }

  std::vector<Engine> engines;
  Engine interpreter;
  std::array<std::vector<float>, 3> operands;
};

/// Compiles, calls and compares, each time in another way.
class LoadedThread {
public:
  LoadedThread(const Load &load, unsigned seed) : load(load), random(seed) {}

  /// What was wrong with a few calls; empty if nothing was.
  std::string takeTurn() {
    if (below(200) == 0)
      return leaveAnEngineAtWork();
    if (held.size() < 4 || below(4) != 0)
      if (std::string problem = compileOne(); !problem.empty())
        return problem;
    const Kernel kernel = held[below(held.size())];
    for (std::uint32_t i = below(3) + 1; i > 0; --i)
      if (const std::string problem = callOne(kernel); !problem.empty())
        return problem + " from " + kernel.expression().canonical();
    return {};
  }

private:
  static constexpr Mode Modes[] = {Mode::Optimized, Mode::Baseline,
                                   Mode::Interpret, Mode::Tiered};

  std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  }
  /// Mostly one of many that are quick to compile.
  std::string makeText() {
    if (below(32) != 0)
      return numbered(below(600));
    std::string text = "@2";
    for (std::uint32_t i = below(16) + 1; i > 0; --i)
      text = "add(tanh(" + text + "),exp(@" + std::to_string(i % 2) + "))";
    return text;
  }
  std::string compileOne() {
    const std::string text = makeText();
    auto kernel = load.engines[below(load.engines.size())].compile(
        text, {.mode = Modes[below(4)]});
    if (!kernel)
      return text + ": " + kernel.error().render();
    // Those that are held outlive their places in the caches.
    held.push_back(*kernel);
    if (held.size() > 4)
      held.pop_front();
    return {};
  }
  /// An engine of its own that goes while its background thread works.
  std::string leaveAnEngineAtWork() {
    EngineOptions options;
    options.warmUp = below(2) != 0;
    const Engine engine(options);
    const std::string text = makeText();
    const auto kernel = engine.compile(text, {.mode = Mode::Tiered});
    return kernel && isRight(*kernel, load.interpreter, text)
               ? std::string()
               : "an engine of its own was wrong about " + text;
  }

  /// Operands of `count` elements: contiguous, one element, every other one.
  std::vector<TensorView> inputsOf(std::int64_t count,
                                   std::size_t pattern) const {
    std::vector<TensorView> inputs;
    for (const auto &operand : load.operands)
      inputs.emplace_back(operand.data() + count % 7, Shape{count});
    if (pattern == 1)
      inputs[1] = TensorView(load.operands[1].data(), {1});
    if (pattern == 2)
      inputs[0] = TensorView(static_cast<const void *>(load.operands[0].data()),
                             DType::F32, Shape{count}, Shape{2});
    return inputs;
  }
  RunOptions makeOptions() {
    RunOptions options;
    options.maxThreads = below(3);
    options.tileElements = below(4) == 0 ? 1000 : 0;
    options.stores = below(8) == 0 ? Stores::Streamed : Stores::Choose;
    if (below(16) == 0)
      options.stayAwake = std::chrono::microseconds(100);
    if (below(8) == 0)
      options.executor = inThirds();
    return options;
  }
  std::string callOne(const Kernel &kernel) {
    const auto count = static_cast<std::int64_t>(
        1 + below(below(8) == 0 ? Load::MaxCount : 500));
    const auto inputs = inputsOf(count, below(4));
    out.assign(static_cast<std::size_t>(count), -1);
    expected.assign(out.size(), -2);
    if (const Status status = callIn(below(4), kernel, inputs); !status)
      return status.error().render();
    const auto oracle = load.interpreter.compile(kernel.expression(),
                                                 {.mode = Mode::Interpret});
    if (!oracle || !oracle->run(inputs, TensorView(expected.data(), {count}),
                                {.maxThreads = 1}))
      return "the interpreter refuses";
    return std::memcmp(out.data(), expected.data(), out.size() * sizeof(float))
               ? "wrong results"
               : std::string();
  }
  Status callIn(std::uint32_t way, const Kernel &kernel,
                const std::vector<TensorView> &inputs) {
    const TensorView output(out.data(),
                            {static_cast<std::int64_t>(out.size())});
    const RunOptions options = makeOptions();
    if (way == 0)
      return kernel.run(inputs, output, options);
    if (way == 1)
      return kernel.runBatch(inputs, output, options);
    if (way == 2) {
      const auto bound = kernel.bind(inputs, output, options);
      return bound ? bound->run() : Status(bound.error());
    }
    const auto prepared = kernel.prepare(inputs, output, options);
    if (!prepared)
      return prepared.error();
    std::vector<const void *> from;
    for (const TensorView &input : inputs)
      from.push_back(input.data());
    const std::array<void *, 1> to = {out.data()};
    return prepared->run(from, to);
  }

  const Load &load;
  std::mt19937 random;
  std::deque<Kernel> held;
  std::vector<float> out, expected;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_LOADEDTHREAD_H
