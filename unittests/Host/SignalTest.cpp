//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Files.h"
#include "TestUtil/Skips.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/time.h>

using namespace kexpr;
using namespace kexpr::test;

// Signals are the host's: kexpr's threads take none, and interrupted calls of
// the system go on.

namespace {
void blockAll() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}
void unblockAll() {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// Interrupts whatever this process does, thousands of times a second.
class SignalStorm {
public:
  explicit SignalStorm(int timer, int signal) : timer(timer) {
    struct sigaction action = {};
    action.sa_handler = [](int) { ++seen; };
    sigaction(signal, &action, nullptr); // without SA_RESTART
    const itimerval often = {{0, 200}, {0, 200}};
    setitimer(timer, &often, nullptr);
  }
  ~SignalStorm() {
    const itimerval never = {};
    setitimer(timer, &never, nullptr);
  }
  static std::atomic<int> seen;

private:
  int timer;
};
std::atomic<int> SignalStorm::seen = 0;
} // namespace

TEST(Signals, ThoseThatTheHostWaitsForEndNothing) {
  for (const int signal : {SIGTERM, SIGUSR1, SIGINT})
    EXPECT_TRUE(endsWell([=] {
      sigset_t waited;
      sigemptyset(&waited);
      sigaddset(&waited, signal);
      pthread_sigmask(SIG_BLOCK, &waited, nullptr);
      EngineOptions options;
      options.warmUp = true;
      const Engine engine(options);
      for (int round = 0; round < rounds(20); ++round) {
        ASSERT_TRUE(engine.compile(slowText(round), in(Mode::Tiered)));
        kill(getpid(), signal);
        const timespec soon = {1, 0};
        EXPECT_EQ(sigtimedwait(&waited, nullptr, &soon), signal);
      }
      engine.settle();
      kill(getpid(), signal);
      usleep(10000);
      const timespec soon = {1, 0};
      EXPECT_EQ(sigtimedwait(&waited, nullptr, &soon), signal);
    })) << "signal "
        << signal;
}

TEST(Signals, BackgroundThreadsBlockThemEvenIfTheirMakerDoesNot) {
  EXPECT_TRUE(endsWell([] {
    EngineOptions options;
    options.warmUp = true;
    const Engine engine(options);
    ASSERT_TRUE(engine.compile(slowText(1), in(Mode::Tiered)));
    engine.settle();
    // Threads of kexpr, not those of oneTBB, are all that is there by now.
    static std::atomic<int> elsewhere = 0, here = 0;
    static const pid_t main = gettid();
    std::signal(SIGUSR1, [](int) { ++(gettid() == main ? here : elsewhere); });
    blockAll();
    for (int i = 0; i < 50; ++i) {
      kill(getpid(), SIGUSR1);
      usleep(200);
    }
    EXPECT_EQ(elsewhere, 0);
    unblockAll();
    EXPECT_GE(here, 1);
  }));
}

TEST(Signals, ThoseOfProfilersInterruptNothing) {
  for (const auto &[timer, signal] :
       {std::pair(ITIMER_PROF, SIGPROF), std::pair(ITIMER_REAL, SIGALRM)})
    EXPECT_TRUE(endsWell([timer = timer, signal = signal] {
      const TemporaryDirectory directory;
      EngineOptions options;
      options.cacheDirectory = directory.path("cache");
      const SignalStorm storm(timer, signal);
      for (int round = 0; round < rounds(3); ++round) {
        const Engine engine(options);
        for (const Mode mode : AllModes)
          EXPECT_TRUE(works(engine, 2 + round, mode, 400000))
              << nameOfMode(mode);
        engine.settle();
        EXPECT_TRUE(engine.cacheStatus());
        EXPECT_EQ(engine.stats().diskFailed, 0u);
        EXPECT_EQ(engine.stats().failed, 0u);
      }
      EXPECT_GT(SignalStorm::seen, 0);
    }));
}

TEST(Signals, TheMaskAndHandlersOfTheHostStayAsTheyWere) {
  EXPECT_TRUE(endsWell([] {
    std::signal(SIGXFSZ, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    const TemporaryDirectory directory;
    EngineOptions options;
    options.cacheDirectory = directory.path("cache");
    options.warmUp = true;
    const Engine engine(options);
    for (const Mode mode : AllModes)
      EXPECT_TRUE(works(engine, 2, mode, 400000));
    engine.settle();
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (int signal = 1; signal < 32; ++signal) {
      EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
      struct sigaction found = {};
      sigaction(signal, nullptr, &found);
      EXPECT_EQ(found.sa_handler, SIG_DFL) << "signal " << signal;
    }
  }));
}
