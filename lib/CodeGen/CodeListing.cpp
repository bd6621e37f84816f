//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeListing.h"

#include "CodeGen/AssemblyText.h"
#include "CodeGen/KernelEmitter.h"
#include "CodeGen/PassDump.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/raw_ostream.h>

using namespace kexpr;
using namespace kexpr::codegen;

static SourceLocation locationOf(const llvm::Instruction &instruction) {
  const llvm::DebugLoc &location = instruction.getDebugLoc();
  if (!location || location.getLine() == 0)
    return {};
  return {location.getLine(), location.getCol()};
}

/// An instruction as it is printed without its source location.
static std::string textOf(llvm::Instruction &instruction,
                          llvm::ModuleSlotTracker &slots) {
  instruction.setDebugLoc({});
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream, slots);
  return shortenSplats(llvm::StringRef(text).ltrim().str());
}

/// The blocks of the main loop's straight way.
static bool isOfLoop(const llvm::BasicBlock &block) {
  return block.getName() == "vector.loop" || block.getName() == "common";
}

static std::vector<CodeLine> instructionsOf(llvm::Module &module) {
  llvm::ModuleSlotTracker slots(&module);
  std::vector<CodeLine> lines;
  for (llvm::BasicBlock &block : *module.getFunction(KernelSymbol)) {
    const bool isInLoop = isOfLoop(block);
    lines.push_back({block.getName().str(), true, isInLoop, {}});
    for (llvm::Instruction &instruction : block) {
      const SourceLocation location = locationOf(instruction);
      lines.push_back({textOf(instruction, slots), false, isInLoop, location});
    }
  }
  return lines;
}

Expected<CodeListing> codegen::listCode(const semantics::Plan &plan,
                                        const Target &target, OptLevel level) {
  auto assembly = assemble(plan, target, level);
  if (!assembly)
    return assembly.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level).module;
  return CodeListing{instructionsOf(*module), linesOf(*assembly)};
}
