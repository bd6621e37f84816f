//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of source/layer/details/softmax.cpp of the newest version.
//
//===----------------------------------------------------------------------===//
#include "softmax.hpp"

#include "Status.h"
#include "layer/abstract/layer_factory.hpp"

namespace kuiper_infer {

SoftmaxLayer::SoftmaxLayer(int32_t dim)
    : NonParamLayer("Softmax"), softmax_dim_(dim) {}

/// The axis of a tensor's view, (C, W, H), that an axis of its own shape is;
/// null if it has none such.
static const char *expressionFor(const Tensor<float> &tensor, int32_t dim) {
  constexpr const char *expressions[] = {"softmax(@0,0)", "softmax(@0,2)",
                                         "softmax(@0,1)"};
  const auto rank = static_cast<int32_t>(tensor.raw_shapes().size());
  dim += dim < 0 ? rank : 0;
  return dim >= 0 && dim < rank && rank <= 3 ? expressions[3 - rank + dim]
                                             : nullptr;
}

StatusCode SoftmaxLayer::Forward(const std::vector<sftensor> &inputs,
                                 std::vector<sftensor> &outputs) {
  const StatusCode code = kexpr::kuiper::checkLists("softmax", inputs, outputs);
  if (code != StatusCode::kSuccess)
    return code;
  // One expression serves all items.
  const std::size_t rank = inputs[0]->raw_shapes().size();
  for (const sftensor &input : inputs)
    if (input->raw_shapes().size() != rank) {
      LOG(ERROR) << "softmax layer: items have different numbers of axes";
      return StatusCode::kInferDimMismatch;
    }
  const char *expression = expressionFor(*inputs[0], softmax_dim_);
  if (!expression) {
    LOG(ERROR) << "softmax layer: axis " << softmax_dim_ << " of a tensor of "
               << rank << " axes";
    return StatusCode::kInferParameterError;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!outputs[i] || outputs[i]->empty())
      outputs[i] = std::make_shared<ftensor>(inputs[i]->shapes());
  return kexpr::kuiper::codeOf(
      "softmax", kexpr::kuiper::forward(expression, inputs, outputs, false));
}

StatusCode
SoftmaxLayer::CreateInstance(const std::shared_ptr<RuntimeOperator> &op,
                             std::shared_ptr<Layer<float>> &layer) {
  if (!op) {
    LOG(ERROR) << "softmax layer: the operator is null";
    return StatusCode::kParseNullOperator;
  }
  const auto found = op->params.find("dim");
  const auto dim =
      found == op->params.end()
          ? nullptr
          : std::dynamic_pointer_cast<RuntimeParameterInt>(found->second);
  if (!dim) {
    LOG(ERROR) << "softmax layer: 'dim' is no integer";
    return StatusCode::kParseParameterError;
  }
  layer = std::make_shared<SoftmaxLayer>(dim->value);
  return StatusCode::kSuccess;
}

LayerRegistererWrapper kSoftMaxCreateInstanceNN(SoftmaxLayer::CreateInstance,
                                                "F.softmax", "nn.Softmax");

} // namespace kuiper_infer
