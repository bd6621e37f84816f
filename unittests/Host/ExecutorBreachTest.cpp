//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Jobs.h"
#include "Host/Ways.h"

#include <tbb/parallel_for.h>

#include <limits>
#include <new>
#include <stdexcept>

using namespace kexpr;
using namespace kexpr::test;

// Executors that break their contract: calls are right or say so, and come
// back.

static constexpr std::int64_t Least = std::numeric_limits<std::int64_t>::min();
static constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max();

namespace {
/// Tasks that an executor did not forget.
struct Kept {
  Executor::Tasks tasks;
  void *call;
  std::int64_t count;
};

class Memory {
public:
  void keep(const Kept &call) {
    const std::lock_guard lock(mutex);
    all.push_back(call);
  }
  std::vector<Kept> calls() {
    const std::lock_guard lock(mutex);
    return all;
  }

private:
  std::mutex mutex;
  std::vector<Kept> all;
};
} // namespace

static Memory memory;

/// Does some of the tasks that were kept, again.
static void repeatSome() {
  for (const Kept &kept : memory.calls()) {
    kept.tasks(0, kept.count, kept.call);
    kept.tasks(1, 2, kept.call);
  }
}

static void cancelled(std::int64_t count, Executor::Tasks tasks, void *call) {
  tbb::task_group_context context;
  context.cancel_group_execution();
  tbb::parallel_for(
      std::int64_t{0}, count, [=](std::int64_t i) { tasks(i, i + 1, call); },
      context);
}

static constexpr Way breaches[] = {
    {"does nothing", [](std::int64_t, Executor::Tasks, void *) {}},
    {"a cancelled group", cancelled},
    {"half", [](std::int64_t count, Executor::Tasks tasks,
                void *call) { tasks(0, count / 2, call); }},
    {"twice",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       std::thread again([=] { inReverse(count, tasks, call); });
       onFreshThreads(count, tasks, call);
       again.join();
     }},
    {"out of range",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       tasks(-5, -1, call);
       tasks(count, count + 100, call);
       tasks(Most - 1, Most, call);
     }},
    {"huge ranges",
     [](std::int64_t, Executor::Tasks tasks, void *call) {
       tasks(Least, Most, call);
       tasks(0, Most, call);
       tasks(Least, 0, call);
     }},
    {"ranges that end before they begin",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       tasks(count, 0, call);
       tasks(Most, Least, call);
       tasks(0, Least, call);
     }},
    {"throws an exception",
     [](std::int64_t, Executor::Tasks tasks, void *call) {
       tasks(0, 1, call);
       throw std::runtime_error("no threads today");
     }},
    {"throws a number", [](std::int64_t, Executor::Tasks, void *) { throw 5; }},
    {"throws bad_alloc",
     [](std::int64_t, Executor::Tasks, void *) { throw std::bad_alloc(); }},
    {"throws behind its tasks",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       onFreshThreads(count, tasks, call);
       throw std::logic_error("done");
     }},
    {"throws beside its tasks",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       for (std::int64_t i = 0; i < count; ++i)
         std::thread([=] { tasks(i, i + 1, call); }).detach();
       throw std::logic_error("not done");
     }},
    {"returns beside its tasks",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       for (std::int64_t i = 0; i < count; ++i)
         std::thread([=] { tasks(i, i + 1, call); }).detach();
     }},
    {"one task later",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       memory.keep({tasks, call, count});
       std::thread([=] {
         std::this_thread::sleep_for(std::chrono::milliseconds(2));
         tasks(0, count, call);
       }).detach();
     }},
    {"those of other calls",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       repeatSome();
       memory.keep({tasks, call, count});
       tasks(0, 1, call);
       repeatSome();
     }},
};

namespace {
using BreachCase = std::tuple<Way, Mode>;
class ExecutorBreach : public testing::TestWithParam<BreachCase> {};
} // namespace

TEST_P(ExecutorBreach, IsAnErrorOrTheRightBits) {
  EXPECT_TRUE(endsWell([] {
    const auto &[way, mode] = GetParam();
    Host host(way), good(GoodWays[4]);
    RunOptions options = inTasks();
    options.executor = host;
    RunOptions well = inTasks();
    well.executor = good;
    for (const Job &job : JobMaker(Engine(), mode).make())
      for (int round = 0; round < rounds(3); ++round) {
        EXPECT_TRUE(job.isHonest(options));
        EXPECT_TRUE(job.works(well));
        EXPECT_TRUE(job.works(inTasks()));
      }
    EXPECT_GT(host.calls, 0);
  }));
}

INSTANTIATE_TEST_SUITE_P(Breaches, ExecutorBreach,
                         testing::Combine(testing::ValuesIn(breaches),
                                          testing::Values(Mode::Optimized,
                                                          Mode::Interpret)));

TEST(ExecutorBreaches, NothingDoneIsNoSuccess) {
  EXPECT_TRUE(endsWell([] {
    for (const Way &way : {breaches[0], breaches[1]}) {
      Host host(way);
      RunOptions options = inTasks();
      options.executor = host;
      for (const Job &job : JobMaker(Engine(), Mode::Baseline).make())
        EXPECT_FALSE(job.run(options)) << job.name;
    }
  }));
}

TEST(ExecutorBreaches, WhatIsThrownIsTold) {
  EXPECT_TRUE(endsWell([] {
    Host host(breaches[7]);
    RunOptions options = inTasks();
    options.executor = host;
    const Engine engine;
    const auto kernel = engine.compile(numbered(2), in(Mode::Interpret));
    const Status status = Call(400000).run(*kernel, options);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(status.error().message(), "the executor threw: no threads today");
  }));
}

/// Runs jobs of an executor that keeps its calls, and forgets engine, kernels
/// and tensors.
static void runAndForget() {
  Host host({"", [](std::int64_t count, Executor::Tasks tasks, void *call) {
               memory.keep({tasks, call, count});
               tasks(0, count, call);
             }});
  EngineOptions options;
  options.executor = host;
  for (const Job &job : JobMaker(Engine(options), Mode::Baseline).make())
    EXPECT_TRUE(job.works(inTasks()));
}

TEST(ExecutorBreaches, TasksDoneAfterEngineAndKernelAreGoneDoNothing) {
  EXPECT_TRUE(endsWell([] {
    runAndForget();
    EXPECT_FALSE(memory.calls().empty());
    for (int i = 0; i < 3; ++i)
      repeatSome();
  }));
}

TEST(ExecutorBreaches, TasksOfGoneCallsHarmNoCallThatIsUnderWay) {
  EXPECT_TRUE(endsWell([] {
    runAndForget();
    std::atomic<bool> isOver = false;
    std::vector<std::thread> late;
    for (int i = 0; i < 3; ++i)
      late.emplace_back([&] {
        while (!isOver)
          repeatSome();
      });
    Host lazy(breaches[0]), good(GoodWays[4]);
    RunOptions options = inTasks(), well = inTasks();
    options.executor = lazy;
    well.executor = good;
    const auto jobs = JobMaker(Engine(), Mode::Baseline).make();
    for (int round = 0; round < rounds(20); ++round)
      for (const Job &job : jobs) {
        EXPECT_TRUE(job.isHonest(options));
        EXPECT_TRUE(job.works(well));
      }
    isOver = true;
    for (std::thread &thread : late)
      thread.join();
  }));
}
