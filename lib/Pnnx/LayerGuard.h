//===- Pnnx/LayerGuard.h - Exceptions as rows of the table ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_LAYERGUARD_H
#define KEXPR_PNNX_LAYERGUARD_H

#include "Support/Guarded.h"
#include "kexpr/PnnxLayer.h"

namespace kexpr::pnnx {

/// `guarded` for functions whose errors are rows of a framework's table.
template <class F> auto guardedLayer(F work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return LayerError(LayerStatus::OutOfMemory, errorOfException());
  }
}

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_LAYERGUARD_H
