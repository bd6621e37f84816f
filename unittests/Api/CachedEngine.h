//===- Api/CachedEngine.h - Engines with a cache on disk ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_CACHEDENGINE_H
#define KEXPR_UNITTESTS_API_CACHEDENGINE_H

#include "Api/NumberedExpressions.h"
#include "TestUtil/Files.h"
#include "TestUtil/Skips.h"

namespace kexpr::test {

/// Entries of a cache on disk, without what LLVM's pruning notes there.
inline std::set<std::string> entriesIn(const std::string &directory) {
  auto names = namesIn(directory, "llvmcache-");
  names.erase("llvmcache.timestamp");
  return names;
}

/// Bytes of them.
inline std::uintmax_t entryBytesIn(const std::string &directory) {
  std::uintmax_t bytes = 0;
  for (const std::string &name : entriesIn(directory))
    bytes += std::filesystem::file_size(directory + "/" + name);
  return bytes;
}

inline EngineOptions cachedIn(const std::string &directory) {
  EngineOptions options;
  options.cacheDirectory = directory;
  return options;
}

inline const CompileOptions Baseline{.mode = Mode::Baseline};

/// Tests of a directory of their own.
class CachedEngine : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("KEXPR_DUMP");
    unsetenv("KEXPR_LOG");
    if (Engine().vectorBits() == 0)
      GTEST_SKIP() << kexpr::test::skips::NoCode;
  }

  /// Looked up, not found, generated, stored; of an engine of its own.
  struct Outcome {
    std::uint64_t hits, misses, compiled, stored;
    friend bool operator==(const Outcome &, const Outcome &) = default;
    friend std::ostream &operator<<(std::ostream &out, const Outcome &o) {
      return out << o.hits << " hits, " << o.misses << " misses, " << o.compiled
                 << " compiled, " << o.stored << " stored";
    }
  };
  static constexpr Outcome Made = {0, 1, 1, 1}, Found = {1, 0, 0, 0};

  static Outcome outcomeOf(const Engine &engine) {
    const EngineStats stats = engine.stats();
    return {stats.diskHits, stats.diskMisses, stats.compiled, stats.diskStored};
  }
  /// What becomes of one expression in a new engine.
  Outcome compile(const std::string &text,
                  const CompileOptions &options = Baseline) const {
    return compile(text, options, cachedIn(path));
  }
  static Outcome compile(const std::string &text, const CompileOptions &options,
                         const EngineOptions &engineOptions) {
    const Engine engine(engineOptions);
    EXPECT_TRUE(compilesRight(engine, text, options)) << text;
    return outcomeOf(engine);
  }

  const TemporaryDirectory root;
  const std::string path = root.path("cache");
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_CACHEDENGINE_H
