//===- Pnnx/Weights.h - Constants of a network ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_WEIGHTS_H
#define KEXPR_PNNX_WEIGHTS_H

#include "Pnnx/Network.h"

#include <memory>

namespace kexpr::pnnx {

/// Frees memory that is aligned as that of attributes.
struct FreeWeights {
  void operator()(unsigned char *memory) const;
};
using Weights = std::unique_ptr<unsigned char[], FreeWeights>;

/// Reads all attributes whose type is a DType from the `.bin` file at `path`,
/// or from its bytes, for which `name` stands in messages. The network's views
/// refer to the result from then on. Errors name the file, and the entry where
/// there is one; InvalidSyntax is what is wrong in the file.
Expected<Weights> loadWeights(Network &network, const std::string &path);
Expected<Weights> loadWeights(Network &network, Span<const unsigned char> bytes,
                              std::string_view name);

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_WEIGHTS_H
