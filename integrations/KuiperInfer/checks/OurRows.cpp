//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers that reduce as the framework's factory makes them, and the one
// that it has no type for.
//
//===----------------------------------------------------------------------===//
#include "RowLayers.h"

#include "layer/abstract/param_layer.hpp"
#include "rms_norm.hpp"

using namespace kexpr::kuiper;

static RowLayerPtr made(const char *type, const char *name,
                        std::shared_ptr<RuntimeParameter> value) {
  auto op = std::make_shared<RuntimeOperator>();
  op->name = op->type = type;
  op->params[name] = std::move(value);
  return LayerRegisterer::CreateLayer(op);
}

RowLayerPtr kexpr::kuiper::ourSoftmax(int dim) {
  return made("F.softmax", "dim", std::make_shared<RuntimeParameterInt>(dim));
}

RowLayerPtr kexpr::kuiper::ourRmsNorm(const sftensor &weight) {
  auto layer = std::make_shared<RMSNormLayer>();
  layer->set_weights(Tensors{weight});
  return layer;
}

RowLayerPtr kexpr::kuiper::ourPooling(std::uint32_t rows, std::uint32_t cols) {
  return made("nn.AdaptiveAvgPool2d", "output_size",
              std::make_shared<RuntimeParameterIntArray>(std::vector<int>{
                  static_cast<int>(rows), static_cast<int>(cols)}));
}
