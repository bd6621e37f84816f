//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cache on disk holds at most.
//
//===----------------------------------------------------------------------===//
#include "Api/CachedEngine.h"

#include <algorithm>
#include <ctime>

using namespace kexpr;
using namespace kexpr::test;

TEST_F(CachedEngine, TheDirectoryIsBounded) {
  EXPECT_EQ(compile(numbered(500)), Made);
  const auto entry = entryBytesIn(path);
  EngineOptions options = cachedIn(path);
  options.maxDiskBytes = 10 * entry;
  const Engine engine(options);
  for (unsigned i = 0; i < 60; ++i) {
    ASSERT_TRUE(compilesRight(engine, numbered(100 + i), Baseline));
    // The last one was stored before others were removed.
    EXPECT_LE(entryBytesIn(path), options.maxDiskBytes);
  }
  EXPECT_GE(entriesIn(path).size(), 5u);
  EXPECT_EQ(engine.stats().diskStored, 60u);
}

TEST_F(CachedEngine, ABoundOfNothingKeepsNothing) {
  EngineOptions options = cachedIn(path);
  options.maxDiskBytes = 0;
  const Engine engine(options);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_TRUE(compilesRight(engine, numbered(i), Baseline));
  EXPECT_TRUE(entriesIn(path).empty());
}

/// Has every entry be used last long ago, in the order of their names, a second
/// apart. What is not used for a week would go by itself.
static void age(const std::string &path) {
  std::time_t when = std::time(nullptr) - 10000;
  for (const std::string &name : entriesIn(path))
    setLastUse(path + "/" + name, when++);
}

TEST_F(CachedEngine, WhatIsUsedOutlivesWhatIsNot) {
  const std::string used = numbered(30);
  EXPECT_EQ(compile(used), Made);
  const std::string name = *entriesIn(path).begin();
  const auto entry = entryBytesIn(path);
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(compile(numbered(40 + i)), Made);
  EngineOptions options = cachedIn(path);
  options.maxDiskBytes = 5 * entry;
  for (unsigned i = 0; i < 12; ++i) {
    age(path);
    EXPECT_EQ(compile(used), Found);
    EXPECT_EQ(compile(numbered(60 + i), Baseline, options), Made);
    EXPECT_TRUE(entriesIn(path).contains(name));
    EXPECT_LE(entryBytesIn(path), options.maxDiskBytes);
  }
}

TEST_F(CachedEngine, OnlyItsOwnFilesArePruned) {
  EngineOptions options = cachedIn(path);
  options.maxDiskBytes = 1;
  EXPECT_EQ(compile(numbered(1)), Made);
  const std::string entry = *entriesIn(path).begin();
  writeFile(path + "/precious", std::string(10000, 'x'));
  // What a process left that was killed while it wrote.
  writeFile(path + "/" + entry + ".123.4.567", "half");
  EXPECT_EQ(compile(numbered(2), Baseline, options), Made);
  EXPECT_TRUE(entriesIn(path).empty());
  EXPECT_EQ(readFile(path + "/precious"), std::string(10000, 'x'));
}
