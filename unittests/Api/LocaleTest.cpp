//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host's locale has no say in texts and files.
//
//===----------------------------------------------------------------------===//
#include "Api/CachedEngine.h"
#include "TestUtil/Locales.h"
#include "TestUtil/Process.h"

#include "kexpr/Scalar.h"

using namespace kexpr;
using namespace kexpr::test;

using Locale = CachedEngine;

/// Text of everything that says numbers.
static std::string said() {
  const Engine engine;
  std::string text;
  for (const char *source : {"div(mul(@1234,1234567.5),2.5e-7)",
                             "[add(@0,12345678),floor_divide(@0,1234)]"}) {
    const auto kernel = engine.compile(source);
    text += kernel->expression().canonical();
    for (std::size_t stage = 0; stage < StageCount; ++stage)
      text += *kernel->dump(static_cast<Stage>(stage));
  }
  text += engine.compile("add(@0,@4294967295)").error().render();
  text += engine.compile(std::string(2000000, ' ')).error().render();
  text += engine.compile("size(@12345,@1)").error().render();
  text += evaluate(*Expression::parse("[pow(7,20),div(100000,3)]"), {})->str();
  return text + Shape{123456, 1234}.str();
}

/// Lines of what the engine says in its log; times aside, which have no points.
static std::string logged() {
  std::string text;
  EngineOptions options;
  options.log = "compile,nonsense";
  options.logSink = [&](std::string_view line) { text += line; };
  EXPECT_TRUE(Engine(options).compile("neg(@0)"));
  return text;
}

/// Raises what descriptors will be to four digits.
static void openThousandFiles() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  while (open("/dev/null", O_RDONLY | O_CLOEXEC) < 1000)
    ;
}

TEST_F(Locale, HasNoSayInTexts) {
  const std::string plain = said();
  const GroupingLocale locale;
  EXPECT_EQ(said(), plain);
}

TEST_F(Locale, HasNoSayInLogLines) {
  const GroupingLocale locale;
  EXPECT_NE(logged().find("kexpr " + std::to_string(getpid()) + ' '),
            std::string::npos);
}

TEST_F(Locale, HasNoSayInWhereFilesAre) {
  EXPECT_EQ(inChild([&] {
              const GroupingLocale locale;
              const std::string id = std::to_string(getpid());
              const std::string map = "/tmp/perf-" + id + ".map";
              EngineOptions options;
              options.listeners = {.perfMap = true,
                                   .jitDump = true,
                                   .directory = root.path("profile")};
              const Engine engine(options);
              const bool isRight =
                  compilesRight(engine, "mul(@0,12345.5)", Baseline);
              const std::string lines = readFile(map);
              std::filesystem::remove(map);
              const std::string dump = root.path("profile/jit-") + id + ".dump";
              return isRight && std::filesystem::exists(dump) &&
                     lines.find("mul(@0,12345.5)") != std::string::npos;
            }),
            1);
}

TEST_F(Locale, HasNoSayInPruning) {
  EXPECT_EQ(inChild([&] {
              openThousandFiles();
              const GroupingLocale locale;
              EngineOptions options = cachedIn(path);
              options.maxDiskBytes = 1;
              const Engine engine(options);
              bool isRight = true;
              for (unsigned i = 0; i < 4; ++i)
                isRight &= compilesRight(engine, numbered(i), Baseline);
              return isRight && entriesIn(path).empty();
            }),
            1);
}
