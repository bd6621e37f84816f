//===- kexpr/Regions.h - Which operators become one kernel ------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_REGIONS_H
#define KEXPR_REGIONS_H

#include "kexpr/Error.h"
#include "kexpr/Tensor.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kexpr {
inline namespace v2 {

/// What an operator that reduces goes over.
struct RegionRows {
  Shape elements;
  std::uint32_t reduced = 0; ///< Axes of `elements`, as bits.
  /// Where it is not 0, axis 1 is seen as two, so many groups of channels and
  /// the channels of a group, and `reduced` counts both.
  std::int64_t groups = 0;
  friend bool operator==(const RegionRows &a, const RegionRows &b) {
    return a.elements == b.elements && a.reduced == b.reduced &&
           a.groups == b.groups;
  }
};

/// An operator of a host's graph: a formula with one result, which may become
/// part of a kernel, or a layer.
struct RegionUnit {
  /// Positions in `RegionGraph::shapes`. A layer may take and give values that
  /// are no tensors, such as a token that keeps it behind another one.
  std::vector<std::uint32_t> inputs, outputs;
  bool isFormula = false;
  unsigned operations = 0;        ///< Of one element.
  std::size_t values = 1;         ///< Of a kernel's graph.
  std::optional<RegionRows> rows; ///< Of a formula that reduces.
};

/// A graph to be cut into regions. Shapes are compared, and never used as
/// sizes: an unknown extent may be any number that is no other extent.
struct RegionGraph {
  std::vector<Shape> shapes;          ///< By value.
  std::vector<RegionUnit> units;      ///< Producers first.
  std::vector<std::uint32_t> outputs; ///< Values that the host takes.
};

/// Units that run as one step: a layer, or formulas that become one kernel.
/// These have results of one shape, or go over the elements or the rows of one
/// shape whose axes some of them reduce.
struct Region {
  /// Ascending: the region's own units, and copies of cheap ones of other
  /// regions.
  std::vector<std::uint32_t> units;
  /// Values that other regions or the host need; all of a layer.
  std::vector<std::uint32_t> outputs;
};

/// Cuts a graph into regions by the rules of docs/graphs.md ("What merges"), or
/// without `fuse` makes each unit a region of its own, and leaves out formulas
/// whose results are not needed. In order of execution: every region comes
/// after those it takes values from. The time is near linear in the graph's
/// size. Errors: InvalidArgument for a value that is none of the graph's, is
/// computed twice, or is taken before it is computed; OutOfMemory.
KEXPR_API Expected<std::vector<Region>> makeRegions(const RegionGraph &graph,
                                                    bool fuse = true);

} // namespace v2
} // namespace kexpr

#endif // KEXPR_REGIONS_H
