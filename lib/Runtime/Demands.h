//===- Runtime/Demands.h - What a kernel asks of its tensors --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_DEMANDS_H
#define KEXPR_RUNTIME_DEMANDS_H

#include "Semantics/Plan.h"

#include <vector>

namespace kexpr::runtime {

/// What a kernel asks of its tensors.
struct Demands {
  /// The operands whose elements are read, ascending, and their types.
  std::vector<std::uint32_t> operands;
  std::vector<DType> types;
  /// Operands of which the shape alone is used.
  std::vector<std::uint32_t> shapes;
  std::vector<DType> outputs;
  /// The operands that each output is computed from.
  std::vector<std::vector<std::uint32_t>> sources;
  /// Whether these are the same for all outputs, whose shapes are then too.
  bool isUniform = true;

  explicit Demands(const semantics::Plan &plan);
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_DEMANDS_H
