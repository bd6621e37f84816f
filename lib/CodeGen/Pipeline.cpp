//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeGen.h"

#include "CodeGen/GeneratorPool.h"
#include "CodeGen/KernelEmitter.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

using namespace kexpr;
using namespace kexpr::codegen;

using Clock = std::chrono::steady_clock;

Expected<ObjectCode> codegen::compile(const semantics::Plan &plan,
                                      const Target &target, OptLevel level) {
  auto generator = borrowGenerator(target, level);
  if (!generator)
    return generator.error();
  ObjectCode object{.bytes = {}, .symbol = KernelSymbol, .times = {}};
  const auto start = Clock::now();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level);
  assert(!llvm::verifyModule(*module, &llvm::errs()));
  const auto emitted = Clock::now();
  object.times.emit = emitted - start;

  const llvm::StringRef bytes = (*generator)->generate(*module);
  object.bytes.assign(bytes.begin(), bytes.end());
  object.times.codegen = Clock::now() - emitted;
  return object;
}

Expected<std::string> codegen::dump(const semantics::Plan &plan,
                                    const Target &target, OptLevel level,
                                    Stage stage) {
  auto generator =
      Generator::create(target, level, llvm::CodeGenFileType::AssemblyFile);
  if (!generator)
    return generator.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level);
  if (stage == Stage::Asm)
    return (*generator)->generate(*module).str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->setDataLayout((*generator)->dataLayout());
  module->print(stream, nullptr);
  return text;
}
