//===- Dump/Parts.h - What a loop spends on each operator -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PARTS_H
#define KEXPR_TOOLS_DUMP_PARTS_H

#include "Backend/Backend.h"
#include "CodeGen/CodeListing.h"
#include "CodeGen/LoopReport.h"
#include "Inspect/Explain.h"
#include "kexpr/Expression.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kexpr::tools {

/// What code may come from, and what a step of the main loop spends on it.
struct Part {
  const char *kind; ///< `loop`, `store`, `operator` or `leaf`.
  std::string id;   ///< Short and unique: `loop`, `n7`, `out0`.
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
  /// What it takes of what limits the loop.
  double cost = 0;
  /// Lines of the function, in the loop or not.
  unsigned irLines = 0, assemblyLines = 0;
};

/// A kernel, its code, and the parts that the code comes from. The first part
/// is the loop itself.
struct KernelParts {
  const Expression &expression;
  const semantics::Plan &plan;
  codegen::LoopReport report;
  codegen::CodeListing code;
  inspect::Limit limit = {};
  std::vector<Part> parts = {};
  /// The part of each node of the expression, and of each output.
  std::vector<std::uint32_t> partOfNode = {}, partOfOutput = {};
  std::map<SourceLocation, std::uint32_t> partOfLocation = {};

  /// That of the loop itself for a place of nothing else.
  std::uint32_t partAt(const SourceLocation &location) const {
    const auto found = partOfLocation.find(location);
    return found == partOfLocation.end() ? 0 : found->second;
  }
};

/// The plan has the expression's listing; both outlive the result. Errors:
/// those of generating code.
Expected<KernelParts> gatherParts(const Expression &expression,
                                  const semantics::Plan &plan,
                                  const codegen::Target &target,
                                  codegen::OptLevel level,
                                  const backend::Backend &backend);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PARTS_H
