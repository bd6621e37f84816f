//===- CodeGen/CodeListing.h - Code beside what it comes from -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_CODELISTING_H
#define KEXPR_CODEGEN_CODELISTING_H

#include "CodeGen/CodeGen.h"
#include "Support/SourceLocation.h"

namespace kexpr::codegen {

/// A line of LLVM IR or of assembly.
struct CodeLine {
  /// As it is printed, without indentation; of a label that is named after a
  /// block of the IR, that name: `vector.loop`.
  std::string text;
  bool isLabel = false;
  /// Whether it is of the main loop, rare ways out of it left aside.
  bool isInLoop = false;
  /// In `Plan::listing`; none for labels and for constants in memory.
  SourceLocation location;
  /// Of an instruction: the constant in memory that it names, as `float 0.5`,
  /// or what LLVM says of it: `64-byte Spill`, `xmm0 = (xmm1 * xmm0) + xmm2`.
  std::string note = {};
};

/// The kernel's function, the same from run to run.
struct CodeListing {
  std::vector<CodeLine> ir, assembly;
};

/// Generates code for a plan that has a listing.
Expected<CodeListing> listCode(const semantics::Plan &plan,
                               const Target &target, OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_CODELISTING_H
