//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes that share a cache on disk; see CacheWorker.cpp.
//
//===----------------------------------------------------------------------===//
#include "Api/CachedEngine.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <ctime>
#include <deque>
#include <random>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CacheProcesses : public CachedEngine {
protected:
  std::vector<std::string> worker(unsigned seed, unsigned count,
                                  std::vector<std::string> settings = {}) {
    std::vector<std::string> words = {
        KEXPR_CACHE_WORKER, path, std::to_string(seed), std::to_string(count)};
    words.insert(words.end(), settings.begin(), settings.end());
    return words;
  }
  /// What a worker says that ran to its end.
  std::string run(unsigned seed, unsigned count,
                  std::vector<std::string> settings = {}) {
    Process process(worker(seed, count, std::move(settings)));
    EXPECT_EQ(process.wait(), 0) << process.read();
    return process.read();
  }
};
} // namespace

TEST_F(CacheProcesses, WhoFindsAllDoesNotLoadLlvm) {
  const std::string first = run(1, 20);
  if (first.find("llvm 1") == std::string::npos)
    GTEST_SKIP() << kexpr::test::skips::NoPlugin;
  EXPECT_EQ(first, "wrong 0 compiled 20 hits 0 misses 20 stored 20 failed 0 "
                   "used 1 llvm 1\n");
  EXPECT_EQ(run(1, 20), "wrong 0 compiled 0 hits 20 misses 0 stored 0 failed 0 "
                        "used 1 llvm 0\n");
  // Tiered kernels that are all optimised need none either.
  run(1, 5, {"mode=1"});
  EXPECT_EQ(run(1, 5, {"mode=2"}),
            "wrong 0 compiled 0 hits 5 misses 0 stored 0 failed 0 used 1 "
            "llvm 0\n");
}

TEST_F(CacheProcesses, ManyShareADirectory) {
  std::deque<Process> all;
  for (unsigned seed = 0; seed < 8; ++seed)
    all.emplace_back(worker(seed, 30));
  for (Process &process : all)
    EXPECT_EQ(process.wait(), 0) << process.read();
  const std::size_t entries = entriesIn(path).size();
  EXPECT_GT(entries, 30u);
  EXPECT_LE(entries, 60u) << "something was left";
  EXPECT_NE(run(3, 30).find("compiled 0 hits 30 "), std::string::npos);
}

TEST_F(CacheProcesses, AFullDiskFailsNoCompilation) {
  if (IsEmulated) // It keeps blocked signals for itself.
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  const std::string full = run(1, 10, {"file-bytes=100"});
  EXPECT_NE(full.find("compiled 10 hits 0 misses 10 stored 0 failed 10 used 1"),
            std::string::npos)
      << full;
  EXPECT_TRUE(entriesIn(path).empty());
  // In every mode.
  run(2, 5, {"file-bytes=100", "mode=2"});
  EXPECT_TRUE(entriesIn(path).empty());
}

TEST_F(CacheProcesses, AWriterMayBeKilledAtAnyMoment) {
  if (IsEmulated) // Nothing is written in the time there is.
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  run(1, 20);
  const auto good = entriesIn(path);
  std::mt19937 random(29);
  const unsigned rounds = IsSanitized ? 40 : 200;
  for (unsigned round = 0; round < rounds; ++round) {
    // Nearly all that it compiles is new.
    Process writer(worker(100 + round, 1000, {"set=100000", "endless=1"}));
    writer.waitForOutput();
    usleep(random() % 8000);
    writer.kill();
  }
  const auto names = entriesIn(path);
  EXPECT_GT(names.size(), good.size()) << "they were killed too early";
  EXPECT_NE(run(1, 20).find("wrong 0 compiled 0 hits 20 "), std::string::npos);
  // What the killed ones would have compiled next, over what they left.
  for (unsigned round = 0; round < rounds; round += rounds / 5) {
    const std::string said = run(100 + round, 20, {"set=100000"});
    EXPECT_EQ(said.rfind("wrong 0 ", 0), 0u) << said;
  }
  // Whatever it was that they left, it goes when it is not used.
  for (const std::string &name : names)
    setLastUse(path + "/" + name, std::time(nullptr) - 10000);
  run(999, 1, {"set=100000", "disk-bytes=5000"});
  for (const std::string &name : entriesIn(path))
    EXPECT_FALSE(names.contains(name)) << name;
}

TEST_F(CacheProcesses, SomePruneWhileOthersRead) {
  run(1, 30);
  std::deque<Process> pruning, reading;
  for (unsigned seed = 0; seed < 3; ++seed)
    pruning.emplace_back(worker(seed, 60, {"disk-bytes=20000", "endless=1"}));
  for (Process &process : pruning)
    process.waitForOutput();
  for (unsigned seed = 0; seed < 5; ++seed)
    reading.emplace_back(worker(seed, 40));
  for (Process &process : reading)
    EXPECT_EQ(process.wait(), 0) << process.read();
  for (Process &process : pruning)
    process.kill();
  EXPECT_NE(run(1, 30).find("wrong 0 "), std::string::npos);
}
