//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/DebugInfo.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

using namespace kexpr;
using namespace kexpr::codegen;

static llvm::DICompileUnit *makeUnit(llvm::DIBuilder &builder,
                                     llvm::DIFile *file, Lines lines) {
  return builder.createCompileUnit(
      // Debuggers do not take names of C apart.
      llvm::dwarf::DW_LANG_C99, file, "kexpr", /*isOptimized=*/true, "", 0, "",
      lines == Lines::Dwarf ? llvm::DICompileUnit::FullDebug
                            : llvm::DICompileUnit::NoDebug,
      0, /*SplitDebugInlining=*/false,
      /*DebugInfoForProfiling=*/false,
      llvm::DICompileUnit::DebugNameTableKind::None);
}

DebugInfo::DebugInfo(llvm::Function &function, const syntax::Listing &listing,
                     Lines lines)
    : builder(*function.getParent(), /*AllowUnresolved=*/false) {
  llvm::Module &module = *function.getParent();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                       llvm::DEBUG_METADATA_VERSION);
  // What every debugger and profiler in use reads.
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  const std::size_t slash = listing.path.rfind('/');
  const bool isBare = slash == std::string::npos;
  llvm::DIFile *file =
      builder.createFile(isBare ? listing.path : listing.path.substr(slash + 1),
                         isBare ? "" : listing.path.substr(0, slash));
  auto *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  const unsigned line = syntax::Listing::loop().line;
  scope =
      builder.createFunction(makeUnit(builder, file, lines), listing.name, "",
                             file, line, type, line, llvm::DINode::FlagZero,
                             llvm::DISubprogram::SPFlagDefinition |
                                 llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(scope);
}

const llvm::DebugLoc &DebugInfo::at(Place place) {
  llvm::DebugLoc &location = known[place];
  if (!location)
    location = llvm::DILocation::get(scope->getContext(), place.line,
                                     place.column, scope);
  return location;
}
