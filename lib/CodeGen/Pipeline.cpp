//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeGen.h"

#include "CodeGen/KernelEmitter.h"
#include "CodeGen/TargetMachine.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace kexpr;
using namespace kexpr::codegen;

using Clock = std::chrono::steady_clock;

static Error cannotEmit(const Target &target) {
  return {ErrorCode::CompileFailed,
          "LLVM has no machine code emission for " + target.triple};
}

/// What TargetMachine::addPassesToEmitFile does, but for one pass:
/// EarlyMachineLICM hoists every constant of a loop, more than there are
/// registers, and some are then reloaded from the stack instead of from where
/// they came.
static bool generate(llvm::Module &module, llvm::TargetMachine &target,
                     llvm::CodeGenFileType type,
                     llvm::raw_pwrite_stream &stream) {
  auto &machine = static_cast<llvm::LLVMTargetMachine &>(target);
  llvm::legacy::PassManager passes;
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&llvm::EarlyMachineLICMID);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, type,
                            info->getMMI().getContext()))
    return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return true;
}

Expected<ObjectCode> codegen::compile(const semantics::Plan &plan,
                                      const Target &target, OptLevel level) {
  auto machine = targetMachine(target, level);
  if (!machine)
    return machine.error();
  ObjectCode object{.bytes = {}, .symbol = KernelSymbol, .times = {}};
  const auto start = Clock::now();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level);
  module->setDataLayout((*machine)->createDataLayout());
  assert(!llvm::verifyModule(*module, &llvm::errs()));
  const auto emitted = Clock::now();
  object.times.emit = emitted - start;

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (!generate(*module, **machine, llvm::CodeGenFileType::ObjectFile, stream))
    return cannotEmit(target);
  object.bytes.assign(bytes.begin(), bytes.end());
  object.times.codegen = Clock::now() - emitted;
  return object;
}

static Expected<std::string> assemblyOf(llvm::Module &module,
                                        llvm::TargetMachine &machine,
                                        const Target &target) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  if (!generate(module, machine, llvm::CodeGenFileType::AssemblyFile, stream))
    return cannotEmit(target);
  return text.str().str();
}

Expected<std::string> codegen::dump(const semantics::Plan &plan,
                                    const Target &target, OptLevel level,
                                    Stage stage) {
  auto machine = targetMachine(target, level);
  if (!machine)
    return machine.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level);
  module->setDataLayout((*machine)->createDataLayout());
  if (stage == Stage::Asm)
    return assemblyOf(*module, **machine, target);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}
