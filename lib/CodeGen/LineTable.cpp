//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LineTable.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

using namespace kexpr;
using namespace kexpr::codegen;

/// The bytes of the section that a function fills.
static std::size_t codeSize(const llvm::object::ObjectFile &file,
                            llvm::StringRef name) {
  for (const llvm::object::SymbolRef &symbol : file.symbols())
    if (llvm::expectedToOptional(symbol.getName()) == name)
      if (auto section = llvm::expectedToOptional(symbol.getSection()))
        return (*section)->getSize();
  return 0;
}

void codegen::readLineTable(ObjectCode &object) {
  const llvm::MemoryBufferRef buffer(
      llvm::StringRef(object.bytes.data(), object.bytes.size()), "kernel");
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return llvm::consumeError(file.takeError());
  object.size = codeSize(**file, object.symbol);
  const auto context = llvm::DWARFContext::create(**file);
  for (const auto &unit : context->compile_units())
    if (const auto *table = context->getLineTableForUnit(unit.get()))
      for (const auto &row : table->Rows)
        if (!row.EndSequence)
          object.places.push_back(
              {static_cast<std::uint32_t>(row.Address.Address),
               {row.Line, row.Line ? row.Column : 0u}});
}
