//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Fork.h"
#include "Support/Thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace kexpr;

/// What `body` returns in a child of fork; -1 if that did not end by itself.
template <class F> static int inForkedChild(F body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Mutex, IsFreeInAChildWithWhatItGuardsWhole) {
  Mutex mutex, other;
  long a = 0, b = 0;
  std::atomic<bool> isOver = false;
  std::thread writer([&] {
    while (!isOver) {
      std::lock_guard lock(mutex);
      std::lock_guard inner(other);
      ++a;
      ++b;
    }
  });
  std::thread opposite([&] {
    while (!isOver) {
      std::unique_lock lock(other, std::defer_lock);
      std::unique_lock outer(mutex, std::defer_lock);
      lock.lock();
      lock.unlock();
      outer.lock();
    }
  });
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(inForkedChild([&] {
                std::lock_guard lock(mutex);
                std::lock_guard inner(other);
                return a == b ? 0 : 1;
              }),
              0);
  isOver = true;
  writer.join();
  opposite.join();
}

TEST(Mutex, ThatTheForkingThreadHoldsIsFreeToo) {
  Mutex mutex;
  std::lock_guard lock(mutex);
  EXPECT_EQ(inForkedChild([] {
              Mutex another;
              std::lock_guard inner(another);
              return 0;
            }),
            0);
}

TEST(Fork, CountsThoseOnTheWayHere) {
  const std::uint32_t here = forkCount();
  EXPECT_EQ(inForkedChild([here] {
              return inForkedChild(
                         [here] { return forkCount() == here + 2; }) == 1 &&
                     forkCount() == here + 1;
            }),
            1);
  EXPECT_EQ(forkCount(), here);
}

static constinit Once<int> answer;

TEST(Once, IsMadeByTheFirst) {
  std::atomic<int> made = 0;
  std::thread threads[8];
  for (std::thread &thread : threads)
    thread = std::thread([&made] {
      EXPECT_EQ(answer.get([&made] {
        ++made;
        return 42;
      }),
                42);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 1);
  ASSERT_TRUE(answer.find());
  EXPECT_EQ(*answer.find(), 42);
}

TEST(Thread, TakesNoSignalsAndHasStackForTheCodeGenerator) {
  struct {
    sigset_t mask = {};
    std::size_t stack = 0;
  } seen;
  Thread thread;
  ASSERT_TRUE(thread.start(
      [](void *given) {
        auto &out = *static_cast<decltype(seen) *>(given);
        pthread_sigmask(SIG_SETMASK, nullptr, &out.mask);
        out.stack = stackLeft();
      },
      &seen));
  thread.join();
  for (int signal : {SIGTERM, SIGINT, SIGUSR1, SIGPROF, SIGCHLD})
    EXPECT_TRUE(sigismember(&seen.mask, signal)) << signal;
  EXPECT_GE(seen.stack, std::size_t{7} << 20);
}

TEST(Thread, WorkGoesWhereThereIsStack) {
  std::thread::id large, small;
  EXPECT_TRUE(onEnoughStack([&] { large = std::this_thread::get_id(); }));
  EXPECT_EQ(large, std::this_thread::get_id());
  pthread_attr_t how;
  ASSERT_EQ(pthread_attr_init(&how), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&how, 256 << 10), 0);
  pthread_t thread;
  const auto main = [](void *given) -> void * {
    auto &seen = *static_cast<std::thread::id *>(given);
    const bool isDone =
        onEnoughStack([&] { seen = std::this_thread::get_id(); });
    return isDone && seen != std::this_thread::get_id() ? given : nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &how, main, &small), 0);
  void *result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, &small);
}
