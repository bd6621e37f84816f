//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of source/layer/details/adaptive_avgpooling.cpp of the newest
// version.
//
//===----------------------------------------------------------------------===//
#include "adaptive_avgpooling.hpp"

#include "Status.h"
#include "layer/abstract/layer_factory.hpp"

namespace kuiper_infer {

AdaptiveAveragePoolingLayer::AdaptiveAveragePoolingLayer(uint32_t output_h,
                                                         uint32_t output_w)
    : NonParamLayer("AdaptiveAveragePooling"), output_h_(output_h),
      output_w_(output_w) {
  CHECK_GT(output_h_, 0);
  CHECK_GT(output_w_, 0);
}

/// A tensor as its windows: (C, columns and rows of windows, columns and rows
/// of one), which overlap where its size is no multiple of their number. None
/// if there are more windows than elements.
static kexpr::TensorView windowsOf(const sftensor &tensor, std::int64_t across,
                                   std::int64_t down) {
  const std::int64_t channels = tensor->channels(), rows = tensor->rows(),
                     columns = tensor->cols();
  if (across > columns || down > rows)
    return {};
  const std::int64_t right = columns / across, below = rows / down;
  return {static_cast<const void *>(tensor->raw_ptr()),
          kexpr::DType::F32,
          {channels, across, down, columns - (across - 1) * right,
           rows - (down - 1) * below},
          {rows * columns, right * rows, below, rows, 1}};
}

StatusCode
AdaptiveAveragePoolingLayer::Forward(const std::vector<sftensor> &inputs,
                                     std::vector<sftensor> &outputs) {
  constexpr const char *name = "adaptive pooling";
  const StatusCode code = kexpr::kuiper::checkLists(name, inputs, outputs);
  if (code != StatusCode::kSuccess)
    return code;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->rows() < output_h_ || inputs[i]->cols() < output_w_) {
      LOG(ERROR) << name << " layer: item " << i
                 << " is smaller than its output";
      return StatusCode::kInferParameterError;
    }
    if (!outputs[i] || outputs[i]->empty())
      outputs[i] = std::make_shared<ftensor>(inputs[i]->channels(), output_h_,
                                             output_w_);
  }
  kexpr::kuiper::Views views;
  views.addOperand(inputs, [this](const sftensor &input) {
    return windowsOf(input, output_w_, output_h_);
  });
  views.addOutputs(outputs, kexpr::kuiper::viewOf);
  // Of many windows the columns first, for all rows of a channel at once.
  const bool isWhole = output_h_ == 1 && output_w_ == 1;
  const char *expression =
      isWhole ? "mean(@0,[-2,-1])" : "mean(mean(@0,-2),-1)";
  return kexpr::kuiper::codeOf(
      name, kexpr::kuiper::forwardViews(expression, views, nullptr));
}

StatusCode AdaptiveAveragePoolingLayer::CreateInstance(
    const std::shared_ptr<RuntimeOperator> &op,
    std::shared_ptr<Layer<float>> &layer) {
  if (!op) {
    LOG(ERROR) << "adaptive pooling layer: the operator is null";
    return StatusCode::kParseNullOperator;
  }
  const auto found = op->params.find("output_size");
  const auto size =
      found == op->params.end()
          ? nullptr
          : std::dynamic_pointer_cast<RuntimeParameterIntArray>(found->second);
  if (!size || size->value.size() != 2 || size->value[0] < 1 ||
      size->value[1] < 1) {
    LOG(ERROR) << "adaptive pooling layer: 'output_size' is no two integers";
    return StatusCode::kParseParameterError;
  }
  layer = std::make_shared<AdaptiveAveragePoolingLayer>(size->value[0],
                                                        size->value[1]);
  return StatusCode::kSuccess;
}

LayerRegistererWrapper kAdaptiveAvgPoolingCreateInstance(
    AdaptiveAveragePoolingLayer::CreateInstance, "nn.AdaptiveAvgPool2d",
    "F.adaptive_avg_pool2d");

} // namespace kuiper_infer
