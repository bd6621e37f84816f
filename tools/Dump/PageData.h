//===- Dump/PageData.h - What the page of a kernel shows ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGEDATA_H
#define KEXPR_TOOLS_DUMP_PAGEDATA_H

#include "Backend/Backend.h"
#include "CodeGen/CodeListing.h"
#include "CodeGen/LoopReport.h"
#include "Dump/Here.h"
#include "Inspect/LoopCosts.h"
#include "kexpr/Expression.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kexpr::tools {

/// What code may come from, and what a step of the main loop spends on it.
struct Part {
  enum class Kind : std::uint8_t { Loop, Store, Operator, Leaf };
  Kind kind = Kind::Operator;
  std::string id;   ///< On the page: `loop`, `n7`, `out0`.
  std::string name; ///< `sin`, `@0`, `store out0`.
  std::string text; ///< As the expression has it, cut where it is long.
  /// Nodes of the tree that stand for it: more than one where equal parts of
  /// the expression are computed once.
  unsigned nodes = 0;
  /// Of an element: what its formula does.
  unsigned operations = 0;
  // Of a step. Loads and stores are of operands and outputs, spills all that
  // goes to the stack or comes from it.
  unsigned instructions = 0, microOps = 0, chain = 0;
  unsigned constants = 0, loads = 0, stores = 0, spills = 0;
  /// What it takes of what limits the loop, and its share of all.
  double cost = 0, share = 0;
  /// One of the page's colours, those of the most expensive parts first.
  unsigned colour = 0;
  /// Lines of the function, in the loop or not.
  unsigned irLines = 0, assemblyLines = 0;
};

struct PageData {
  Expression expression;
  const semantics::Plan &plan;
  const codegen::Target &target;
  codegen::OptLevel level;
  codegen::LoopReport report;
  codegen::CodeListing code;
  Measured measured = {};
  inspect::Limit limit = {};
  std::vector<Part> parts = {};
  /// The part of each node of the expression, and of each output.
  std::vector<std::uint32_t> partOfNode = {}, partOfOutput = {};
  std::map<Place, std::uint32_t> partOfPlace = {};
  /// All parts, the most expensive first.
  std::vector<std::uint32_t> byCost = {};

  /// That of the loop itself for a place of nothing else.
  std::uint32_t partAt(const Place &place) const {
    const auto found = partOfPlace.find(place);
    return found == partOfPlace.end() ? 0 : found->second;
  }
  /// Whether the instructions of the loop in `code` are those of `report`.
  bool listsReport() const;
  /// What all parts have together.
  Part sum() const;
  double elements() const { return report.elements(); }
  /// Cycles of a step at the first of the measured sizes; 0 if there is none.
  double measuredCycles() const;
};

/// All but `measured`. The plan has the expression's listing; plan and target
/// outlive the result.
Expected<PageData> gatherPage(const Expression &expression,
                              const semantics::Plan &plan,
                              const codegen::Target &target,
                              codegen::OptLevel level,
                              const backend::Backend &backend);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGEDATA_H
