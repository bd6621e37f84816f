//===- CodeGen/AssemblyText.h - Assembly for readers ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_ASSEMBLYTEXT_H
#define KEXPR_CODEGEN_ASSEMBLYTEXT_H

#include "CodeGen/CodeListing.h"

namespace kexpr::codegen {

/// A line of what LLVM's assembly printer writes, taken apart.
struct AssemblyLine {
  enum class Kind {
    Instruction,
    Label,
    Other, ///< A directive.
  };
  Kind kind = Kind::Other;
  /// The line without its comment and, but for directives, its indentation.
  /// Empty for a block that is only fallen into.
  std::string text;
  /// What LLVM says of it: the values of constants, spills. Of a label, the
  /// name of its block.
  std::string comment;
  SourceLocation location; ///< Of an instruction.
};

/// The assembly of a plan that has a listing, its line tables left out.
struct Assembly {
  std::vector<AssemblyLine> lines;
  std::string comment; ///< What comments begin with.
};
Expected<Assembly> assemble(const semantics::Plan &plan, const Target &target,
                            OptLevel level);

/// Text that assembles to the same code; beside each instruction the line of
/// the listing and the word there.
std::string textOf(const Assembly &assembly, const syntax::Listing &listing);

/// The function's labels and instructions. Jumps are to names of blocks.
std::vector<CodeLine> linesOf(const Assembly &assembly);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_ASSEMBLYTEXT_H
