//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/PlaceTable.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/CodeGen/DebugHandlerBase.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCSectionELF.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/Object/ELF.h>

#include <cstring>

using namespace kexpr;
using namespace kexpr::codegen;

static constexpr llvm::StringRef SectionName = ".kexpr.locations";

static bool wantsTable(const llvm::Function &function) {
  const llvm::DISubprogram *described = function.getSubprogram();
  return described && described->getUnit()->getEmissionKind() ==
                          llvm::DICompileUnit::NoDebug;
}

namespace {

/// Told of every instruction before it is emitted.
class PlaceTable final : public llvm::DebugHandlerBase {
public:
  explicit PlaceTable(llvm::AsmPrinter &printer)
      : DebugHandlerBase(&printer), printer(printer) {
    // What the base keeps book of, variables and scopes, is not there.
    Asm = nullptr;
  }

  void beginModule(llvm::Module *) override { rows.clear(); }
  void endModule() override;
  void beginInstruction(const llvm::MachineInstr *instruction) override;
  void endInstruction() override {}

private:
  struct Row {
    llvm::MCSymbol *label;
    SourceLocation location;
  };
  void beginFunctionImpl(const llvm::MachineFunction *) override {}
  void endFunctionImpl(const llvm::MachineFunction *) override {}

  llvm::AsmPrinter &printer;
  std::vector<Row> rows;
};

} // namespace

void PlaceTable::beginInstruction(const llvm::MachineInstr *instruction) {
  const llvm::DILocation *debug = instruction->getDebugLoc().get();
  if (!debug || instruction->isMetaInstruction() ||
      !wantsTable(instruction->getMF()->getFunction()))
    return;
  const SourceLocation location{debug->getLine(), debug->getColumn()};
  if (!rows.empty() && rows.back().location == location)
    return;
  rows.push_back({printer.createTempSymbol("location"), location});
  printer.OutStreamer->emitLabel(rows.back().label);
}

void PlaceTable::endModule() {
  if (rows.empty())
    return;
  llvm::MCStreamer &out = *printer.OutStreamer;
  out.switchSection(printer.OutContext.getELFSection(
      SectionName, llvm::ELF::SHT_PROGBITS, 0));
  const llvm::MCSymbol *before = rows[0].label;
  for (const Row &row : rows) {
    // Next to each other, two labels have a distance that is known already.
    out.emitAbsoluteSymbolDiff(row.label, before, 4);
    before = row.label;
    out.emitInt32(row.location.line);
    out.emitInt32(row.location.column);
  }
}

void codegen::addPlaceTable(llvm::AsmPrinter &printer) {
  printer.addDebugHandler(std::make_unique<PlaceTable>(printer));
}

/// The rows of a table, which is in the byte order of the object.
static std::vector<CodeLocation> rowsOf(llvm::ArrayRef<std::uint8_t> bytes) {
  struct Row {
    llvm::support::ulittle32_t distance, line, column;
  };
  std::vector<CodeLocation> locations;
  std::uint32_t offset = 0;
  for (; bytes.size() >= sizeof(Row); bytes = bytes.drop_front(sizeof(Row))) {
    Row row;
    std::memcpy(&row, bytes.data(), sizeof row);
    offset += row.distance;
    locations.push_back({offset, {row.line, row.column}});
  }
  return locations;
}

/// Makes a section one that linkers do not look at.
static void retire(const llvm::object::ELF64LE::Shdr &section,
                   std::vector<char> &bytes) {
  const auto place =
      reinterpret_cast<const char *>(&section.sh_type) - bytes.data();
  std::memset(bytes.data() + place, llvm::ELF::SHT_NULL,
              sizeof section.sh_type);
}

void codegen::readPlaceTable(ObjectCode &object) {
  const auto file = llvm::expectedToOptional(llvm::object::ELF64LEFile::create(
      llvm::StringRef(object.bytes.data(), object.bytes.size())));
  const auto sections =
      file ? llvm::expectedToOptional(file->sections()) : std::nullopt;
  if (!sections)
    return;
  for (const auto &section : *sections) {
    const auto name =
        llvm::expectedToOptional(file->getSectionName(section)).value_or("");
    const auto bytes =
        llvm::expectedToOptional(file->getSectionContents(section))
            .value_or(llvm::ArrayRef<std::uint8_t>());
    if (name == ".text")
      object.size = bytes.size();
    else if (name == SectionName)
      object.locations = rowsOf(bytes);
    else if (name == ".debug_frame")
      object.frames.assign(bytes.begin(), bytes.end());
    if (name == SectionName || name.ends_with(".debug_frame"))
      retire(section, object.bytes);
  }
}
