//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A host under load: 32 threads that compile more texts than engines keep, in
/// all modes and with a cache on disk, and call kernels in every way there is,
/// while the process forks each minute. Results are held against the
/// interpreter's bits. The exit status says whether all was well, and whether
/// memory was flat: after two minutes it may pass what it was before by a
/// quarter. Shorter runs fork more often and do not judge memory.
///
///     MixedLoad SECONDS [SEED]
///
//===----------------------------------------------------------------------===//
#include "Host/LoadedThread.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

static constexpr unsigned Threads = 32;
static constexpr seconds Settling{120};
static constexpr double Growth = 1.25;
/// What a child, and the end of all threads, take at most.
static constexpr unsigned Deadline = 240;

/// Engines that differ, each of which keeps less than it is asked for.
static std::vector<Engine> makeEngines(const std::string &directory,
                                       std::atomic<std::uint64_t> &lines) {
  EngineOptions plain;
  plain.maxKernels = 8;
  EngineOptions small;
  small.maxCodeBytes = 32 << 10;
  EngineOptions disk = plain;
  disk.cacheDirectory = directory;
  disk.maxDiskBytes = 2 << 20;
  EngineOptions hosted = plain;
  hosted.executor = inThirds();
  EngineOptions logged = disk;
  logged.executor = inThirds();
  logged.log = "compile,cache";
  logged.logSink = [&lines](std::string_view) { ++lines; };
  return {Engine(plain), Engine(small), Engine(disk), Engine(hosted),
          Engine(logged)};
}

/// What a copy of the process does with all engines of its parent.
static int useInChild(const Load &load, unsigned seed) {
  LoadedThread thread(load, seed);
  for (int i = 0; i < 24; ++i)
    if (const std::string problem = thread.takeTurn(); !problem.empty()) {
      std::fprintf(stderr, "in a child: %s\n", problem.c_str());
      return 1;
    }
  for (const Engine &engine : load.engines)
    engine.settle();
  return 0;
}

/// Whether a child ends well, by `exit` or at once.
static bool forkOnce(const Load &load, unsigned seed) {
  std::fflush(nullptr);
  const pid_t id = fork();
  if (id == 0) {
    alarm(Deadline);
    const int status = useInChild(load, seed);
    // What threads of the parent hold looks like a leak in a child.
    if (seed % 2 && !IsSanitized)
      std::exit(status);
    _exit(status);
  }
  int status = 0;
  if (id > 0 && waitpid(id, &status, 0) == id && status == 0)
    return true;
  std::fprintf(stderr, "a child ended with wait status %#x\n", status);
  return false;
}

namespace {
/// The threads at work, and what went wrong first.
class Crowd {
public:
  Crowd(const Load &load, unsigned seed) {
    for (unsigned i = 0; i < Threads; ++i)
      threads.emplace_back([this, &load, seed, i] {
        LoadedThread thread(load, seed * Threads + i);
        while (!isOver)
          note(thread.takeTurn());
      });
  }
  ~Crowd() { end(); }
  void end() {
    isOver = true;
    alarm(Deadline);
    for (std::thread &thread : threads)
      thread.join();
    threads.clear();
    alarm(0);
  }
  bool isWell() const { return !hasFailed; }
  std::uint64_t turns() const { return count; }

private:
  void note(const std::string &problem) {
    ++count;
    if (!problem.empty() && !hasFailed.exchange(true))
      std::fprintf(stderr, "%s\n", problem.c_str());
  }

  std::atomic<bool> isOver = false, hasFailed = false;
  std::atomic<std::uint64_t> count = 0;
  std::vector<std::thread> threads;
};

/// Whether memory stays what it was when all had settled.
class Memory {
public:
  bool isFlat(seconds elapsed, std::size_t bytes) {
    if (elapsed <= Settling)
      settled = std::max(settled, bytes);
    return elapsed <= Settling || bytes <= Growth * settled;
  }

private:
  std::size_t settled = 0;
};
} // namespace

static void print(const Load &load, seconds elapsed, std::size_t bytes,
                  std::uint64_t turns, unsigned forks) {
  EngineStats all;
  for (const Engine &engine : load.engines) {
    const EngineStats stats = engine.stats();
    all.compiled += stats.compiled;
    all.evictions += stats.evictions;
    all.diskHits += stats.diskHits;
  }
  std::printf(
      "%5lld s: %4zu MiB, %llu turns, %llu loops compiled, %llu kernels "
      "evicted, %llu loops from disk, %u forks\n",
      static_cast<long long>(elapsed.count()), bytes >> 20,
      static_cast<unsigned long long>(turns),
      static_cast<unsigned long long>(all.compiled),
      static_cast<unsigned long long>(all.evictions),
      static_cast<unsigned long long>(all.diskHits), forks);
  std::fflush(stdout);
}

/// Looks at memory every ten seconds and forks every minute, until the end.
static bool watch(const Load &load, const Crowd &crowd, seconds length,
                  unsigned seed) {
  const seconds step = std::clamp(length / 5, seconds(1), seconds(10));
  const seconds forkStep = std::min(6 * step, length / 2);
  const auto begin = Clock::now();
  Memory memory;
  unsigned forks = 0;
  for (seconds next = step; next <= length; next += step) {
    std::this_thread::sleep_until(begin + next);
    const std::size_t bytes = residentBytes();
    print(load, next, bytes, crowd.turns(), forks);
    if (!crowd.isWell())
      return false;
    if (!memory.isFlat(next, bytes)) {
      std::fprintf(stderr, "memory grows\n");
      return false;
    }
    // ThreadSanitizer cannot have so many threads leave locks to a child.
    if (!IsSanitized && next >= (forks + 1) * forkStep &&
        !forkOnce(load, seed + forks++))
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const seconds length(std::stoul(argv[1]));
  const auto seed = static_cast<unsigned>(argc > 2 ? std::stoul(argv[2]) : 1);
  const TemporaryDirectory directory;
  std::atomic<std::uint64_t> lines = 0;
  const Load load(makeEngines(directory.path("cache"), lines));
  Crowd crowd(load, seed);
  const bool isWell = watch(load, crowd, length, seed);
  crowd.end();
  return isWell && crowd.isWell() && lines > 0 ? 0 : 1;
}
