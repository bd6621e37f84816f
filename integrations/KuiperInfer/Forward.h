//===- KuiperInfer/Forward.h - The layer over the framework's tensors -----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the layers of both versions have in common. The framework's headers are
/// those of whichever version is built.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_FORWARD_H
#define KEXPR_KUIPERINFER_FORWARD_H

#include "Blanks.h"
#include "StatusTable.h"

#include "data/tensor.hpp"
#include "runtime/runtime_op.hpp"

#include <glog/logging.h>
#include <kexpr/kexpr.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kexpr::kuiper {

using Tensor = kuiper_infer::Tensor<float>;
using Tensors = std::vector<std::shared_ptr<Tensor>>;

/// A tensor where it lies; an empty view for one that is null or empty. The
/// matrix of a channel is column-major, so its columns come before its rows.
inline TensorView viewOf(const std::shared_ptr<Tensor> &tensor) {
  if (!tensor || tensor->empty())
    return {};
  return {tensor->raw_ptr(),
          {tensor->channels(), tensor->cols(), tensor->rows()}};
}

/// A new tensor for a view of that shape; null if there can be none. Armadillo
/// throws one thing or another where a size is beyond it.
inline std::shared_ptr<Tensor> tensorOf(const Shape &shape) try {
  constexpr std::int64_t most = 0xFFFFFFFF;
  if (shape.rank() != 3 || shape.elementCount() > most)
    return nullptr;
  return std::make_shared<Tensor>(static_cast<std::uint32_t>(shape[0]),
                                  static_cast<std::uint32_t>(shape[2]),
                                  static_cast<std::uint32_t>(shape[1]));
} catch (const std::exception &) {
  return nullptr;
}

/// The views of a call. Their memory is the thread's, and used again.
class Views {
public:
  Views() { std::swap(lists, spare()); }
  ~Views() {
    lists.inputs.clear();
    lists.outputs.clear();
    std::swap(lists, spare());
  }
  Views(const Views &) = delete;
  Views &operator=(const Views &) = delete;

  void add(const Tensors &inputs, const Tensors &outputs) {
    addAll(inputs, lists.inputs, viewOf);
    addAll(outputs, lists.outputs, viewOf);
  }
  /// An operand of every item, as `view` sees it.
  template <class F> void addOperand(const Tensors &tensors, F view) {
    addAll(tensors, lists.inputs, view);
  }
  template <class F> void addOutputs(const Tensors &tensors, F view) {
    addAll(tensors, lists.outputs, view);
  }
  Span<const TensorView> inputs() const { return lists.inputs; }
  Span<const TensorView> outputs() const { return lists.outputs; }

private:
  struct Lists {
    std::vector<TensorView> inputs, outputs;
  };
  template <class F>
  static void addAll(const Tensors &tensors, std::vector<TensorView> &to,
                     F view) {
    std::transform(tensors.begin(), tensors.end(), std::back_inserter(to),
                   view);
  }
  static Lists &spare() {
    thread_local Lists lists;
    return lists;
  }
  Lists lists;
};

/// One engine serves the layers of a process: it knows every expression that it
/// has compiled, so a layer needs to hold nothing but its text.
inline const Engine &engine() {
  static const Engine shared;
  return shared;
}

/// How a layer is run. The threads of an OpenMP region are busy: no others are
/// woken.
inline RunOptions runOptions() {
  RunOptions options;
#ifdef _OPENMP
  if (omp_in_parallel())
    options.maxThreads = 1;
#endif
  return options;
}

/// Computes an expression without blanks over views, as
/// `ExpressionLayer::forward` does.
inline Expected<void, LayerError>
forwardViews(const std::string &expression, const Views &views,
             const OutputAllocator &allocate) {
  auto layer = ExpressionLayer::create(engine(), expression);
  if (!layer)
    return layer.error();
  return layer->forward(views.inputs(), views.outputs(), runOptions(),
                        allocate);
}

/// The same over tensors. Outputs that are null or empty are made if
/// `allocates` says so; an error otherwise.
inline Expected<void, LayerError> forward(const std::string &expression,
                                          const Tensors &inputs,
                                          Tensors &outputs, bool allocates) {
  Views views;
  views.add(inputs, outputs);
  OutputAllocator allocate;
  if (allocates)
    allocate = [&outputs](std::size_t item, DType, const Shape &shape) {
      return viewOf(outputs[item] = tensorOf(shape));
    };
  return forwardViews(expression, views, allocate);
}

/// A parameter `expr` as the framework holds it.
inline LayerParameter parameterOf(const kuiper_infer::RuntimeParameter *value) {
  using Kind = ParameterKind;
  constexpr Kind kinds[] = {Kind::Null,   Kind::Bool, Kind::Int,  Kind::Float,
                            Kind::String, Kind::List, Kind::List, Kind::List};
  const auto type = value ? static_cast<std::size_t>(value->type) : 0;
  LayerParameter expr{"expr",
                      type < std::size(kinds) ? kinds[type] : Kind::Null};
  if (expr.kind != Kind::String)
    return expr;
  if (const auto *text =
          dynamic_cast<const kuiper_infer::RuntimeParameterString *>(value))
    expr.text = text->value;
  else
    expr.kind = Kind::Null;
  return expr;
}

/// The parameter `expr` of an operator, not looked into.
inline Expected<std::string, LayerError>
expressionOf(const std::shared_ptr<kuiper_infer::RuntimeOperator> &op) {
  LayerParameter expr;
  LayerOperator description;
  if (op) {
    const auto found = op->params.find("expr");
    if (found != op->params.end()) {
      expr = parameterOf(found->second.get());
      description.parameters = {&expr, 1};
    }
  }
  auto text = ExpressionLayer::expressionOf(op ? &description : nullptr);
  if (!text)
    return text.error();
  return std::string(*text);
}

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_FORWARD_H
