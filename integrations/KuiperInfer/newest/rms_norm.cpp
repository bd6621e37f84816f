//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of source/layer/details/rms_norm.cpp of the newest version.
//
//===----------------------------------------------------------------------===//
#include "rms_norm.hpp"

#include "Status.h"

#include <locale>
#include <sstream>

namespace kuiper_infer {

RMSNormLayer::RMSNormLayer() : ParamLayer("rms_norm") { weights_.resize(1); }

void RMSNormLayer::set_weights(const std::vector<float> &) {
  LOG(FATAL) << "rms_norm layer: weights are tensors";
}

void RMSNormLayer::set_weights(const std::vector<sftensor> &weights) {
  CHECK(weights.size() == weights_.size());
  weights_ = weights;
}

/// A tensor as one row, in the order of its memory.
static kexpr::TensorView rowOf(const sftensor &tensor) {
  return {tensor->raw_ptr(), {static_cast<std::int64_t>(tensor->size())}};
}

static std::string expressionFor(float epsilon) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(9);
  text << "rms_norm(@0,-1,@1," << epsilon << ')';
  return text.str();
}

StatusCode RMSNormLayer::Forward(const std::vector<sftensor> &inputs,
                                 std::vector<sftensor> &outputs) {
  const StatusCode code =
      kexpr::kuiper::checkLists("rms_norm", inputs, outputs);
  if (code != StatusCode::kSuccess)
    return code;
  if (weights_.empty() || !weights_[0] || weights_[0]->empty()) {
    LOG(ERROR) << "rms_norm layer: there is no weight";
    return StatusCode::kInferParameterError;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!outputs[i] || outputs[i]->empty())
      outputs[i] = std::make_shared<ftensor>(inputs[i]->shapes());
    if (inputs[i]->size() != weights_[0]->size() ||
        outputs[i]->shapes() != inputs[i]->shapes()) {
      LOG(ERROR) << "rms_norm layer: item " << i
                 << " is not of the weight's size, or its output of its shape";
      return StatusCode::kInferDimMismatch;
    }
  }
  kexpr::kuiper::Views views;
  views.addOperand(inputs, rowOf);
  const std::vector<sftensor> weights(inputs.size(), weights_[0]);
  views.addOperand(weights, rowOf);
  views.addOutputs(outputs, rowOf);
  return kexpr::kuiper::codeOf(
      "rms_norm",
      kexpr::kuiper::forwardViews(expressionFor(eps_), views, nullptr));
}

} // namespace kuiper_infer
