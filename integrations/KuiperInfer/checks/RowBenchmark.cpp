//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The framework's layers that reduce and ours, in turns over the same tensors.
// Prints a Markdown table of medians. The argument is how many calls are timed.
//
//===----------------------------------------------------------------------===//
#include "RowLayers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace kexpr::kuiper;

namespace {
struct Case {
  const char *name;
  RowLayerPtr theirs, ours;
  std::uint32_t channels, rows, cols;
};
} // namespace

static double millisecondsOf(Layer<float> &layer, const Tensors &inputs,
                             Tensors &outputs) {
  const auto begin = std::chrono::steady_clock::now();
  if (layer.Forward(inputs, outputs) != Success)
    std::abort();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

static double medianOf(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

static bool areAlike(const sftensor &a, const sftensor &b) {
  for (std::uint32_t i = 0; i < a->size(); ++i)
    if (std::fabs(a->index(i) - b->index(i)) > 1e-5)
      return false;
  return true;
}

/// Prints a row; false if the layers do not agree.
static bool measure(const Case &what, std::size_t batch, int rounds) {
  Tensors inputs, before(batch), now(batch);
  for (std::size_t i = 0; i < batch; ++i)
    inputs.push_back(randomTensor(static_cast<unsigned>(i), what.channels,
                                  what.rows, what.cols));
  std::vector<double> theirTimes, ourTimes;
  constexpr int warmUp = 3;
  for (int round = 0; round < warmUp + rounds; ++round) {
    const double theirTime = millisecondsOf(*what.theirs, inputs, before);
    const double ourTime = millisecondsOf(*what.ours, inputs, now);
    if (round < warmUp)
      continue;
    theirTimes.push_back(theirTime);
    ourTimes.push_back(ourTime);
  }
  const double its = medianOf(theirTimes), kexpr = medianOf(ourTimes);
  std::printf("| %s | %zu x %ux%ux%u | %.4f | %.4f | %.1f |\n", what.name,
              batch, what.channels, what.rows, what.cols, its, kexpr,
              its / kexpr);
  std::fflush(stdout);
  return areAlike(before.back(), now.back());
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 21;
  const sftensor weight = randomTensor(99, 1, 1, 4096);
  const Case cases[] = {
      {"softmax, axis 0", theirSoftmax(0), ourSoftmax(0), 64, 56, 56},
      {"softmax, axis 1", theirSoftmax(1), ourSoftmax(1), 64, 56, 56},
      {"softmax, axis 2", theirSoftmax(2), ourSoftmax(2), 64, 56, 56},
      {"softmax, axis 2", theirSoftmax(2), ourSoftmax(2), 8, 512, 512},
      {"RMS norm", theirRmsNorm(weight), ourRmsNorm(weight), 1, 1, 4096},
      {"pooling to 1x1", theirPooling(1, 1), ourPooling(1, 1), 512, 7, 7},
      {"pooling to 1x1", theirPooling(1, 1), ourPooling(1, 1), 64, 56, 56},
      {"pooling to 7x7", theirPooling(7, 7), ourPooling(7, 7), 64, 56, 56},
      {"pooling to 6x6", theirPooling(6, 6), ourPooling(6, 6), 64, 56, 56}};
  std::printf("| layer | batch | its | kexpr | times |\n"
              "|---|---|---|---|---|\n");
  for (const Case &what : cases)
    for (const std::size_t batch : {1, 4})
      if (!measure(what, batch, rounds))
        return std::printf("the layers do not agree\n"), 1;
}
