//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Team.h"
#include "Runtime/SingleFlight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <new>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using kexpr::Interrupt;
using namespace kexpr::runtime;

/// How often each element of a range was handed out.
static void expectOnce(const std::vector<std::atomic<int>> &times) {
  for (const auto &each : times)
    ASSERT_EQ(each, 1);
}

TEST(Team, OneThreadAloneDoesAllOfIt) {
  for (unsigned threads : {1u, 2u, 7u, 64u, 200u}) {
    std::vector<std::atomic<int>> times(1000);
    auto part = [&times](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin)
        ++times[begin];
    };
    Team team(1000, 17, threads, part);
    EXPECT_TRUE(team.takePart(123456789));
    EXPECT_TRUE(team.isDone());
    EXPECT_FALSE(team.takePart(0)) << "nothing is left";
    expectOnce(times);
  }
}

TEST(Team, ThreadsBeginWithSharesOfTheirOwn) {
  std::vector<std::int64_t> begun;
  auto part = [&begun](Ranges &ranges) {
    std::int64_t begin = 0, end = 0;
    if (ranges.next(begin, end))
      begun.push_back(begin);
  };
  Team team(400, 100, 4, part);
  for (std::uint64_t share : {2, 0, 3, 1})
    EXPECT_TRUE(team.takePart(share));
  EXPECT_EQ(begun, (std::vector<std::int64_t>{200, 0, 300, 100}));
  EXPECT_TRUE(team.isDone());
}

TEST(Team, WhoLacksMemoryTakesNoPart) {
  std::vector<std::atomic<int>> times(500);
  const auto caller = std::this_thread::get_id();
  auto part = [&](Ranges &ranges) {
    EXPECT_EQ(ranges.isCaller(), std::this_thread::get_id() == caller);
    if (!ranges.isCaller())
      throw std::bad_alloc();
    for (std::int64_t begin, end; ranges.next(begin, end);)
      for (; begin < end; ++begin)
        ++times[begin];
  };
  Team team(500, 10, 4, part);
  std::vector<std::thread> others;
  for (std::uint64_t share : {1, 2, 3})
    others.emplace_back([&team, share] { EXPECT_FALSE(team.takePart(share)); });
  for (std::thread &other : others)
    other.join();
  EXPECT_TRUE(team.takePart(0));
  EXPECT_TRUE(team.isDone());
  expectOnce(times);
}

TEST(Team, TakesNoMoreOnceTheHostEndsTheCall) {
  int asked = 0, ranges = 0;
  const Interrupt interrupt = {
      [](void *context) { return ++*static_cast<int *>(context) == 3; },
      &asked};
  auto part = [&ranges](std::int64_t, std::int64_t) { ++ranges; };
  Team team(1000, 10, 2, part, interrupt);
  EXPECT_TRUE(team.takePart(0));
  EXPECT_TRUE(team.isEnded());
  EXPECT_FALSE(team.isDone());
  EXPECT_FALSE(team.takePart(1));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(ranges, 3);
  // Other threads ask nothing.
  team.open(1000, 10, 2, part, interrupt);
  EXPECT_FALSE(team.isEnded());
  std::thread([&team] { team.takePart(1); }).join();
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(team.isDone());
}

TEST(Team, ComputesInTheDefaultEnvironment) {
  volatile float one = 1, three = 3;
  const float nearest = one / three;
  float inside = 0;
  auto part = [&](std::int64_t, std::int64_t) { inside = one / three; };
  Team team(1, 1, 1, part);
  std::fesetround(FE_DOWNWARD);
  team.takePart(0);
  const float after = one / three;
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(inside, nearest);
  EXPECT_LT(after, nearest);
}

TEST(Team, LateThreadsDoNotEnterOnceItIsClosed) {
  auto nothing = [](std::int64_t, std::int64_t) {};
  Team team(1, 1, 1, nothing);
  ASSERT_TRUE(team.enter());
  std::atomic<bool> hasLeft = false;
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hasLeft = true;
    team.leave();
  });
  team.close();
  EXPECT_TRUE(hasLeft);
  EXPECT_FALSE(team.enter());
  late.join();
}

TEST(Flight, IsAwaitedByThreadsThatAreNotItsMaker) {
  Flight flight;
  EXPECT_FALSE(flight.isAwaitable()) << "it would wait for itself";
  std::thread other([&flight] {
    EXPECT_TRUE(flight.isAwaitable());
    flight.wait();
    EXPECT_TRUE(flight.hasLanded());
  });
  flight.land();
  other.join();
  EXPECT_TRUE(flight.isAwaitable());
}

TEST(Flight, ThatAThreadOfTheParentBeganIsNotAwaited) {
  std::atomic<Flight *> begun = nullptr;
  std::atomic<bool> isOver = false;
  std::thread maker([&] {
    Flight flight;
    begun = &flight;
    while (!isOver)
      std::this_thread::yield();
  });
  while (!begun)
    std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0)
    _exit(begun.load()->isAwaitable() ? 1 : 0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(begun.load()->isAwaitable());
  isOver = true;
  maker.join();
}
