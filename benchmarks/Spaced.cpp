//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of 20 to 400 microseconds of work with pauses between them, in which a
// scheduler's threads fall asleep: on one thread, with oneTBB alone, with
// threads that stay awake, and with OpenMP's that never sleep. Each side is a
// process of its own, as OpenMP's threads leave no core to anybody else.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Bench/Timing.h"
#include "Bench/Workload.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr const char *expression =
    "mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),0.79788456)),"
    "1))";

static constexpr std::array sides = {"tbb", "awake", "openmp"};

/// A side's times: on one thread, and as it does it.
struct Pair {
  double serial = 0, split = 0;
};

/// What a host does between two calls.
static void pause(std::chrono::microseconds length) {
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end)
    ;
}

/// The median time of spaced-out calls.
template <class F>
static double timeSpaced(std::chrono::microseconds gap, F call) {
  constexpr int calls = 200;
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    pause(gap);
    times.push_back(timeOf(call));
  }
  return median(std::move(times));
}

/// The parts of a call on OpenMP's threads.
static Status runOpenMp(const Kernel &kernel, const TensorView &in,
                        const TensorView &out) {
  const auto threads = static_cast<std::int64_t>(hardwareThreads());
  const std::int64_t count = in.shape()[0];
  const std::int64_t each = (count / threads + 64) / 64 * 64;
  bool isDone = true;
#pragma omp parallel for num_threads(threads) reduction(&& : isDone)
  for (std::int64_t t = 0; t < threads; ++t) {
    const std::int64_t begin = std::min(count, t * each);
    const Shape part{std::min(count, begin + each) - begin};
    isDone = isDone &&
             kernel.run({{static_cast<const float *>(in.data()) + begin, part}},
                        {{static_cast<float *>(out.data()) + begin, part}},
                        {.maxThreads = 1});
  }
  return isDone ? Status() : Error(ErrorCode::InvalidArgument, "a part failed");
}

static Status runSide(const Kernel &kernel, std::string_view side,
                      const TensorView &in, const TensorView &out) {
  if (side == "openmp")
    return runOpenMp(kernel, in, out);
  RunOptions options;
  options.stayAwake = std::chrono::microseconds(side == "tbb" ? 0 : 2000);
  return kernel.run(in, out, options);
}

/// Work of so many microseconds on one thread.
static Expected<std::int64_t> elementsFor(const Kernel &kernel, double work) {
  constexpr std::int64_t probe = 100000;
  Pool pool;
  auto in = pool.input(0, probe);
  auto out = pool.output(0, probe);
  if (!in || !out)
    return Error(ErrorCode::OutOfMemory, "the tensors do not fit in memory");
  const double each =
      timeSpaced(std::chrono::microseconds(0),
                 [&] {
                   (void)kernel.run({{*in, {probe}}}, {{*out, {probe}}},
                                    {.maxThreads = 1});
                 }) /
      probe;
  return static_cast<std::int64_t>(work * 1e-6 / each);
}

/// Both times of a side, after a check of what it computes.
static Expected<Pair> measure(const std::string &side, std::int64_t count,
                              std::chrono::microseconds gap) {
  const Engine engine;
  Pool pool;
  auto kernel = engine.compile(expression);
  if (!kernel)
    return kernel.error();
  auto x = pool.input(0, count);
  auto y = pool.output(0, count);
  auto expected = pool.output(1, count);
  if (!x || !y || !expected)
    return Error(ErrorCode::OutOfMemory, "the tensors do not fit in memory");
  const TensorView in(*x, {count}), out(*y, {count});
  const RunOptions alone{.maxThreads = 1};
  auto status = kernel->run(in, {{*expected, {count}}}, alone);
  if (status)
    status = runSide(*kernel, side, in, out);
  if (status)
    status = sameBits(*y, *expected, count);
  if (!status)
    return status.error();
  return Pair{timeSpaced(gap, [&] { (void)kernel->run(in, out, alone); }),
              timeSpaced(gap, [&] { (void)runSide(*kernel, side, in, out); })};
}

/// Has a process of its own measure.
static Expected<Pair> measureApart(const std::string &side, std::int64_t count,
                                   std::int64_t gap) {
  const std::string command =
      "OMP_WAIT_POLICY=active exec " +
      std::filesystem::read_symlink("/proc/self/exe").string() + ' ' + side +
      ' ' + std::to_string(count) + ' ' + std::to_string(gap);
  Pair pair;
  std::FILE *pipe = popen(command.c_str(), "r");
  const bool isRead =
      pipe && std::fscanf(pipe, "%lf %lf", &pair.serial, &pair.split) == 2;
  if (!pipe || pclose(pipe) != 0 || !isRead)
    return Error(ErrorCode::Io, "the process for '" + side + "' failed");
  return pair;
}

static Status addRow(Table &table, std::int64_t count, std::int64_t gap) {
  constexpr int rounds = 3;
  std::vector<double> serial;
  std::array<std::vector<double>, sides.size()> gains;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const auto pair = measureApart(sides[s], count, gap);
      if (!pair)
        return pair.error();
      serial.push_back(pair->serial);
      gains[s].push_back(pair->serial / pair->split);
    }
  std::vector<std::string> row = {number(median(serial) * 1e6, 0),
                                  std::to_string(gap)};
  for (const auto &gain : gains)
    row.push_back(number(median(gain), 2));
  table.add(std::move(row));
  return {};
}

static Status compareSides() {
  const Engine engine;
  auto kernel = engine.compile(expression);
  if (!kernel)
    return kernel.error();
  std::cout << describeMachine(engine) << "\n\n";
  Table table(
      {"one thread us", "pause us", "oneTBB", "awake", "OpenMP active"});
  for (double work : {20, 50, 100, 200, 400}) {
    const auto count = elementsFor(*kernel, work);
    if (!count)
      return count.error();
    for (std::int64_t gap : {0, 100, 1000})
      if (auto status = addRow(table, *count, gap); !status)
        return status;
  }
  std::cout << "Times the speed of one thread; medians of processes.\n\n";
  table.print(std::cout);
  return {};
}

int main(int argc, char **argv) {
  Status status;
  if (argc == 1) {
    status = compareSides();
  } else if (argc == 4) {
    const auto pair = measure(argv[1], std::atoll(argv[2]),
                              std::chrono::microseconds(std::atoll(argv[3])));
    if (pair)
      std::printf("%.9f %.9f\n", pair->serial, pair->split);
    else
      status = pair.error();
  } else {
    std::cerr << "SpacedBenchmark takes no arguments\n";
    return 2;
  }
  if (!status)
    std::cerr << status.error().render() << '\n';
  return status ? 0 : 1;
}
