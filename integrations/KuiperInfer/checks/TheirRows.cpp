//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers that reduce, of the newest version, under other names beside ours.
// They are read from the checkout; nothing of them is kept here.
//
//===----------------------------------------------------------------------===//
#include "RowLayers.h"
#include "layer/abstract/layer_factory.hpp"
#include "layer/abstract/param_layer.hpp"

namespace {
/// Takes a registration and does nothing: the types are ours.
struct NotRegistered {
  template <class... Any> explicit NotRegistered(const Any &...) {}
};
} // namespace

// Headers of ours have the names of theirs.
#define SoftmaxLayer TheirSoftmaxLayer
#define RMSNormLayer TheirRmsNormLayer
#define AdaptiveAveragePoolingLayer TheirPoolingLayer
#define LayerRegistererWrapper static const NotRegistered
#include "source/layer/details/adaptive_avgpooling.cpp"
#include "source/layer/details/rms_norm.cpp"
#include "source/layer/details/softmax.cpp"
#undef SoftmaxLayer
#undef RMSNormLayer
#undef AdaptiveAveragePoolingLayer
#undef LayerRegistererWrapper

using namespace kexpr::kuiper;

RowLayerPtr kexpr::kuiper::theirSoftmax(int dim) {
  return std::make_shared<TheirSoftmaxLayer>(dim);
}

RowLayerPtr kexpr::kuiper::theirRmsNorm(const sftensor &weight) {
  auto layer = std::make_shared<TheirRmsNormLayer>();
  layer->set_weights(Tensors{weight});
  return layer;
}

RowLayerPtr kexpr::kuiper::theirPooling(std::uint32_t rows,
                                        std::uint32_t cols) {
  return std::make_shared<TheirPoolingLayer>(rows, cols);
}
