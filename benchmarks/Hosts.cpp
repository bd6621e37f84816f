//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host that has loops of its own between calls of kexpr: what helpers that
// stay awake for the next call take away from these. The loops are 8 tasks of
// about 250 microseconds of arithmetic on oneTBB, OpenMP or a pool of the
// host's; each kind is a process of its own, in which all ways to wait are
// tried in turns. Then a matrix product and a kernel in turns.
//
//===----------------------------------------------------------------------===//
#include "HostTurns.h"

#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Bench/Timing.h"
#include "Bench/Workload.h"

#include <tbb/parallel_for.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <mutex>
#include <thread>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr int TaskCount = 8;
static constexpr double TaskSeconds = 250e-6;
static constexpr std::int64_t Elements = 400000;
static constexpr int Rounds = 11, Turns = 60;

static constexpr std::array hosts = {"oneTBB", "OpenMP", "threads"};
/// How long helpers stay awake: not at all, as long as by default, 2 ms.
static constexpr std::array ways = {"0", "default", "2000 us"};

static std::atomic<std::int64_t> tasksDone = 0;

/// Additions that wait for each other.
static void spin(std::int64_t additions) {
  [[maybe_unused]] static thread_local volatile double result;
  double sum = 1;
  for (std::int64_t i = 0; i < additions; ++i)
    sum += 1e-9;
  result = sum;
  ++tasksDone;
}

/// Additions that take as long as a task does.
static std::int64_t additionsOfTask() {
  constexpr std::int64_t probe = 1000000;
  std::vector<double> times;
  for (int i = 0; i < 9; ++i)
    times.push_back(timeOf([] { spin(probe); }));
  return static_cast<std::int64_t>(probe * TaskSeconds / median(times));
}

namespace {
/// A host's own threads, which sleep between loops.
class ThreadPool {
public:
  ThreadPool() {
    for (unsigned t = 1; t < hardwareThreads(); ++t)
      threads.emplace_back([this] { serve(); });
  }
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex);
      isOver = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }
  void forEach(int count, const std::function<void()> &work) {
    std::unique_lock lock(mutex);
    task = &work;
    left = unfinished = count;
    wake.notify_all();
    takePart(lock);
    done.wait(lock, [this] { return unfinished == 0; });
  }

private:
  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return isOver || left > 0; });
      if (isOver)
        return;
      takePart(lock);
    }
  }
  void takePart(std::unique_lock<std::mutex> &lock) {
    while (left > 0) {
      --left;
      const auto *work = task;
      lock.unlock();
      (*work)();
      lock.lock();
      if (--unfinished == 0)
        done.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void()> *task = nullptr;
  int left = 0, unfinished = 0;
  bool isOver = false;
  std::vector<std::thread> threads;
};
} // namespace

/// The host's loop.
static void runLoop(std::string_view host, std::int64_t additions) {
  if (host == "oneTBB") {
    tbb::parallel_for(
        0, TaskCount, [=](int) { spin(additions); }, tbb::simple_partitioner());
  } else if (host == "OpenMP") {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < TaskCount; ++i)
      spin(additions);
  } else {
    static ThreadPool pool;
    pool.forEach(TaskCount, [=] { spin(additions); });
  }
}

static RunOptions optionsOf(std::size_t way) {
  RunOptions options;
  if (way != 1)
    options.stayAwake = std::chrono::microseconds(way == 0 ? 0 : 2000);
  return options;
}

namespace {
/// Times of loops and of calls, in seconds.
struct Times {
  std::vector<double> loop, call;
};
} // namespace

/// Loops and calls in turns.
static Times alternate(const Workload &workload, std::string_view host,
                       std::int64_t additions, const RunOptions &options) {
  Times times;
  for (int turn = 0; turn < Turns; ++turn) {
    times.call.push_back(timeOf([&] { (void)workload.run(options); }));
    times.loop.push_back(timeOf([&] { runLoop(host, additions); }));
  }
  return times;
}

/// Measures all ways in turns in this process, and prints a loop's and a call's
/// median time of each in microseconds; the loop's alone comes first.
static Status measure(std::string_view host) {
  const Engine engine;
  Pool pool;
  Workload workload("add(mul(@0,0.5),mul(@1,@1))", {Shape{Elements}});
  for (std::size_t way = 0; way < ways.size(); ++way)
    if (auto status = workload.prepare(engine, pool, optionsOf(way)); !status)
      return status;
  const std::int64_t additions = additionsOfTask();
  const std::int64_t before = tasksDone;
  runLoop(host, additions);
  if (tasksDone != before + TaskCount)
    return Error(ErrorCode::InvalidArgument, "a loop left tasks out");
  std::vector<double> alone;
  std::array<Times, ways.size()> sums;
  for (int round = 0; round < Rounds; ++round) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      usleep(10000); // helpers of the way before are asleep by now
      const Times times = alternate(workload, host, additions, optionsOf(way));
      sums[way].loop.push_back(median(times.loop));
      sums[way].call.push_back(median(times.call));
    }
    usleep(10000);
    std::vector<double> times;
    for (int turn = 0; turn < Turns; ++turn)
      times.push_back(timeOf([&] { runLoop(host, additions); }));
    alone.push_back(median(times));
  }
  std::printf("%.2f", median(alone) * 1e6);
  for (const Times &times : sums)
    std::printf(" %.2f %.2f", median(times.loop) * 1e6,
                median(times.call) * 1e6);
  std::printf("\n");
  return {};
}

/// A row for each way of waiting, from a process of its own.
static Status addRows(Table &table, const std::string &host) {
  const std::string command =
      "exec " + std::filesystem::read_symlink("/proc/self/exe").string() + ' ' +
      host;
  double alone = 0, loops[ways.size()] = {}, calls[ways.size()] = {};
  std::FILE *pipe = popen(command.c_str(), "r");
  bool isRead = pipe && std::fscanf(pipe, "%lf", &alone) == 1;
  for (std::size_t way = 0; way < ways.size(); ++way)
    isRead =
        isRead && std::fscanf(pipe, "%lf %lf", &loops[way], &calls[way]) == 2;
  if (!pipe || pclose(pipe) != 0 || !isRead)
    return Error(ErrorCode::Io, "the process for '" + host + "' failed");
  for (std::size_t way = 0; way < ways.size(); ++way)
    table.add({host, ways[way], number(loops[way], 0),
               number(loops[way] / loops[0], 2), number(loops[way] / alone, 2),
               number(calls[way], 1)});
  return {};
}

static Status compareHosts() {
  std::cout << describeMachine(Engine()) << "\n\n";
  Table table(
      {"host", "stay awake", "loop us", "of sleeping", "of alone", "call us"});
  for (const char *host : hosts)
    if (auto status = addRows(table, host); !status)
      return status;
  std::cout << "Medians of " << Rounds << ".\n\n";
  table.print(std::cout);
  return {};
}

/// Nothing to print all tables, `turns` for the last one, or a host to measure.
int main(int argc, char **argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  Status status = part.empty()      ? compareHosts()
                  : part == "turns" ? Status()
                                    : measure(part);
  if (status && (part.empty() || part == "turns"))
    status = compareTurns();
  if (!status)
    std::cerr << status.error().render() << '\n';
  return status ? 0 : 1;
}
