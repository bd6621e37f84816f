//===- checks/Framework.h - Both versions under one name --------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_CHECKS_FRAMEWORK_H
#define KEXPR_KUIPERINFER_CHECKS_FRAMEWORK_H

#include "data/tensor.hpp"
#include "layer/abstract/layer_factory.hpp"
#include "layer/abstract/non_param_layer.hpp"
#include "parser/parse_expression.hpp"
#include "runtime/runtime_op.hpp"
#include "runtime/runtime_parameter.hpp"

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace kexpr::kuiper {

using namespace kuiper_infer;
using LayerPtr = std::shared_ptr<NonParamLayer>;
using Tensors = std::vector<sftensor>;

#ifdef KEXPR_KUIPER_COURSE
inline constexpr bool IsCourse = true;
using Code = InferStatus;
inline constexpr Code Success = InferStatus::kInferSuccess;
#else
inline constexpr bool IsCourse = false;
using Code = StatusCode;
inline constexpr Code Success = StatusCode::kSuccess;
#endif

/// The framework's own layer, which is built under another name.
LayerPtr theirs(const std::string &expression);

inline std::shared_ptr<RuntimeOperator>
operatorOf(std::shared_ptr<RuntimeParameter> expr) {
  auto op = std::make_shared<RuntimeOperator>();
  op->name = "pnnx_expr_0";
  op->type = "pnnx.Expression";
  op->params["expr"] = std::move(expr);
  return op;
}

/// What the framework's factory makes of an expression: ours.
inline LayerPtr ours(const std::string &expression) {
  return LayerRegisterer::CreateLayer(
      operatorOf(std::make_shared<RuntimeParameterString>(expression)));
}

/// A tensor of numbers between -2 and 2, the same ones for the same seed.
inline sftensor randomTensor(unsigned seed, std::uint32_t channels,
                             std::uint32_t rows, std::uint32_t cols) {
  auto tensor = std::make_shared<ftensor>(channels, rows, cols);
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> numbers(-2, 2);
  for (std::uint32_t i = 0; i < tensor->size(); ++i)
    tensor->index(i) = numbers(engine);
  return tensor;
}

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_CHECKS_FRAMEWORK_H
