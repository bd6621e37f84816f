//===- CodeGen/KernelPasses.h - The passes that a kernel needs ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_KERNELPASSES_H
#define KEXPR_CODEGEN_KERNELPASSES_H

#include "CodeGen/LlvmVersion.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Target/TargetMachine.h>

namespace kexpr::codegen {

/// Hands on the passes that LLVM adds for a target, but for those that do
/// nothing for a kernel, of which there are others on x86 than elsewhere:
/// docs/pipeline.md says what each is worth. Passes that others require are
/// still there.
class KernelPasses : public llvm::legacy::PassManagerBase {
public:
  KernelPasses(llvm::legacy::PassManagerBase &manager, bool isX86)
      : manager(manager), isX86(isX86) {}
  void add(llvm::Pass *pass) override;

private:
  llvm::legacy::PassManagerBase &manager;
  const bool isX86;
};

/// Adds what turns LLVM IR into finished machine functions, but for what a
/// kernel does not need. The result, owned by the manager, holds them; null if
/// LLVM has no such passes for the machine.
llvm::MachineModuleInfoWrapperPass *
addKernelPasses(PassMachine &machine, llvm::legacy::PassManagerBase &manager);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_KERNELPASSES_H
