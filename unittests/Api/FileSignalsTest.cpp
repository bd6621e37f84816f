//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that cannot be written end no host, which keeps the default handlers of
// SIGXFSZ and SIGPIPE.
//
//===----------------------------------------------------------------------===//
#include "Api/CachedEngine.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

using namespace kexpr;
using namespace kexpr::test;

using FileSignals = CachedEngine;

/// Puts a pipe that nobody reads in the place of standard error.
static void breakStandardError() {
  int ends[2];
  if (pipe(ends) != 0)
    std::abort();
  close(ends[0]);
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
}

TEST_F(FileSignals, OfALimitEndNoHost) {
  if (IsEmulated) // It keeps blocked signals for itself.
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  for (const rlim_t most : {0, 1, 100, 1000})
    EXPECT_EQ(inChild([&] {
                limitFiles(most);
                EngineOptions options = cachedIn(path);
                options.dumpDirectory = root.path("dumps");
                options.listeners = {.perfMap = true,
                                     .jitDump = true,
                                     .directory = root.path("profile")};
                const Engine engine(options);
                const bool isRight =
                    compilesRight(engine, "add(@0,sin(@0))", Baseline);
                const EngineStats stats = engine.stats();
                return isRight && stats.diskFailed == 1 &&
                       !engine.listenerStatus() && !engine.dumpStatus();
              }),
              1)
        << most << " bytes";
}

TEST_F(FileSignals, OfALimitEndNoHostInTheBackground) {
  EXPECT_EQ(inChild([&] {
              limitFiles(100);
              const Engine engine(cachedIn(path));
              const bool isRight = compilesRight(engine, "add(@0,sin(@0))",
                                                 {.mode = Mode::Tiered});
              engine.settle();
              return isRight && engine.stats().diskFailed == 2;
            }),
            1);
}

TEST_F(FileSignals, OfLogLinesEndNoHost) {
  EXPECT_EQ(inChild([&] {
              breakStandardError();
              EngineOptions options = cachedIn(path);
              options.log = "compile,cache";
              return compilesRight(Engine(options), "neg(@0)", Baseline);
            }),
            1);
}
