//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostTurns.h"

#include "Bench/Table.h"
#include "Bench/Timing.h"
#include "Bench/Workload.h"
#include "MatrixProduct.h"

#include <deque>
#include <functional>
#include <iostream>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr std::int64_t Elements = 400000;
static constexpr int Rounds = 11, Turns = 100;

/// Tasks of kexpr on the threads that OpenMP keeps.
static void onOpenMp(void *, std::int64_t count, Executor::Tasks tasks,
                     void *call) {
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t i = 0; i < count; ++i)
    tasks(i, i + 1, call);
}

namespace {
/// A way of the kernel to threads, and the medians of each round in seconds.
struct Way {
  const char *name;
  RunOptions options;
  std::vector<double> kernels = {}, turns = {};
};
} // namespace

static std::vector<Way> allWays() {
  std::vector<Way> ways = {
      {"oneTBB", {}}, {"oneTBB, 2000 us awake", {}}, {"OpenMP's executor", {}}};
  ways[1].options.stayAwake = std::chrono::microseconds(2000);
  ways[2].options.executor.run = onOpenMp;
  return ways;
}

/// The median time of one of many turns.
static double timeOfTurns(const std::function<void()> &turn) {
  usleep(10000); // what others left awake sleeps by now
  std::vector<double> times;
  for (int i = 0; i < Turns; ++i)
    times.push_back(timeOf(turn));
  return median(times);
}

static void print(const std::vector<Way> &ways, double product) {
  double least = median(ways[0].kernels);
  for (const Way &way : ways)
    least = std::min(least, median(way.kernels));
  Table table({"threads of the kernel", "product us", "kernel us", "turn us",
               "of parts", "of least parts"});
  for (const Way &way : ways) {
    const double kernel = median(way.kernels), turn = median(way.turns);
    table.add({way.name, number(product * 1e6, 0), number(kernel * 1e6, 1),
               number(turn * 1e6, 0), number(turn / (product + kernel), 3),
               number(turn / (product + least), 3)});
  }
  std::cout << "\nA product of " << MatrixProduct::Rows << "^3 and a kernel of "
            << Elements << " elements in turns.\n\n";
  table.print(std::cout);
}

Status tools::compareTurns() {
  const Engine engine;
  Pool pool;
  MatrixProduct product;
  std::vector<Way> ways = allWays();
  std::deque<Workload> workloads;
  for (const Way &way : ways) {
    workloads.emplace_back("add(mul(@0,0.5),mul(@1,@1))",
                           std::vector<Shape>{Shape{Elements}});
    if (auto status = workloads.back().prepare(engine, pool, way.options);
        !status)
      return status;
  }
  std::vector<double> alone;
  for (int round = 0; round < Rounds; ++round) {
    alone.push_back(timeOfTurns([&] { product.compute(); }));
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto kernel = [&] { (void)workloads[i].run(ways[i].options); };
      ways[i].kernels.push_back(timeOfTurns(kernel));
      ways[i].turns.push_back(timeOfTurns([&] {
        product.compute();
        kernel();
      }));
    }
  }
  if (auto status = product.verify(); !status)
    return status;
  print(ways, median(alone));
  return {};
}
