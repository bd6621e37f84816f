//===- Runtime/Parameters.h - The values of a loop's parameters ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_PARAMETERS_H
#define KEXPR_RUNTIME_PARAMETERS_H

#include "Semantics/Broadcast.h"

#include <vector>

namespace kexpr::runtime {

/// What the parameters of a graph are, as the bits of elements.
class Parameters {
public:
  /// The graph must outlive this.
  explicit Parameters(const semantics::Graph &graph);

  /// Whether some depend on the shapes of operands.
  bool dependOnShapes() const { return hasSizes; }
  /// Those that are literals, which all are that do not depend on shapes.
  const std::vector<std::uint64_t> &literals() const { return known; }
  /// Writes all of them, for operands of these shapes. Errors have no text.
  Status find(const semantics::Operands &operands, std::uint64_t *bits) const;

private:
  const semantics::Graph &graph;
  std::vector<std::uint64_t> known;
  bool hasSizes = false;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_PARAMETERS_H
