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
#include <thread>

#include <spawn.h>

using namespace kexpr;
using namespace kexpr::test;

// A copy of a process has one thread, and the memory of all.

TEST(Fork, AChildFreesAnEngineThatHasABackgroundThread) {
  for (const bool isSettled : {true, false})
    EXPECT_TRUE(endsWell([=] {
      auto engine = std::make_unique<Engine>();
      for (int i = 0; i < 8; ++i)
        ASSERT_TRUE(engine->compile(slowText(i), in(Mode::Tiered)));
      if (isSettled)
        engine->settle();
      EXPECT_TRUE(endsWell([&] { engine.reset(); }));
      engine.reset();
    })) << (isSettled ? "after" : "before")
        << " all was compiled";
}

TEST(Fork, AChildHasBackgroundThreadsOfItsOwn) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    ASSERT_TRUE(works(engine, 2, Mode::Tiered));
    engine.settle();
    EXPECT_TRUE(endsWell([&] {
      const auto kernel = engine.compile(slowText(1), in(Mode::Tiered));
      ASSERT_TRUE(kernel);
      engine.settle();
      if (engine.vectorBits() != 0) {
        EXPECT_EQ(kernel->tier(), Tier::Optimized);
      }
      const Engine another;
      EXPECT_TRUE(works(another, 3, Mode::Tiered));
      another.settle();
    }));
    EXPECT_TRUE(works(engine, 4, Mode::Tiered));
    engine.settle();
  }));
}

TEST(Fork, AChildGoesOnWithWhatItsParentHasQueued) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    std::vector<Kernel> kernels;
    for (int i = 0; i < 8; ++i)
      if (auto kernel = engine.compile(slowText(i), in(Mode::Tiered)))
        kernels.push_back(*kernel);
    EXPECT_TRUE(endsWell([&] {
      EXPECT_TRUE(works(engine, 2, Mode::Tiered));
      for (int i = 0; i < 8; ++i)
        EXPECT_TRUE(engine.compile(slowText(i), in(Mode::Tiered)));
      engine.settle();
      EXPECT_TRUE(works(engine, 2, Mode::Tiered));
    }));
    engine.settle();
    for (const Kernel &kernel : kernels)
      if (engine.vectorBits() != 0) {
        EXPECT_EQ(kernel.tier(), Tier::Optimized);
      }
  }));
}

TEST(Fork, AChildOfAnEngineThatWarmsUp) {
  EXPECT_TRUE(endsWell([] {
    for (int round = 0; round < rounds(5); ++round) {
      EngineOptions options;
      options.warmUp = true;
      const Engine engine(options);
      usleep(static_cast<unsigned>(round * 3000));
      ASSERT_TRUE(endsWell([&] {
        for (const Mode mode : AllModes)
          EXPECT_TRUE(works(engine, 2, mode)) << nameOfMode(mode);
        engine.settle();
      }));
      EXPECT_TRUE(works(engine, 2, Mode::Optimized));
    }
  }));
}

TEST(Fork, AChildAsksForWhatAThreadWasCompiling) {
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([=] {
      const Engine engine;
      ASSERT_TRUE(works(engine, 2, Mode::Optimized));
      for (int round = 0; round < rounds(6); ++round) {
        std::atomic<bool> isRunning = false;
        std::thread compiler([&] {
          isRunning = true;
          EXPECT_TRUE(engine.compile(slowText(round), in(mode)));
        });
        while (!isRunning)
          std::this_thread::yield();
        usleep(static_cast<unsigned>(1000 + 3000 * (round % 6)));
        const auto child = endsWell([&] {
          EXPECT_TRUE(engine.compile(slowText(round), in(mode)));
          EXPECT_TRUE(works(engine, 3, mode));
          engine.settle();
        });
        compiler.join();
        ASSERT_TRUE(child) << "round " << round;
      }
      engine.settle();
    })) << nameOfMode(mode);
}

TEST(Fork, AChildOfAChild) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    ASSERT_TRUE(works(engine, 2, Mode::Tiered, 400000));
    EXPECT_TRUE(endsWell([&] {
      EXPECT_TRUE(works(engine, 3, Mode::Tiered, 400000));
      EXPECT_TRUE(endsWell([&] {
        EXPECT_TRUE(works(engine, 4, Mode::Tiered, 400000));
        engine.settle();
        EXPECT_TRUE(works(engine, 2, Mode::Optimized, 400000));
      }));
      engine.settle();
    }));
    engine.settle();
  }));
}

TEST(Fork, AChildThatEndsByExit) {
  EXPECT_TRUE(endsWell([] {
    static const Engine engine;
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(engine.compile(slowText(i), in(Mode::Tiered)));
    for (int round = 0; round < rounds(4); ++round)
      EXPECT_TRUE(endsWell([] { std::exit(0); }));
    EXPECT_TRUE(endsWell([] {
      ASSERT_TRUE(engine.compile(slowText(9), in(Mode::Tiered)));
      std::exit(0);
    }));
    engine.settle();
  }));
}

TEST(Fork, FromALogSink) {
  EXPECT_TRUE(endsWell([] {
    const Engine other;
    ASSERT_TRUE(works(other, 2, Mode::Optimized));
    std::atomic<int> forks = 0;
    EngineOptions options;
    options.log = "compile";
    options.logSink = [&](std::string_view) {
      if (forks++ > 2)
        return;
      EXPECT_TRUE(endsWell([&] {
        EXPECT_TRUE(works(other, 2, Mode::Optimized, 400000));
        EXPECT_TRUE(works(Engine(), 3, Mode::Optimized));
      }));
    };
    const Engine engine(options);
    for (const Mode mode : AllModes)
      EXPECT_TRUE(works(engine, 5, mode)) << nameOfMode(mode);
    engine.settle();
    EXPECT_GT(forks, 0);
  }));
}

TEST(Fork, AChildSharesTheCacheOnDisk) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(endsWell([&] {
    EngineOptions options;
    options.cacheDirectory = directory.path("cache");
    const Engine engine(options);
    ASSERT_TRUE(works(engine, 2, Mode::Optimized));
    EXPECT_TRUE(endsWell([&] {
      const Engine again(options);
      EXPECT_TRUE(works(again, 2, Mode::Optimized));
      EXPECT_TRUE(works(again, 3, Mode::Optimized));
      EXPECT_TRUE(works(engine, 4, Mode::Tiered));
      engine.settle();
      if (engine.vectorBits() != 0) {
        EXPECT_GE(again.stats().diskHits, 1u);
      }
    }));
    EXPECT_TRUE(works(engine, 3, Mode::Optimized));
    EXPECT_TRUE(engine.cacheStatus());
  }));
}

TEST(Fork, SpawnedProgramsBesideCompilationAndCalls) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    ASSERT_TRUE(works(engine, 2, Mode::Tiered, 400000));
    for (int round = 0; round < rounds(10); ++round) {
      ASSERT_TRUE(engine.compile(slowText(round), in(Mode::Tiered)));
      char name[] = "/bin/true";
      char *words[] = {name, nullptr};
      pid_t id = -1;
      ASSERT_EQ(posix_spawn(&id, name, nullptr, nullptr, words, environ), 0);
      EXPECT_TRUE(works(engine, 2, Mode::Tiered, 400000));
      int status = -1;
      EXPECT_EQ(waitpid(id, &status, 0), id);
      EXPECT_EQ(status, 0);
    }
    engine.settle();
  }));
}
