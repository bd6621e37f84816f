//===- checks/RowLayers.h - Layers that reduce ------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_CHECKS_ROWLAYERS_H
#define KEXPR_KUIPERINFER_CHECKS_ROWLAYERS_H

#include "Framework.h"

namespace kexpr::kuiper {

using RowLayerPtr = std::shared_ptr<Layer<float>>;

// The framework's own layers.

RowLayerPtr theirSoftmax(int dim);
RowLayerPtr theirRmsNorm(const sftensor &weight);
RowLayerPtr theirPooling(std::uint32_t rows, std::uint32_t cols);

// What the framework makes: ours.

RowLayerPtr ourSoftmax(int dim);
RowLayerPtr ourRmsNorm(const sftensor &weight);
RowLayerPtr ourPooling(std::uint32_t rows, std::uint32_t cols);

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_CHECKS_ROWLAYERS_H
