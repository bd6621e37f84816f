//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ColdStart.h"

#include "Bench/Latency.h"
#include "Bench/Timing.h"
#include "kexpr/kexpr.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

using Clock = std::chrono::steady_clock;

static constexpr const char *Marker = "--first-kernel";

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Prints the seconds to the first result; with `warmUp`, from when a host that
/// did something else for a while asks for it.
static int runFirstKernel(Mode mode, bool warmUp, const char *cache) {
  auto start = Clock::now();
  constexpr std::int64_t elements = 4096;
  const std::vector<float> x(elements, 0.5f);
  std::vector<float> out(elements);
  const TensorView view(x.data(), {elements}), result(out.data(), {elements});
  const Engine engine({.cacheDirectory = cache, .warmUp = warmUp});
  if (warmUp) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    start = Clock::now();
  }
  auto kernel = engine.compile("add(mul(@0,@1),@2)", {.mode = mode});
  if (!kernel || !kernel->run({view, view, view}, result) || out[7] != 0.75f)
    return 1;
  std::printf("%.9f\n", secondsSince(start));
  std::fflush(stdout);
  // What a process does after its result, such as finishing another tier, is
  // not measured.
  std::_Exit(0);
}

std::optional<int> tools::runAsFreshProcess(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "--bare") == 0)
    return std::printf("0\n") == 2 ? 0 : 1;
  if (argc != 5 || std::strcmp(argv[1], Marker) != 0)
    return std::nullopt;
  return runFirstKernel(static_cast<Mode>(std::atoi(argv[2])),
                        std::atoi(argv[3]) != 0, argv[4]);
}

/// Starts this program with those arguments and gives what it prints.
static std::optional<double> start(const std::string &arguments) {
  const std::string command =
      "exec " + std::filesystem::read_symlink("/proc/self/exe").string() + ' ' +
      arguments;
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return std::nullopt;
  double seconds = 0;
  const bool isRead = std::fscanf(pipe, "%lf", &seconds) == 1;
  return pclose(pipe) == 0 && isRead ? std::optional(seconds) : std::nullopt;
}

static void runCold(benchmark::State &state, const std::string &arguments) {
  std::vector<double> whole;
  for (auto _ : state) {
    const auto begin = Clock::now();
    const auto seconds = start(arguments);
    whole.push_back(secondsSince(begin));
    if (!seconds) {
      state.SkipWithError("the process failed");
      return;
    }
    state.SetIterationTime(*seconds);
  }
  state.counters["process"] = median(std::move(whole));
}

static std::string argumentsFor(Mode mode, bool warmUp = false,
                                const std::string &cache = {}) {
  return std::string(Marker) + ' ' + std::to_string(static_cast<int>(mode)) +
         (warmUp ? " 1" : " 0") + " '" + cache + '\'';
}

static void registerCold(const char *name, std::string arguments) {
  benchmark::RegisterBenchmark(
      (std::string("cold/") + name).c_str(),
      [arguments](benchmark::State &state) { runCold(state, arguments); })
      ->UseManualTime()
      ->Iterations(21)
      ->Unit(benchmark::kMillisecond);
}

void tools::registerColdStarts() {
  static const ScratchDirectory directory;
  registerCold("bare", "--bare");
  registerCold("interpret", argumentsFor(Mode::Interpret));
  registerCold("tiered", argumentsFor(Mode::Tiered));
  registerCold("baseline", argumentsFor(Mode::Baseline));
  registerCold("optimized", argumentsFor(Mode::Optimized));
  registerCold("warm", argumentsFor(Mode::Optimized, true));
  // The first of these fills the directory.
  registerCold("disk", argumentsFor(Mode::Optimized, false, directory.path()));
}
