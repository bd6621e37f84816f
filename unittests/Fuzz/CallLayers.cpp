//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of a C host, some of which fail or say what cannot be.
//
//===----------------------------------------------------------------------===//
#include "Fuzz/CallArguments.h"

#include <cstdlib>

using namespace kexpr;
using namespace kexpr::fuzz;

static int live = 0;

int CallArguments::liveLayers() { return live; }

namespace {
/// What a type's calls do; one of them is what `user` points to.
struct Behaviour {
  kexpr_code create, types, forward;
  bool isOdd;
};
constexpr Behaviour behaviours[] = {
    {0, 0, 0, false},  {0, 0, 0, false}, {0, 0, 0, false},  {0, 0, 0, true},
    {5, 0, 0, false},  {0, 6, 0, false}, {0, 0, 12, false}, {99, 0, 0, false},
    {-1, 0, 0, false}, {0, -7, 0, false}};
} // namespace

static kexpr_code createLayer(void *user, const kexpr_node *node,
                              void **layer) {
  const auto *behaviour = static_cast<const Behaviour *>(user);
  if (!kexpr_node_type(node) || !kexpr_node_name(node))
    std::abort();
  if (behaviour->create != 0)
    return behaviour->create;
  ++live;
  *layer = new Behaviour(*behaviour);
  return KEXPR_OK;
}

static void destroyLayer(void *layer) {
  --live;
  delete static_cast<Behaviour *>(layer);
}

static kexpr_code typesOf(void *layer, const kexpr_tensor_type *inputs,
                          size_t inputCount, kexpr_tensor_type *outputs,
                          size_t outputCount) {
  const auto *behaviour = static_cast<const Behaviour *>(layer);
  for (size_t i = 0; i < outputCount; ++i) {
    outputs[i] = inputCount ? inputs[0] : kexpr_tensor_type{};
    if (behaviour->isOdd)
      outputs[i].rank = i % 2 ? 99 : 16;
  }
  return behaviour->types;
}

static kexpr_code forward(void *layer, const kexpr_tensor *, size_t,
                          const kexpr_tensor *outputs, size_t outputCount,
                          const kexpr_run_options *options) {
  const auto *behaviour = static_cast<const Behaviour *>(layer);
  for (size_t i = 0; i < outputCount && options->size > 0; ++i) {
    size_t bytes = kexpr_dtype_size(outputs[i].type);
    for (uint32_t axis = 0; axis < outputs[i].rank; ++axis)
      bytes *= static_cast<size_t>(outputs[i].shape[axis]);
    if (bytes > 0)
      std::memset(outputs[i].data, 1, bytes);
  }
  return behaviour->forward;
}

const kexpr_layer_type *CallArguments::layerType() {
  kexpr_layer_type type = {};
  type.user = const_cast<Behaviour *>(&choices.oneOf(behaviours));
  const std::uint32_t odd = choices.below(16);
  type.create = odd == 1 ? nullptr : createLayer;
  type.destroy = odd == 2 || !type.create ? nullptr : destroyLayer;
  type.output_types = odd == 3 ? nullptr : typesOf;
  type.forward = odd == 4 ? nullptr : forward;
  if (odd == 2) // Nothing is made that nobody destroys.
    type.create = nullptr;
  if (odd == 5)
    type.create = nullptr; // And `destroy` is set: refused.
  return optional(type);
}
