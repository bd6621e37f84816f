//===- Pnnx/Network.h - A network before its weights ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_NETWORK_H
#define KEXPR_PNNX_NETWORK_H

#include "Support/Quote.h"
#include "kexpr/PnnxModel.h"

namespace kexpr::pnnx {

/// The most elements of an attribute, so that its bytes can be counted.
inline constexpr std::int64_t MaxElements = std::int64_t{1} << 58;

/// The contents of a `.param` file. Attributes have types and shapes, but no
/// memory.
struct Network {
  std::vector<PnnxOperator> operators;
  std::vector<PnnxOperand> operands;
  std::vector<std::uint32_t> order; ///< As `PnnxModel::order`.
};

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_NETWORK_H
