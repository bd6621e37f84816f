//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "Host/PerfMaps.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <thread>

using namespace kexpr;
using namespace kexpr::test;

// A process that may have no more of something: files, memory, threads.

namespace {
void limit(int resource, rlim_t most) {
  const rlimit both = {most, most};
  ASSERT_EQ(setrlimit(static_cast<__rlimit_resource>(resource), &both), 0);
}

/// Bytes of addresses that this process has.
rlim_t addressBytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Whether a text compiles and is right, or is refused with a sentence. What
/// the test itself needs was there before the limit.
testing::AssertionResult worksOrSays(const Engine &engine,
                                     const std::string &text, Call &call,
                                     Mode mode) {
  const auto kernel = engine.compile(text, in(mode));
  if (!kernel && kernel.error().message().empty())
    return testing::AssertionFailure() << "no sentence";
  if (!kernel)
    return testing::AssertionSuccess();
  const Status status = call.run(*kernel);
  if (status ? call.wrong() != 0 : !call.isUntouched())
    return testing::AssertionFailure() << "spoiled outputs";
  return testing::AssertionSuccess();
}

/// All that an engine may write.
EngineOptions writingTo(const TemporaryDirectory &directory) {
  EngineOptions options;
  options.cacheDirectory = directory.path("cache");
  options.dumpDirectory = directory.path("dump");
  options.listeners.jitDump = true;
  options.listeners.perfMap = true;
  options.listeners.directory = directory.path("profile");
  return options;
}

class Limits : public testing::Test {
protected:
  const PerfMaps maps;
  const TemporaryDirectory directory;
};
} // namespace

TEST_F(Limits, FilesThatMayNotGrow) {
  for (const rlim_t bytes : {0, 1, 500, 5000})
    for (const Mode mode : {Mode::Optimized, Mode::Tiered})
      EXPECT_TRUE(endsWell([&] {
        // The signal is not ignored: it would end the process.
        limit(RLIMIT_FSIZE, bytes);
        const Engine engine(writingTo(directory));
        for (int i = 2; i < 5; ++i)
          EXPECT_TRUE(works(engine, i, mode));
        engine.settle();
      })) << bytes
          << " bytes";
}

TEST_F(Limits, TheSignalOfALimitIsStillTheHosts) {
  EXPECT_TRUE(endsWell([&] {
    static int taken = 0;
    std::signal(SIGXFSZ, [](int) { ++taken; });
    limit(RLIMIT_FSIZE, 100);
    const Engine engine(writingTo(directory));
    EXPECT_TRUE(works(engine, 2, Mode::Optimized));
    EXPECT_EQ(taken, 0) << "a signal of kexpr's own files";
    std::ofstream(directory.path("own"))
        << std::string(1000, 'x') << std::flush;
    EXPECT_GE(taken, 1) << "the signal of the host's file is gone";
  }));
}

TEST_F(Limits, NoMoreFiles) {
  for (const bool isLoaded : {false, true})
    for (const Mode mode : AllModes)
      EXPECT_TRUE(endsWell([&] {
        if (isLoaded)
          (void)Engine().vectorBits();
        limit(RLIMIT_NOFILE, 0);
        const Engine engine(writingTo(directory));
        Call call(400000);
        for (int i = 0; i < 3; ++i) {
          EXPECT_TRUE(worksOrSays(engine, numbered(2), call, mode));
          engine.settle();
        }
        EXPECT_TRUE(!isLoaded || works(engine, 3, mode));
        EXPECT_FALSE(PnnxModel::load(directory.path("none")));
      })) << nameOfMode(mode)
          << (isLoaded ? ", loaded" : "");
}

TEST_F(Limits, NoMoreAddresses) {
  if (IsSanitized)
    GTEST_SKIP() << kexpr::test::skips::Sanitized;
  // Nothing is compiled below the limit: LLVM ends a process whose memory ends.
  for (const rlim_t bytes : {0, 1 << 16, 1 << 20, 1 << 23, 1 << 25})
    EXPECT_TRUE(endsWell([&] {
      const Engine engine;
      const auto kernel = engine.compile(numbered(2));
      ASSERT_TRUE(kernel) << kernel.error().render();
      Call call(400000);
      std::vector<std::string> texts;
      for (int i = 0; i < 20; ++i)
        texts.push_back("add(mul(@0,2)," + std::string(1000 * i, ' ') + "@1)");
      std::vector<TensorView> inputs = call.inputs();
      const TensorView output = call.output();
      limit(RLIMIT_AS, addressBytes() + bytes);
      for (const unsigned threads : {1, 2, 0}) {
        call.spoil();
        const Status status = kernel->run(inputs, output, onThreads(threads));
        EXPECT_TRUE(status ? call.wrong() == 0 : call.isUntouched());
      }
      for (const std::string &text : texts) {
        const auto interpreted = engine.compile(text, in(Mode::Interpret));
        EXPECT_TRUE(interpreted || !interpreted.error().message().empty());
      }
    })) << bytes
        << " bytes";
}

TEST_F(Limits, NoAddressesForTheCodeGenerator) {
  if (IsSanitized)
    GTEST_SKIP() << kexpr::test::skips::Sanitized;
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([&] {
      Call call(400000);
      limit(RLIMIT_AS, addressBytes() + (1 << 24));
      const Engine engine;
      EXPECT_TRUE(worksOrSays(engine, numbered(2), call, mode));
      engine.settle();
      EXPECT_TRUE(worksOrSays(engine, numbered(2), call, mode));
    })) << nameOfMode(mode);
}

TEST_F(Limits, NoMoreThreads) {
  if (IsSanitized)
    GTEST_SKIP() << kexpr::test::skips::Sanitized;
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([&] {
      EngineOptions options;
      // Loads the code generator while files can be read.
      (void)Engine().vectorBits();
      // The limit does not bind root.
      ASSERT_TRUE(getuid() != 0 || setuid(65534) == 0);
      limit(RLIMIT_NPROC, 1);
      options.warmUp = true;
      const Engine engine(options);
      for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(works(engine, 2, mode, 400000));
      engine.settle();
    })) << nameOfMode(mode);
}
