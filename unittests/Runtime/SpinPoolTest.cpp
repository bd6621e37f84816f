//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/SpinPool.h"
#include "Runtime/Executor.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace kexpr::runtime;
using namespace std::chrono_literals;

namespace {

/// Threads that spin in a pool until their patience, which is long, is over.
class Helpers {
public:
  Helpers(SpinPool &pool, unsigned count,
          std::chrono::microseconds patience = 300ms) {
    for (unsigned i = 0; i < count; ++i) {
      EXPECT_TRUE(pool.reserve(count));
      threads.emplace_back([&pool, patience] { pool.help(patience); });
    }
    while (pool.spinning() < count)
      std::this_thread::yield();
  }
  ~Helpers() {
    for (std::thread &thread : threads)
      thread.join();
  }

private:
  std::vector<std::thread> threads;
};

/// How often each element was computed.
class Covered {
public:
  explicit Covered(std::int64_t count) : times(count) {}
  void operator()(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      ++times[i];
  }
  bool once() const {
    for (const auto &each : times)
      if (each != 1)
        return false;
    return true;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(times.size()); }

private:
  std::vector<std::atomic<int>> times;
};

} // namespace

/// Has a pool do `work` over [0, count) on the calling thread and helpers.
template <class F>
static bool share(SpinPool &pool, std::int64_t count, std::int64_t chunk,
                  unsigned helpers, F &work) {
  Team team(count, chunk, helpers + 1, work);
  return pool.run(team, helpers);
}

TEST(SpinPool, DoesNothingWhereNobodyIsAwake) {
  SpinPool pool;
  Covered covered(10);
  EXPECT_FALSE(share(pool, 10, 1, 1, covered));
  EXPECT_FALSE(share(pool, 10, 1, 0, covered));
  {
    Helpers helpers(pool, 1);
    EXPECT_FALSE(share(pool, 10, 1, 2, covered)) << "two are wanted";
    EXPECT_TRUE(share(pool, 10, 1, 1, covered));
  }
  EXPECT_TRUE(covered.once());
}

TEST(SpinPool, ComputesEveryElementOnce) {
  SpinPool pool;
  Helpers helpers(pool, 3);
  for (std::int64_t count : {1, 7, 64, 1000, 12345})
    for (std::int64_t chunk : {1, 10, 100000}) {
      Covered covered(count);
      ASSERT_TRUE(share(pool, count, chunk, 3, covered));
      EXPECT_TRUE(covered.once()) << count << ' ' << chunk;
    }
}

TEST(SpinPool, HelpersTakePart) {
  SpinPool pool;
  Helpers helpers(pool, 1);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  auto work = [&](std::int64_t, std::int64_t) {
    // A chunk lasts until the other thread has one, too.
    for (int i = 0; i < 20000; ++i) {
      {
        std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        if (threads.size() == 2)
          return;
      }
      std::this_thread::sleep_for(1ms);
    }
  };
  ASSERT_TRUE(share(pool, 2, 1, 1, work));
  EXPECT_EQ(threads.size(), 2u);
}

TEST(SpinPool, BeginsWithTheSameShareEveryTime) {
  SpinPool pool;
  Helpers helpers(pool, 1);
  for (int call = 0; call < 20; ++call) {
    std::atomic<int> begun = 0;
    std::array<std::thread::id, 2> threads;
    auto work = [&](std::int64_t begin, std::int64_t) {
      threads[begin] = std::this_thread::get_id();
      // A share lasts until the other has begun, or nobody came for it.
      ++begun;
      for (int i = 0; i < 2000 && begun < 2; ++i)
        std::this_thread::sleep_for(1ms);
    };
    ASSERT_TRUE(share(pool, 2, 1, 1, work));
    EXPECT_EQ(threads[0], std::this_thread::get_id());
    EXPECT_NE(threads[1], std::this_thread::get_id());
  }
}

TEST(SpinPool, WorksForOneCallAtATime) {
  SpinPool pool;
  Helpers helpers(pool, 2);
  // From within a call, which may be at its end, and from other threads.
  auto nested = [&](std::int64_t, std::int64_t) {
    Covered covered(5);
    if (share(pool, 5, 1, 1, covered)) {
      EXPECT_TRUE(covered.once());
    }
  };
  ASSERT_TRUE(share(pool, 8, 1, 2, nested));

  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&pool] {
      for (int i = 0; i < 200; ++i) {
        Covered covered(300 + i);
        if (share(pool, covered.count(), 7, 2, covered)) {
          ASSERT_TRUE(covered.once());
        }
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(SpinPool, ReservesSoManyAndNoMore) {
  SpinPool pool;
  EXPECT_TRUE(pool.reserve(2));
  EXPECT_TRUE(pool.reserve(2));
  EXPECT_FALSE(pool.reserve(2));
  // Each leaves when it was not needed for a while, and can be reserved again.
  pool.help(1us);
  EXPECT_TRUE(pool.reserve(2));
  unsigned most = 2;
  while (pool.reserve(1000))
    ++most;
  EXPECT_EQ(most, 64u);
}

TEST(SpinPool, SeldomReservesForCallsTooFarApart) {
  SpinPool pool;
  int reserved = 0;
  for (int i = 0; i < 320; ++i)
    if (pool.reserve(1)) {
      ++reserved;
      pool.help(1us);
    }
  EXPECT_EQ(reserved, 3 + 10);
  // Until one is needed.
  while (!pool.reserve(1))
    ;
  std::thread helper([&pool] { pool.help(500ms); });
  std::atomic<bool> hasHelped = false;
  const auto waitForHelper = [&, caller = std::this_thread::get_id(),
                              until = SpinPool::Clock::now() +
                                      10s](std::int64_t, std::int64_t) {
    if (std::this_thread::get_id() != caller)
      hasHelped = true;
    while (!hasHelped && SpinPool::Clock::now() < until)
      std::this_thread::yield();
  };
  while (!share(pool, 2, 1, 1, waitForHelper))
    std::this_thread::yield();
  EXPECT_TRUE(hasHelped);
  helper.join();
  EXPECT_TRUE(pool.reserve(1));
  pool.help(1us);
  EXPECT_TRUE(pool.reserve(1));
}

TEST(SpinPool, IsPatientForAsLongAsCanBeSaid) {
  const pid_t child = fork();
  if (child == 0) {
    SpinPool pool;
    std::thread([&pool] {
      pool.help(std::chrono::microseconds::max());
    }).detach();
    std::this_thread::sleep_for(100ms);
    _exit(pool.spinning() == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(SpinPool, StaysWithTheParentOfAFork) {
  if (kexpr::test::IsEmulated)
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  SpinPool &pool = SpinPool::ofProcess();
  Helpers helpers(pool, 1);
  const pid_t child = fork();
  if (child == 0)
    _exit(SpinPool::ofProcess().spinning() == 0 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  Covered covered(100);
  EXPECT_TRUE(share(pool, 100, 1, 1, covered));
  EXPECT_TRUE(covered.once());
}

TEST(SpinPool, ServesTheExecutor) {
  for (int i = 0; i < 300; ++i) {
    Covered covered(5000 + i);
    ASSERT_TRUE(forRange(covered.count(),
                         {.grain = 100, .maxThreads = 2, .stayAwake = 1ms},
                         covered));
    ASSERT_TRUE(covered.once());
  }
}
