//===- CodeGen/DebugInfo.h - Where code comes from ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_DEBUGINFO_H
#define KEXPR_CODEGEN_DEBUGINFO_H

#include "CodeGen/KernelEmitter.h"
#include "Syntax/Listing.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>

#include <map>

namespace kexpr::codegen {

/// Describes the function of a module as one of a listing. It changes nothing
/// in the code that is generated.
class DebugInfo {
public:
  DebugInfo(llvm::Function &function, const syntax::Listing &listing);
  const llvm::DebugLoc &at(SourceLocation location);

private:
  llvm::DISubprogram *const scope;
  std::map<SourceLocation, llvm::DebugLoc> known;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_DEBUGINFO_H
