//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Jobs.h"
#include "Host/Ways.h"

using namespace kexpr;
using namespace kexpr::test;

// Calls on threads of the host's, by executors that keep their contract.

namespace {
/// Who is given the executor.
enum class Given { ToEngine, ToCall };

using Case = std::tuple<Way, Given, Mode>;
class HostExecutor : public testing::TestWithParam<Case> {};
} // namespace

static Engine engineOn(const Executor &executor) {
  EngineOptions options;
  options.executor = executor;
  return Engine(options);
}

/// Runs all jobs by the parameter's executor.
static void runAll(const Case &parameter) {
  const auto &[way, given, mode] = parameter;
  Host host(way);
  const Engine engine = given == Given::ToEngine ? engineOn(host) : Engine();
  RunOptions options = inTasks();
  if (given == Given::ToCall)
    options.executor = host;
  for (const Job &job : JobMaker(engine, mode).make()) {
    const int before = host.calls;
    EXPECT_TRUE(job.works(options));
    EXPECT_GT(host.calls, before) << job.name;
    options.stores = Stores::Streamed;
    EXPECT_TRUE(job.works(options));
    options.stores = Stores::Choose;
  }
}

TEST_P(HostExecutor, ComputesTheBitsOfOneThread) {
  EXPECT_TRUE(endsWell([] { runAll(GetParam()); }));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, HostExecutor,
    testing::Combine(testing::ValuesIn(GoodWays),
                     testing::Values(Given::ToEngine, Given::ToCall),
                     testing::Values(Mode::Optimized, Mode::Interpret)));

TEST(Executors, ACallsOwnComesBeforeItsEngines) {
  EXPECT_TRUE(endsWell([] {
    Host engines(GoodWays[1]), calls(GoodWays[2]);
    for (const Job &job : JobMaker(engineOn(engines), Mode::Baseline).make()) {
      RunOptions options = inTasks();
      options.executor = calls;
      EXPECT_TRUE(job.works(options));
    }
    EXPECT_EQ(engines.calls, 0);
    EXPECT_GT(calls.calls, 0);
  }));
}

TEST(Executors, OneThreadAndSmallCallsNeedNone) {
  EXPECT_TRUE(endsWell([] {
    Host host(GoodWays[0]);
    const Engine engine = engineOn(host);
    for (const Job &job : JobMaker(engine, Mode::Baseline).make())
      EXPECT_TRUE(job.works(onThreads(1)));
    EXPECT_TRUE(works(engine, 2, Mode::Baseline, 1000));
    EXPECT_EQ(host.calls, 0);
  }));
}

TEST(Executors, TasksAreNoMoreThanThreads) {
  EXPECT_TRUE(endsWell([] {
    for (const unsigned threads : {0u, 1u, 2u, 3u, 64u, 65u, 1000u, ~0u})
      for (const unsigned most : {0u, 2u, 200u}) {
        static std::atomic<std::int64_t> tasks;
        tasks = 1;
        Host host({"",
                   [](std::int64_t count, Executor::Tasks run, void *call) {
                     tasks = count;
                     run(0, count, call);
                   }},
                  threads);
        const Engine engine = engineOn(host);
        RunOptions options = inTasks();
        options.maxThreads = most;
        EXPECT_TRUE(works(engine, 2, Mode::Interpret, 400000, options));
        EXPECT_TRUE(most == 0 || tasks <= most) << threads << ' ' << most;
        EXPECT_TRUE(threads == 0 || tasks <= threads) << threads << ' ' << most;
      }
  }));
}

TEST(Executors, SixteenCallersShareOne) {
  for (const Way &way : GoodWays)
    EXPECT_TRUE(endsWell([&] {
      Host host(way);
      const Engine engine = engineOn(host);
      std::vector<std::thread> callers;
      for (int caller = 0; caller < 16; ++caller)
        callers.emplace_back([&] {
          const auto jobs = JobMaker(engine, Mode::Baseline).make();
          for (int round = 0; round < rounds(3); ++round)
            for (const Job &job : jobs)
              EXPECT_TRUE(job.works(inTasks()));
        });
      for (std::thread &caller : callers)
        caller.join();
    })) << way.name;
}

/// Calls kexpr by another executor before, beside and after its tasks.
static void nest(std::int64_t count, Executor::Tasks tasks, void *call) {
  static const Engine engine;
  const auto again = [] {
    Host inner(GoodWays[2]);
    RunOptions options = inTasks();
    options.executor = inner;
    EXPECT_TRUE(works(engine, 3, Mode::Interpret, 20000, options));
    EXPECT_TRUE(works(engine, 4, Mode::Interpret, 20000));
  };
  again();
  std::thread beside(again);
  for (std::int64_t i = 0; i < count; ++i) {
    tasks(i, i + 1, call);
    again();
  }
  beside.join();
}

/// Runs a sum of transposed operands, whose tiles are copied, by an executor.
static testing::AssertionResult
addsTransposed(const Engine &engine, int operands, const Executor &executor) {
  constexpr std::int64_t n = 256;
  std::string text = "@0";
  for (int i = 1; i < operands; ++i)
    text = "add(" + text + ",@" + std::to_string(i) + ")";
  const auto kernel = engine.compile(text, in(Mode::Baseline));
  if (!kernel)
    return testing::AssertionFailure() << kernel.error().render();
  std::vector<float> x(n * n), out(n * n);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i);
  const std::vector<TensorView> inputs(
      operands, TensorView(static_cast<const void *>(x.data()), DType::F32,
                           {n, n}, {1, n}));
  RunOptions options = inTasks();
  options.executor = executor;
  if (const Status status =
          kernel->run(inputs, TensorView(out.data(), {n, n}), options);
      !status)
    return testing::AssertionFailure() << status.error().render();
  for (std::int64_t i = 0; i < n * n; ++i)
    if (out[i] != static_cast<float>(operands) * x[i % n * n + i / n])
      return testing::AssertionFailure() << "element " << i;
  return testing::AssertionSuccess();
}

TEST(Executors, ACallMayNeedMoreThanTheOneItIsMadeIn) {
  static const Engine engine;
  const auto larger = [](std::int64_t count, Executor::Tasks tasks,
                         void *call) {
    EXPECT_TRUE(addsTransposed(engine, 24, Host(GoodWays[0])));
    tasks(0, count, call);
  };
  // A thread of its own keeps no memory of earlier calls.
  EXPECT_TRUE(endsWell([&] {
    std::thread([&] {
      EXPECT_TRUE(addsTransposed(engine, 1, Host({"", larger})));
    }).join();
  }));
}

TEST(Executors, OneThatCallsKexprIsRight) {
  EXPECT_TRUE(endsWell([] { runAll({{"", nest}, Given::ToCall, {}}); }));
  EXPECT_TRUE(endsWell([] { runAll({{"", nest}, Given::ToEngine, {}}); }));
}
