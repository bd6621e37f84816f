//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiTensors.h"

using namespace kexpr;
using namespace kexpr::capi;

kexpr_code kexpr_layer_create(const kexpr_engine *engine,
                              const char *expression, kexpr_layer **layer,
                              kexpr_error **error) {
  return make(layer, error, [&]() -> Expected<ExpressionLayer> {
    if (!engine || !expression)
      return isNull(engine ? "the expression" : "the engine");
    auto layer = ExpressionLayer::create(engine->engine, expression);
    if (!layer)
      return layer.error();
    return std::move(*layer);
  });
}

kexpr_code kexpr_layer_forward(const kexpr_layer *layer,
                               const kexpr_tensor *inputs, size_t input_count,
                               const kexpr_tensor *outputs, size_t output_count,
                               const kexpr_run_options *options,
                               kexpr_error **error) {
  return callOn(layer, "the layer",
                {inputs, input_count, outputs, output_count, options}, error,
                [&](const Call &call) -> Status {
                  auto done = layer->layer.forward(
                      call.inputs.views(), call.outputs.views(), call.options);
                  return done ? Status() : done.error();
                });
}

const kexpr_kernel *kexpr_layer_kernel(const kexpr_layer *layer) {
  return layer ? &layer->kernel : nullptr;
}

void kexpr_layer_free(kexpr_layer *layer) { delete layer; }
