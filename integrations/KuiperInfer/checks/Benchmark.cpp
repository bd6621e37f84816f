//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The framework's layer and ours, in turns over the same tensors. Each case has
// a process of its own: what the allocator keeps of others would decide how
// many fresh pages the framework's temporaries take. Prints a Markdown table of
// medians. The argument is how many calls are timed.
//
//===----------------------------------------------------------------------===//
#include "Framework.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace kexpr::kuiper;

namespace {
struct Case {
  const char *expression;
  std::size_t operands;
  double bar; ///< How many times faster than theirs we want to be.
};

struct Size {
  std::uint32_t channels, rows, cols;
};
} // namespace

static constexpr Case cases[] = {
    {"add(@0,@1)", 2, 5},
    {"mul(@2,add(@0,@1))", 3, 8},
    {"add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)", 6, 8}};

static constexpr Size sizes[] = {{64, 56, 56}, {3, 224, 224}};
static constexpr std::size_t batches[] = {4, 16, 64};

static Tensors tensors(std::size_t count, Size size, unsigned seed) {
  Tensors made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(randomTensor(seed + static_cast<unsigned>(i), size.channels,
                                size.rows, size.cols));
  return made;
}

static bool isEqual(const Tensors &a, const Tensors &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const sftensor &x, const sftensor &y) {
                      return std::memcmp(x->raw_ptr(), y->raw_ptr(),
                                         sizeof(float) * x->size()) == 0;
                    });
}

static double millisecondsOf(NonParamLayer &layer, const Tensors &inputs,
                             Tensors &outputs) {
  const auto begin = std::chrono::steady_clock::now();
  if (layer.Forward(inputs, outputs) != Success)
    std::abort();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

/// The median of a layer's times, and the best of them, which other programs on
/// the machine disturb least.
struct Times {
  explicit Times(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    median = all[all.size() / 2];
    best = all.front();
  }
  double median, best;
};

/// Prints a row; false if the layers do not agree.
static bool measure(const Case &what, Size size, std::size_t batch,
                    int rounds) {
  const Tensors inputs = tensors(what.operands * batch, size, 1);
  Tensors before = tensors(batch, size, 0), now = before;
  for (sftensor &tensor : now)
    tensor = std::make_shared<ftensor>(*tensor);
  const LayerPtr theirLayer = theirs(what.expression);
  const LayerPtr ourLayer = ours(what.expression);
  std::vector<double> theirTimes, ourTimes;
  constexpr int warmUp = 3;
  for (int round = 0; round < warmUp + rounds; ++round) {
    const double theirTime = millisecondsOf(*theirLayer, inputs, before);
    const double ourTime = millisecondsOf(*ourLayer, inputs, now);
    if (round < warmUp)
      continue;
    theirTimes.push_back(theirTime);
    ourTimes.push_back(ourTime);
  }
  if (!isEqual(before, now))
    return false;
  const Times its(theirTimes), kexpr(ourTimes);
  const double ratio = its.median / kexpr.median;
  std::printf(
      "| `%s` | %zu x %ux%ux%u | %.3f | %.3f | %.1f | %.1f | %.0f%s |\n",
      what.expression, batch, size.channels, size.rows, size.cols, its.median,
      kexpr.median, ratio, its.best / kexpr.best, what.bar,
      ratio < what.bar ? ", missed" : "");
  std::fflush(stdout);
  return true;
}

/// The same in a process of its own.
static bool measureApart(const Case &what, Size size, std::size_t batch,
                         int rounds) {
  const pid_t child = fork();
  if (child == 0)
    std::_Exit(measure(what, size, batch, rounds) ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 21;
  std::printf("%s, %u threads; medians of calls in turns, in ms\n\n",
              cpuName().c_str(), std::thread::hardware_concurrency());
  std::printf("| expression | batch | its layer | kexpr | times | of the best "
              "calls | bar |\n"
              "|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  for (const Case &what : cases)
    for (const Size &size : sizes)
      for (std::size_t batch : batches)
        if (!measureApart(what, size, batch, rounds))
          return std::printf("the layers do not agree\n"), 1;
}
