//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/DebugInfo.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <tuple>

using namespace kexpr;
using namespace kexpr::codegen;

/// Describes the source of the function, as debug information needs it.
static llvm::DISubprogram *describe(llvm::Module &module,
                                    const syntax::Listing &listing) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                       llvm::DEBUG_METADATA_VERSION);
  // The version that every debugger and profiler in use reads.
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  llvm::DIBuilder builder(module);
  llvm::StringRef folder, name = listing.path;
  if (name.contains('/'))
    std::tie(folder, name) = name.rsplit('/');
  if (name.empty())
    name = "listing"; // LLVM's verifier wants one.
  llvm::DIFile *file = builder.createFile(name, folder);
  // Debuggers do not take names of C apart.
  auto *unit = builder.createCompileUnit(
      llvm::dwarf::DW_LANG_C99, file, "kexpr", /*isOptimized=*/true, "", 0, "",
      llvm::DICompileUnit::FullDebug, 0, /*SplitDebugInlining=*/false,
      /*DebugInfoForProfiling=*/false,
      llvm::DICompileUnit::DebugNameTableKind::None);
  auto *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  const unsigned line = syntax::Listing::loop().line;
  auto *function = builder.createFunction(
      unit, listing.name, "", file, line, type, line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition |
          llvm::DISubprogram::SPFlagOptimized);
  builder.finalize();
  return function;
}

DebugInfo::DebugInfo(llvm::Function &function, const syntax::Listing &listing)
    : scope(describe(*function.getParent(), listing)) {
  function.setSubprogram(scope);
}

const llvm::DebugLoc &DebugInfo::at(SourceLocation place) {
  llvm::DebugLoc &location = known[place];
  if (!location)
    location = llvm::DILocation::get(scope->getContext(), place.line,
                                     place.column, scope);
  return location;
}
