//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers on threads that are the host's own.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerTensors.h"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <filesystem>
#include <thread>

using namespace kexpr;

namespace {
constexpr int Callers = 8, Batch = 3;
/// Large enough that a call would use other threads if it might.
const Shape Large{3, 224, 224};

/// A layer, and the tensors of every caller.
class LayerThreads : public testing::Test {
protected:
  LayerThreads() {
    for (int caller = 0; caller < Callers; ++caller) {
      inputs.push_back(own.tensors(2 * Batch, float(caller), Large));
      outputs.push_back(own.tensors(Batch, -1, Large));
    }
  }
  bool forward(int caller, unsigned threads) const {
    RunOptions options;
    options.maxThreads = threads;
    return bool(layer->forward(inputs[caller], outputs[caller], options));
  }
  void verify() const {
    for (int caller = 0; caller < Callers; ++caller)
      for (int i = 0; i < Batch; ++i)
        EXPECT_EQ(own.valueOf(outputs[caller][i]),
                  caller + i + caller + Batch + i);
  }

  Engine engine;
  Expected<ExpressionLayer, LayerError> layer =
      ExpressionLayer::create(engine, "add(@0,@1)");
  LayerTensors own;
  std::vector<std::vector<TensorView>> inputs, outputs;
};
} // namespace

TEST_F(LayerThreads, OfTheHost) {
  std::vector<std::thread> threads;
  for (int caller = 0; caller < Callers; ++caller)
    threads.emplace_back(
        [this, caller] { EXPECT_TRUE(forward(caller, caller % 2)); });
  for (std::thread &thread : threads)
    thread.join();
  verify();
}

TEST_F(LayerThreads, OfOneTbb) {
  for (unsigned threads : {0u, 1u}) {
    tbb::parallel_for(
        0, Callers, [&](int caller) { EXPECT_TRUE(forward(caller, threads)); });
    verify();
  }
}

#ifdef _OPENMP
TEST_F(LayerThreads, OfOpenMp) {
  for (unsigned threads : {0u, 1u}) {
#pragma omp parallel for num_threads(4)
    for (int caller = 0; caller < Callers; ++caller)
      EXPECT_TRUE(forward(caller, threads));
    verify();
  }
}
#endif

TEST_F(LayerThreads, ASerialCallStartsNone) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  for (int caller = 0; caller < Callers; ++caller)
    EXPECT_TRUE(forward(caller, 1));
  EXPECT_LE(threads(), before);
  verify();
}
