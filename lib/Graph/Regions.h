//===- Graph/Regions.h - Units that run as one step -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_REGIONS_H
#define KEXPR_GRAPH_REGIONS_H

#include "Graph/TypedFlow.h"

#include <vector>

namespace kexpr::graph {

/// Position in `TypedFlow::units`.
using UnitId = std::uint32_t;

/// Units that run as one step: a layer, or units that become one kernel. These
/// have results of one shape, or go over the elements or the rows of one shape
/// whose axes some of them reduce.
struct Region {
  /// Ascending: the region's own units, and copies of cheap ones of other
  /// regions.
  std::vector<UnitId> units;
  /// Values that other regions or the host need; all of a layer.
  std::vector<ValueId> outputs;
};

/// Merges elementwise units, or without `fuse` makes each a region of its own,
/// and leaves out units whose results are not needed. In order of execution:
/// every region comes after those it takes values from.
std::vector<Region> makeRegions(const Flow &flow, const TypedFlow &typed,
                                bool fuse);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_REGIONS_H
