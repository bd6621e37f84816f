//===- CodeGen/KernelPasses.h - The passes that a kernel needs ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_KERNELPASSES_H
#define KEXPR_CODEGEN_KERNELPASSES_H

#include <llvm/IR/LegacyPassManager.h>

namespace kexpr::codegen {

/// Hands on the passes that LLVM adds for a target, but for those that do
/// nothing for a kernel: docs/pipeline.md says what each is worth. Passes that
/// others require are still there.
class KernelPasses : public llvm::legacy::PassManagerBase {
public:
  KernelPasses(llvm::legacy::PassManagerBase &manager, bool isX86)
      : manager(manager), isX86(isX86) {}
  void add(llvm::Pass *pass) override;

private:
  llvm::legacy::PassManagerBase &manager;
  const bool isX86;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_KERNELPASSES_H
