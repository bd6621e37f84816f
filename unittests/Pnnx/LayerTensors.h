//===- Pnnx/LayerTensors.h - Tensors as a framework holds them --*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_PNNX_LAYERTENSORS_H
#define KEXPR_UNITTESTS_PNNX_LAYERTENSORS_H

#include "kexpr/PnnxLayer.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace kexpr {

/// Owns tensors, and makes the lists that a layer takes. Views stay good.
class LayerTensors {
public:
  static inline const Shape Small{2, 3, 4};

  TensorView tensor(float fill, const Shape &shape = Small) {
    auto &values = memory.emplace_back(shape.elementCount(), fill);
    return {values.data(), shape};
  }

  /// `count` tensors filled with first, first + 1...
  std::vector<TensorView> tensors(std::size_t count, float first,
                                  const Shape &shape = Small) {
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < count; ++i)
      views.push_back(tensor(first + static_cast<float>(i), shape));
    return views;
  }

  /// The one value that all elements of a view have; NaN where they differ.
  static float valueOf(const TensorView &view) {
    const auto *values = static_cast<const float *>(view.data());
    const std::int64_t count = view.shape().elementCount();
    const bool same = std::all_of(values, values + count, [&](float value) {
      return value == values[0];
    });
    return same ? values[0] : __builtin_nanf("");
  }

private:
  std::deque<std::vector<float>> memory;
};

} // namespace kexpr

#endif // KEXPR_UNITTESTS_PNNX_LAYERTENSORS_H
