//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One of the processes that share a cache on disk. It compiles expressions,
/// holds every result against the interpreter, and prints what its engine says
/// of the disk. Its exit status says whether all results were right.
///
///     CacheWorker DIRECTORY SEED COUNT [NAME=NUMBER...]
///
/// | name | is |
/// |---|---|
/// | mode | 0 baseline, 1 optimised, 2 tiered |
/// | set | expressions of which COUNT are chosen, in an order the seed gives |
/// | disk-bytes | EngineOptions::maxDiskBytes |
/// | file-bytes | what no file can be larger than, as if the disk were full |
/// | endless | 1: says when it is ready, and goes on until it is killed |
///
//===----------------------------------------------------------------------===//
#include "Api/NumberedExpressions.h"
#include "TestUtil/Process.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>

using namespace kexpr;
using namespace kexpr::test;

using Settings = std::map<std::string, std::uint64_t>;

static Settings readSettings(int argc, char **argv) {
  Settings settings = {{"mode", 0},
                       {"set", 60},
                       {"file-bytes", 0},
                       {"disk-bytes", 1u << 30},
                       {"endless", 0}};
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    settings.at(word.substr(0, word.find('='))) =
        std::stoull(word.substr(word.find('=') + 1));
  }
  return settings;
}

static std::vector<unsigned> chosen(unsigned seed, std::size_t set,
                                    std::size_t count) {
  std::vector<unsigned> numbers(set);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(seed));
  numbers.resize(std::min(count, set));
  return numbers;
}

/// Whether LLVM has been loaded into this process.
static bool hasLlvm() {
  const auto lines = mappings();
  return std::any_of(lines.begin(), lines.end(), [](const std::string &line) {
    return line.find("libkexpr-llvm") != std::string::npos;
  });
}

static unsigned compileAll(const Engine &engine,
                           const std::vector<unsigned> &numbers, Mode mode) {
  const Engine interpreter;
  unsigned wrong = 0;
  for (unsigned number : numbers) {
    const std::string text = numbered(number);
    const auto kernel = engine.compile(text, {.mode = mode});
    wrong += !kernel || !isRight(*kernel, interpreter, text);
  }
  engine.settle();
  return wrong;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  const Settings settings = readSettings(argc, argv);
  if (const std::uint64_t bytes = settings.at("file-bytes"))
    limitFiles(bytes);
  const Mode modes[] = {Mode::Baseline, Mode::Optimized, Mode::Tiered};
  const Mode mode = modes[settings.at("mode")];
  const auto numbers = chosen(static_cast<unsigned>(std::stoul(argv[2])),
                              settings.at("set"), std::stoul(argv[3]));

  EngineOptions options;
  options.cacheDirectory = argv[1];
  options.maxDiskBytes = settings.at("disk-bytes");
  if (settings.at("endless")) {
    // What comes once in a process is over when it says that it is ready.
    compileAll(Engine(), {0}, mode);
    std::printf("ready\n");
    std::fflush(stdout);
    while (compileAll(Engine(options), numbers, mode) == 0)
      continue;
    return 1;
  }
  const Engine engine(options);
  const unsigned wrong = compileAll(engine, numbers, mode);
  const EngineStats stats = engine.stats();
  std::printf("wrong %u compiled %llu hits %llu misses %llu stored %llu "
              "failed %llu used %d llvm %d\n",
              wrong, static_cast<unsigned long long>(stats.compiled),
              static_cast<unsigned long long>(stats.diskHits),
              static_cast<unsigned long long>(stats.diskMisses),
              static_cast<unsigned long long>(stats.diskStored),
              static_cast<unsigned long long>(stats.diskFailed),
              bool(engine.cacheStatus()), hasLlvm());
  return wrong != 0;
}
