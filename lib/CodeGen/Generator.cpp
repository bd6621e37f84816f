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

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/AsmPrinter.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

using namespace kexpr;
using namespace kexpr::codegen;

bool Generator::addPasses(const MakeStreamer &make) {
  auto &target = static_cast<PassMachine &>(*machine);
  auto *info = addKernelPasses(target, passes);
  if (!info)
    return false;
  auto streamer = make(target, stream, info->getMMI().getContext());
  if (!streamer)
    return false;
  llvm::Pass *printer =
      target.getTarget().createAsmPrinter(target, std::move(streamer));
  if (!printer)
    return false;
  passes.add(printer);
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

Expected<std::unique_ptr<Generator>>
Generator::create(const Target &target, OptLevel level,
                  const MakeStreamer &make) {
  auto machine = makeTargetMachine(target, level);
  if (!machine)
    return machine.error();
  std::unique_ptr<Generator> made(new Generator(std::move(*machine)));
  if (!made->addPasses(make))
    return Error{
        ErrorCode::CompileFailed,
        concat("LLVM has no machine code emission for ", target.triple)};
  return made;
}

Expected<std::unique_ptr<Generator>>
Generator::create(const Target &target, OptLevel level,
                  llvm::CodeGenFileType type) {
  return create(
      target, level,
      [type](PassMachine &machine, llvm::raw_pwrite_stream &out,
             llvm::MCContext &context) {
        auto made = machine.createMCStreamer(out, nullptr, type, context);
        return llvm::expectedToOptional(std::move(made)).value_or(nullptr);
      });
}

llvm::StringRef Generator::generate(llvm::Module &module) {
  bytes.clear();
  module.setDataLayout(dataLayout());
  // A table that LLVM makes at first use, which not every kernel needs: made by
  // the first compilation, for which a fork waits.
  (void)machine->getSubtargetImpl(*module.begin())
      ->getInstrInfo()
      ->getOpcodeAfterMemoryUnfold(0, true, false, nullptr);
  passes.run(module);
  return {bytes.data(), bytes.size()};
}
