//===- Graph/Regions.h - Which units become one kernel --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_REGIONS_H
#define KEXPR_GRAPH_REGIONS_H

#include "Graph/Groups.h"

namespace kexpr::graph {

/// Units that run as one step: a layer, or elementwise units whose results have
/// one shape and become one kernel.
struct Region {
  /// Ascending positions in `Draft::units`: the region's own and copies of
  /// cheap ones of other regions.
  std::vector<std::uint32_t> units;
  /// Values others need; all of a layer's.
  std::vector<ValueId> outputs;
};

/// Merges elementwise units, or makes each a region of its own, and leaves out
/// those whose results nobody needs. In an order that can be executed: every
/// region comes after those it takes values from.
std::vector<Region> makeRegions(const Flow &flow, const Draft &draft,
                                bool fuse);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_REGIONS_H
