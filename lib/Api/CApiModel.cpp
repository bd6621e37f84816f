//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiTensors.h"

#include "Support/Text.h"

#include <string>

using namespace kexpr;
using namespace kexpr::capi;

kexpr_code kexpr_model_load(const char *param_path, const char *bin_path,
                            kexpr_model **model, kexpr_error **error) {
  return make(model, error, [&]() -> Expected<PnnxModel> {
    if (!param_path)
      return isNull("the path");
    return PnnxModel::load(param_path, bin_path ? bin_path : "");
  });
}

kexpr_code kexpr_model_parse(const char *param, const void *bin,
                             size_t bin_size, kexpr_model **model,
                             kexpr_error **error) {
  return make(model, error, [&]() -> Expected<PnnxModel> {
    if (!param)
      return isNull("the text");
    if (!bin && bin_size > 0)
      return isNull("the memory of constants");
    return PnnxModel::parse(
        param, {static_cast<const unsigned char *>(bin), bin_size});
  });
}

void kexpr_model_free(kexpr_model *model) { delete model; }

size_t kexpr_model_node_count(const kexpr_model *model) {
  return model ? model->model.operators().size() : 0;
}

// To C a node is the address of an operator; there is no other type.

static constinit capi::NeverDestroyed<PnnxOperator> noOperator;

static const PnnxOperator &operatorOf(const kexpr_node *node) {
  return node ? *reinterpret_cast<const PnnxOperator *>(node)
              : noOperator.value;
}

const kexpr_node *kexpr_model_node(const kexpr_model *model, size_t index) {
  return index < kexpr_model_node_count(model)
             ? reinterpret_cast<const kexpr_node *>(
                   &model->model.operators()[index])
             : nullptr;
}

const char *kexpr_node_type(const kexpr_node *node) {
  return operatorOf(node).type.c_str();
}

const char *kexpr_node_name(const kexpr_node *node) {
  return operatorOf(node).name.c_str();
}

const char *kexpr_node_parameter(const kexpr_node *node, const char *key) {
  const std::string *text = key ? operatorOf(node).parameter(key) : nullptr;
  return text ? text->c_str() : nullptr;
}

kexpr_code kexpr_node_attribute(const kexpr_node *node, const char *key,
                                kexpr_tensor *tensor, kexpr_error **error) {
  if (tensor)
    *tensor = {};
  return attempt(error, [&]() -> Status {
    if (!node || !key)
      return isNull(node ? "the key" : "the node");
    if (!tensor)
      return isNull("the place for the tensor");
    const TensorView *view = operatorOf(node).attribute(key);
    if (!view || view->empty())
      return Error(ErrorCode::InvalidArgument,
                   concat("operator '", kexpr_node_name(node), "' has ",
                          view ? "a constant of another type than kexpr's, '"
                               : "no constant '",
                          key, "'"));
    *tensor = tensorOf(*view);
    return {};
  });
}
