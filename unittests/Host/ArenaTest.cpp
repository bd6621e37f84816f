//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <cstring>
#include <set>

#include <sys/mman.h>

using namespace kexpr;
using namespace kexpr::test;

// The arena that a call is made in is the one whose threads do the work. Who
// writes an output is seen by memory that may not be touched: the first write
// to each page is a signal, which the thread that wrote takes.

namespace {
/// Marks the threads that are in an arena.
class Entrants : public tbb::task_scheduler_observer {
public:
  explicit Entrants(tbb::task_arena &arena)
      : tbb::task_scheduler_observer(arena) {
    observe(true);
  }
  ~Entrants() override { observe(false); }
  void on_scheduler_entry(bool) override { ++inside; }
  void on_scheduler_exit(bool) override { --inside; }
  static thread_local int inside;
};
thread_local int Entrants::inside = 0;

/// Memory that notes who writes to it.
class NotedMemory {
public:
  explicit NotedMemory(std::size_t bytes) : size(bytes) {
    base = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t *info, void *) {
      note(static_cast<char *>(info->si_addr));
    };
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
  }
  ~NotedMemory() { munmap(base, size); }
  void *data() const { return base; }

  /// Writes that were made outside: by threads that are not in the arena, or
  /// are in another one inside it.
  static std::size_t strangers() { return outside; }
  /// Expects writes in an arena of so many threads.
  static void expectIn(int threads) { arenaThreads = threads; }
  /// The threads that have written since the last call.
  static std::set<int> takeWriters() {
    const auto *first = ids.data();
    return {first, first + std::min<std::size_t>(seen.exchange(0), MaxSeen)};
  }

private:
  static constexpr std::size_t MaxSeen = 1 << 16;
  static void note(char *address) {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address);
    if (mprotect(reinterpret_cast<void *>(page & ~std::uintptr_t{4095}), 4096,
                 PROT_READ | PROT_WRITE) != 0)
      _exit(99);
    if (Entrants::inside <= 0 ||
        tbb::this_task_arena::max_concurrency() != arenaThreads)
      ++outside;
    if (const std::size_t place = seen++; place < MaxSeen)
      ids[place] = gettid();
  }
  static std::atomic<int> arenaThreads;
  static std::atomic<std::size_t> outside, seen;
  static std::array<int, MaxSeen> ids;

  void *base;
  std::size_t size;
};
std::atomic<int> NotedMemory::arenaThreads = 0;
std::atomic<std::size_t> NotedMemory::outside = 0, NotedMemory::seen = 0;
std::array<int, NotedMemory::MaxSeen> NotedMemory::ids;

class Arena : public testing::TestWithParam<unsigned> {
  void SetUp() override {
    if (IsSanitized)
      GTEST_SKIP() << kexpr::test::skips::Sanitized;
  }
};
} // namespace

/// Calls in an arena that others are at work beside; the most threads that
/// wrote for one.
static std::size_t writersIn(tbb::task_arena &arena, unsigned maxThreads,
                             int stayAwake) {
  constexpr std::int64_t count = 2000000;
  const Engine engine;
  const auto kernel = engine.compile(numbered(2));
  EXPECT_TRUE(kernel);
  arena.initialize();
  NotedMemory::expectIn(arena.max_concurrency());
  const Entrants entrants(arena);
  Call call(count);
  RunOptions options = onThreads(maxThreads);
  options.stayAwake = std::chrono::microseconds(stayAwake);
  options.stores = Stores::Cached;
  // Outside of the arena: who then stayed awake would be a stranger in it.
  EXPECT_TRUE(call.works(*kernel, onThreads(maxThreads)));
  std::vector<float> expected(count);
  EXPECT_TRUE(kernel->run(call.inputs(), TensorView(expected.data(), {count}),
                          onThreads(1)));
  std::size_t most = 0;
  for (int round = 0; round < 5; ++round) {
    const NotedMemory memory(count * sizeof(float));
    const TensorView out(memory.data(), DType::F32, {count});
    arena.execute(
        [&] { EXPECT_TRUE(kernel->run(call.inputs(), out, options)); });
    EXPECT_EQ(std::memcmp(memory.data(), expected.data(), count * 4), 0);
    most = std::max(most, NotedMemory::takeWriters().size());
  }
  return most;
}

TEST_P(Arena, ALimitOfThreadsStaysInTheArenaOfTheCall) {
  for (const int stayAwake : {0, 2000})
    EXPECT_TRUE(endsWell([=] {
      const tbb::global_control threads(
          tbb::global_control::max_allowed_parallelism, 6);
      tbb::task_arena arena(4);
      const auto writers = writersIn(arena, GetParam(), stayAwake);
      EXPECT_EQ(NotedMemory::strangers(), 0u)
          << "pages were written by threads that were not in the arena";
      EXPECT_LE(writers, GetParam());
    }));
}

TEST_P(Arena, ASmallArenaIsEnough) {
  EXPECT_TRUE(endsWell([] {
    const tbb::global_control threads(
        tbb::global_control::max_allowed_parallelism, 6);
    tbb::task_arena arena(static_cast<int>(GetParam()));
    const auto writers = writersIn(arena, 0, 0);
    EXPECT_EQ(NotedMemory::strangers(), 0u);
    EXPECT_LE(writers, GetParam());
  }));
}

TEST_P(Arena, ConstraintsAndPrioritiesAreKept) {
  EXPECT_TRUE(endsWell([] {
    const tbb::global_control threads(
        tbb::global_control::max_allowed_parallelism, 6);
    tbb::task_arena::constraints constraints;
    constraints.set_numa_id(tbb::info::numa_nodes().front());
    constraints.set_max_concurrency(3);
    tbb::task_arena arena(constraints, 1, tbb::task_arena::priority::low);
    ASSERT_EQ(arena.max_concurrency(), 3);
    EXPECT_LE(writersIn(arena, GetParam(), 0), GetParam());
    EXPECT_EQ(NotedMemory::strangers(), 0u);
  }));
}

INSTANTIATE_TEST_SUITE_P(Threads, Arena, testing::Values(1, 2, 3));

TEST(Arenas, CallsInsideIterationsOfAHundredThreads) {
  EXPECT_TRUE(endsWell([] {
    const tbb::global_control threads(
        tbb::global_control::max_allowed_parallelism, 100);
    const Engine engine;
    tbb::task_arena(100).execute([&] {
      tbb::parallel_for(
          0, 400,
          [&](int) { EXPECT_TRUE(works(engine, 2, Mode::Optimized, 60000)); },
          tbb::simple_partitioner());
    });
  }));
}
