//===- Pnnx/LayerThreads.h - A layer and many callers of it ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_PNNX_LAYERTHREADS_H
#define KEXPR_UNITTESTS_PNNX_LAYERTHREADS_H

#include "Pnnx/LayerTensors.h"

#include <gtest/gtest.h>

namespace kexpr {

inline constexpr int Callers = 8, Batch = 3;
/// Large enough that a call would use other threads if it might.
inline const Shape Large{3, 224, 224};

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
    // A loop that streams is built by a thread of the engine.
    options.stores = Stores::Cached;
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

} // namespace kexpr

#endif // KEXPR_UNITTESTS_PNNX_LAYERTHREADS_H
