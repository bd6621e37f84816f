//===- Pnnx/Weights.h - The memory of attributes --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_WEIGHTS_H
#define KEXPR_PNNX_WEIGHTS_H

#include "Pnnx/Network.h"
#include "Pnnx/WeightFile.h"

namespace kexpr::pnnx {

/// Frees memory that is aligned as that of attributes.
struct FreeWeights {
  void operator()(unsigned char *memory) const;
};
using Weights = std::unique_ptr<unsigned char[], FreeWeights>;

/// Reads all attributes whose type is a DType. The network's views lead into
/// the result from then on.
Expected<Weights> loadWeights(Network &network, WeightFile &file);

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_WEIGHTS_H
