//===- Graph/Groups.h - Units gathered for regions ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_GROUPS_H
#define KEXPR_GRAPH_GROUPS_H

#include "Graph/Draft.h"

#include <vector>

namespace kexpr::graph {

using UnitId = std::uint32_t;

/// Units that will be computed together. A value that goes from one group to
/// another goes to a higher level, so that no path can leave a group and come
/// back.
struct Group {
  unsigned level = 0;
  std::vector<UnitId> units;
  std::size_t values = 0;        ///< Of their graphs.
  std::vector<ValueId> operands; ///< Of a kernel of them, ascending.
  std::vector<ValueId> outputs;  ///< What others take, as far as is known.
};

/// Who makes and who takes every value.
struct Uses {
  static constexpr UnitId None = ~UnitId{0};
  explicit Uses(const Flow &flow, const Draft &draft);

  std::vector<UnitId> producers;           ///< By value; None for constants.
  std::vector<std::vector<UnitId>> takers; ///< By value, each once.
  std::vector<bool> isKept; ///< By value: an output, or taken by a layer.
};

/// Gathers elementwise units that may become one kernel; every layer, and
/// without `fuse` every unit, is a group of its own. Some groups are empty.
std::vector<Group> makeGroups(const Draft &draft, const Uses &uses, bool fuse);

/// Whether a kernel of so many units, whose graphs have so many values, is of a
/// size that a compiler likes.
bool isModest(std::size_t units, std::size_t values);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_GROUPS_H
