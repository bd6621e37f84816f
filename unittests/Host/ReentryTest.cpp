//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Files.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

// A host's own functions use the engine that calls them, and caches are emptied
// under load.

namespace {
/// An engine whose log does something, once for each of the first lines.
class Talkative {
public:
  explicit Talkative(std::function<void(Talkative &)> react) {
    EngineOptions options;
    options.log = "compile,cache";
    options.logSink = [this, react = std::move(react)](std::string_view) {
      if (left.fetch_sub(1) > 0)
        react(*this);
    };
    engine = std::make_shared<Engine>(options);
  }
  /// The engine, if it is still there.
  std::shared_ptr<Engine> get() {
    const std::lock_guard lock(mutex);
    return engine;
  }
  void drop() {
    const std::lock_guard lock(mutex);
    engine.reset();
  }
  int number() { return next++; }

private:
  std::mutex mutex;
  std::shared_ptr<Engine> engine;
  std::atomic<int> left = 5, next = 10;
};

class LogSink : public testing::TestWithParam<Mode> {
protected:
  /// Compiles with a sink that reacts.
  static void compileWith(std::function<void(Talkative &)> react) {
    EXPECT_TRUE(endsWell([&] {
      auto *talkative = new Talkative(react);
      for (int i = 2; i < 6; ++i) {
        Engine engine = talkative->get() ? *talkative->get() : Engine();
        EXPECT_TRUE(works(engine, i, GetParam()));
      }
      if (auto engine = talkative->get())
        engine->settle();
      talkative->drop();
    }));
  }
};
} // namespace

TEST_P(LogSink, Compiles) {
  compileWith([](Talkative &host) {
    const auto engine = host.get();
    EXPECT_TRUE(!engine || works(*engine, host.number(), GetParam()));
  });
}

TEST_P(LogSink, AsksForTheTextThatIsBeingCompiled) {
  compileWith([](Talkative &host) {
    if (auto engine = host.get())
      for (int i = 2; i < 6; ++i)
        (void)engine->compile(numbered(i), in(GetParam()));
  });
}

TEST_P(LogSink, Settles) {
  compileWith([](Talkative &host) {
    if (auto engine = host.get())
      engine->settle();
  });
}

TEST_P(LogSink, FreesTheEngine) {
  compileWith([](Talkative &host) { host.drop(); });
}

TEST_P(LogSink, LooksAtTheEngine) {
  compileWith([](Talkative &host) {
    if (auto engine = host.get()) {
      (void)engine->stats();
      (void)engine->cacheStatus();
      (void)engine->vectorBits();
    }
  });
}

TEST_P(LogSink, MakesAnotherEngine) {
  compileWith([](Talkative &host) {
    EXPECT_TRUE(works(Engine(), host.number(), GetParam()));
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, LogSink, testing::ValuesIn(AllModes),
                         [](const auto &info) {
                           return nameOfMode(info.param);
                         });

TEST(Eviction, UnderLoadWithListeners) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(endsWell([&] {
    EngineOptions options;
    options.maxKernels = 4;
    options.listeners.perfMap = true;
    options.listeners.jitDump = true;
    options.listeners.debugger = true;
    options.listeners.directory = directory.path("profile");
    options.cacheDirectory = directory.path("cache");
    const Engine engine(options);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < rounds(40); ++i)
          EXPECT_TRUE(works(engine, 2 + (i * 7 + t) % 20,
                            AllModes[static_cast<std::size_t>(i + t) % 4]));
      });
    for (std::thread &thread : threads)
      thread.join();
    engine.settle();
    EXPECT_LE(engine.stats().kernels, 4u);
    EXPECT_GT(engine.stats().evictions, 0u);
    std::filesystem::remove("/tmp/perf-" + std::to_string(getpid()) + ".map");
  }));
}

TEST(Eviction, OfKernelsThatThreadsRun) {
  EXPECT_TRUE(endsWell([] {
    EngineOptions options;
    options.maxKernels = 1;
    const Engine engine(options);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < rounds(20); ++i)
          EXPECT_TRUE(works(engine, 2 + (i + t) % 5, Mode::Tiered, 100000));
      });
    for (std::thread &thread : threads)
      thread.join();
  }));
}
