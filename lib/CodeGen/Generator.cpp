//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/Generator.h"

#include "CodeGen/KernelPasses.h"
#include "CodeGen/TargetMachine.h"
#include "Support/Text.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>

using namespace kexpr;
using namespace kexpr::codegen;

/// What TargetMachine::addPassesToEmitFile does, but through KernelPasses.
bool Generator::addPasses(llvm::CodeGenFileType type) {
  auto &target = static_cast<llvm::LLVMTargetMachine &>(*machine);
  KernelPasses needed(passes);
  auto *info = new llvm::MachineModuleInfoWrapperPass(&target);
  llvm::TargetPassConfig *config = target.createPassConfig(needed);
  config->setDisableVerify(true);
  needed.add(config);
  needed.add(info);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (target.addAsmPrinter(needed, stream, nullptr, type,
                           info->getMMI().getContext()))
    return false;
  needed.add(llvm::createFreeMachineFunctionPass());
  return true;
}

Expected<std::unique_ptr<Generator>>
Generator::create(const Target &target, OptLevel level,
                  llvm::CodeGenFileType type) {
  auto machine = makeTargetMachine(target, level);
  if (!machine)
    return machine.error();
  std::unique_ptr<Generator> made(new Generator(std::move(*machine)));
  if (!made->addPasses(type))
    return Error{
        ErrorCode::CompileFailed,
        concat("LLVM has no machine code emission for ", target.triple)};
  return made;
}

llvm::StringRef Generator::generate(llvm::Module &module) {
  bytes.clear();
  module.setDataLayout(dataLayout());
  passes.run(module);
  return {bytes.data(), bytes.size()};
}
