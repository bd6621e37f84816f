//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Files.h"

#include <thread>

using namespace kexpr;
using namespace kexpr::test;

// A process ends at any moment, with status 0 and by no signal.

namespace {
enum class Ending { Exit, QuickExit, AtOnce };
void PrintTo(Ending way, std::ostream *out) {
  *out << (way == Ending::Exit        ? "exit"
           : way == Ending::QuickExit ? "quick_exit"
                                      : "_exit");
}
class Exit : public testing::TestWithParam<Ending> {
protected:
  static constexpr int Rounds = 8;
  [[noreturn]] static void leave() {
    if (GetParam() == Ending::Exit)
      std::exit(0);
    if (GetParam() == Ending::QuickExit)
      std::quick_exit(0);
    _exit(0);
  }
  /// Has children start something and leave after 0 to 40 milliseconds.
  static void leaveAfter(const std::function<void()> &start) {
    for (int round = 0; round < rounds(Rounds); ++round)
      ASSERT_TRUE(endsWell([&] {
        start();
        usleep(static_cast<unsigned>(round * 5003 % 40000));
        leave();
      })) << "round "
          << round;
  }
};

/// A host's object that keeps an engine.
struct Keeper {
  Engine engine;
  Kernel kernel = *engine.compile(numbered(2), in(Mode::Tiered));
  ~Keeper() {
    // The end of a host's own objects may come after the end of kexpr's.
    Call call(100000);
    if (!call.works(kernel) || !works(engine, 3, Mode::Interpret))
      _exit(3);
  }
};

/// A host's object that calls what needs memory of the thread, when it is made
/// and at its end, which comes after that of the main thread's own objects.
class LastCaller {
public:
  LastCaller() { call(); }
  ~LastCaller() {
    // What the thread had may be somebody else's by now.
    std::vector<std::string> others(2000, std::string(500, 'x'));
    others.resize(4000, std::string(3000, 'x'));
    call();
    for (const std::string &other : others)
      if (other.find_first_not_of('x') != other.npos)
        _exit(3);
  }

private:
  static constexpr std::int64_t n = 300;

  /// The sum of a matrix and its transpose.
  void call() {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(i);
    const TensorView across(static_cast<const void *>(a.data()), DType::F32,
                            {n, n}, {1, n});
    for (const Kernel &kernel : {interpreted, compiled})
      if (!kernel.run({TensorView(a.data(), {n, n}), across},
                      TensorView(out.data(), {n, n}), onThreads(1)) ||
          out[1] != 1 + n || out[n * n - 2] != 2 * n * n - 3 - n)
        _exit(2);
  }

  const Engine engine;
  const Kernel interpreted = *engine.compile("add(@0,@1)", in(Mode::Interpret)),
               compiled = *engine.compile("add(@0,@1)");
  std::vector<float> a = std::vector<float>(n * n), out = a;
};
} // namespace

/// Queues tiers of many kernels.
static void queueWork(const Engine &engine) {
  for (int i = 0; i < 24; ++i)
    if (!engine.compile(slowText(i), in(Mode::Tiered)))
      _exit(2);
}

TEST_P(Exit, WithAStaticEngineAtWork) {
  leaveAfter([] {
    static const Engine engine;
    queueWork(engine);
  });
}

TEST_P(Exit, WithALeakedEngineAtWork) {
  leaveAfter([] { queueWork(*new Engine); });
}

TEST_P(Exit, WithAnEngineThatWarmsUp) {
  leaveAfter([] {
    EngineOptions options;
    options.warmUp = true;
    static const Engine engine(options);
    static const auto *leaked = new Engine(options);
    (void)leaked;
  });
}

TEST_P(Exit, WithAnEngineInAnObjectOfTheHosts) {
  leaveAfter([] {
    static const Keeper keeper;
    queueWork(keeper.engine);
  });
}

TEST_P(Exit, WithCallsAfterTheMainThreadsObjects) {
  leaveAfter([] { static const LastCaller caller; });
}

TEST_P(Exit, WhileThreadsOfTheHostCompile) {
  leaveAfter([] {
    static const auto *engine = new Engine;
    for (int t = 0; t < 3; ++t)
      std::thread([t] {
        for (int i = 0;; ++i)
          (void)engine->compile(slowText(i * 3 + t),
                                in(i % 2 ? Mode::Optimized : Mode::Tiered));
      }).detach();
  });
}

TEST_P(Exit, WhileThreadsOfTheHostCall) {
  leaveAfter([] {
    static const Engine engine;
    static const auto kernel = new auto(engine.compile(numbered(2)));
    if (!*kernel)
      _exit(2);
    for (int t = 0; t < 2; ++t)
      std::thread([] {
        for (Call call(400000);;)
          (void)call.run(**kernel);
      }).detach();
  });
}

TEST_P(Exit, WithHelpersAwake) {
  leaveAfter([] {
    static const Engine engine;
    RunOptions options;
    options.stayAwake = std::chrono::milliseconds(20);
    if (!works(engine, 2, Mode::Optimized, 400000, options))
      _exit(2);
  });
}

TEST_P(Exit, WhileADiskCacheIsWritten) {
  const TemporaryDirectory directory;
  leaveAfter([&] {
    EngineOptions options;
    options.cacheDirectory = directory.path("cache");
    queueWork(*new Engine(options));
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, Exit,
                         testing::Values(Ending::Exit, Ending::QuickExit,
                                         Ending::AtOnce));
