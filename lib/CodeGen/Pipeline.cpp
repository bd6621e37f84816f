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
#include "CodeGen/PassDump.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>

using namespace kexpr;
using namespace kexpr::codegen;

/// The contents of a section of an object file; empty if there is none.
static llvm::StringRef sectionOf(const llvm::object::ObjectFile &file,
                                 llvm::StringRef name) {
  for (const auto &section : file.sections())
    if (llvm::expectedToOptional(section.getName()) == name)
      return llvm::expectedToOptional(section.getContents()).value_or("");
  return {};
}

/// Reads the line table that LLVM wrote into an object. As nothing is relocated
/// in it, addresses are offsets in the function, and nothing else is needed to
/// read it: parsing all of the DWARF takes three times as long.
static void readLines(ObjectCode &object) {
  const auto file = llvm::expectedToOptional(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
          {object.bytes.data(), object.bytes.size()}, object.symbol)));
  if (!file)
    return;
  object.size = sectionOf(**file, ".text").size();
  llvm::DWARFDataExtractor data(sectionOf(**file, ".debug_line"),
                                (*file)->isLittleEndian(),
                                (*file)->getBytesInAddress());
  const auto context = llvm::DWARFContext::create({}, data.getAddressSize());
  llvm::DWARFDebugLine::LineTable table;
  std::uint64_t offset = 0;
  llvm::consumeError(
      table.parse(data, &offset, *context, nullptr, llvm::consumeError));
  for (const auto &row : table.Rows)
    if (!row.EndSequence && row.Line) // None for what fills up to a boundary.
      object.locations.push_back(
          {static_cast<std::uint32_t>(row.Address.Address),
           {row.Line, row.Column}});
}

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
  auto module = emitKernel(context, plan, target, level).module;
  assert(!llvm::verifyModule(*module, &llvm::errs()));
  const auto emitted = Clock::now();
  object.emit = emitted - start;

  const llvm::StringRef bytes = (*generator)->generate(*module);
  object.bytes.assign(bytes.begin(), bytes.end());
  if (plan.listing)
    readLines(object);
  object.codegen = Clock::now() - emitted;
  return object;
}

static Expected<std::string> dumpFile(const semantics::Plan &plan,
                                      const Target &target, OptLevel level,
                                      llvm::CodeGenFileType type,
                                      const std::string &name = KernelSymbol) {
  auto generator = Generator::create(target, level, type);
  if (!generator)
    return generator.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level).module;
  module->getFunction(KernelSymbol)->setName(name);
  return (*generator)->generate(*module).str();
}

Expected<std::string> codegen::objectOf(const semantics::Plan &plan,
                                        const Target &target, OptLevel level,
                                        const std::string &name) {
  return dumpFile(plan, target, level, llvm::CodeGenFileType::ObjectFile, name);
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

Expected<std::string> codegen::dump(const semantics::Plan &plan,
                                    const Target &target, OptLevel level,
                                    Stage stage) {
  switch (stage) {
  case Stage::Llvm:
    return dumpIr(plan, target, level, false);
  case Stage::LlvmOpt:
    return dumpIr(plan, target, level, true);
  case Stage::Mir:
    return dumpMachine(plan, target, level);
  case Stage::Asm:
    return dumpAssembly(plan, target, level);
  case Stage::Obj:
    break;
  }
  return dumpFile(plan, target, level, llvm::CodeGenFileType::ObjectFile);
}
