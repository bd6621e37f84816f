//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeGen.h"

#include "CodeGen/AssemblyText.h"
#include "CodeGen/GeneratorPool.h"
#include "CodeGen/KernelEmitter.h"
#include "CodeGen/KernelText.h"
#include "CodeGen/PassDump.h"
#include "CodeGen/PlaceTable.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

using namespace kexpr;
using namespace kexpr::codegen;

Expected<ObjectCode> codegen::compile(const semantics::Plan &plan,
                                      const Target &target, OptLevel level) {
  using Clock = std::chrono::steady_clock;
  auto generator = borrowGenerator(target, level);
  if (!generator)
    return generator.error();
  ObjectCode object;
  object.symbol = KernelSymbol;
  const auto start = Clock::now();
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  auto module = emitKernel(context, plan, target, level, Lines::Places);
  // Places come without most of what LLVM wants of debug information.
  [[maybe_unused]] bool isDebugInfoPoor = false;
  assert(!llvm::verifyModule(*module, &llvm::errs(), &isDebugInfoPoor));
  const auto emitted = Clock::now();
  object.times.emit = emitted - start;

  const llvm::StringRef bytes = (*generator)->generate(*module);
  object.bytes.assign(bytes.begin(), bytes.end());
  if (plan.listing)
    readPlaceTable(object);
  object.times.codegen = Clock::now() - emitted;
  return object;
}

static Expected<std::string> dumpFile(const semantics::Plan &plan,
                                      const Target &target, OptLevel level,
                                      llvm::CodeGenFileType type) {
  auto generator = Generator::create(target, level, type);
  if (!generator)
    return generator.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level);
  return (*generator)->generate(*module).str();
}

static Expected<std::string> dumpAssembly(const semantics::Plan &plan,
                                          const Target &target,
                                          OptLevel level) {
  if (!plan.listing)
    return dumpFile(plan, target, level, llvm::CodeGenFileType::AssemblyFile);
  auto assembly = assemble(plan, target, level);
  if (!assembly)
    return assembly.error();
  return textOf(*assembly, *plan.listing);
}

static Expected<std::string> shortened(Expected<std::string> text) {
  return text ? shortenSplats(*text) : text;
}

Expected<std::string> codegen::dump(const semantics::Plan &plan,
                                    const Target &target, OptLevel level,
                                    Stage stage) {
  switch (stage) {
  case Stage::Llvm:
    return shortened(dumpEmitted(plan, target, level));
  case Stage::LlvmOpt:
    return shortened(dumpSelected(plan, target, level));
  case Stage::Mir:
    return dumpMachine(plan, target, level);
  case Stage::Asm:
    return dumpAssembly(plan, target, level);
  case Stage::Obj:
    break;
  }
  return dumpFile(plan, target, level, llvm::CodeGenFileType::ObjectFile);
}
