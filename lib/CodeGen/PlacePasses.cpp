//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/PlacePasses.h"

#include "Syntax/Listing.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <memory>

using namespace kexpr;
using namespace kexpr::codegen;

static bool hasLocation(const llvm::MachineInstr &instruction) {
  return instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0;
}

namespace {

class PlacePass : public llvm::MachineFunctionPass {
public:
  using MachineFunctionPass::MachineFunctionPass;
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) final {
    if (function.getFunction().getSubprogram())
      run(function);
    return false;
  }

private:
  virtual void run(llvm::MachineFunction &function) = 0;
};

using Location = const llvm::DILocation *;
/// By the register that an instruction defines, which is its own.
using Places = llvm::DenseMap<llvm::Register, Location>;

class NotePlaces final : public PlacePass {
public:
  static inline char ID = 0;
  explicit NotePlaces(std::shared_ptr<Places> places)
      : PlacePass(ID), places(std::move(places)) {}
  llvm::StringRef getPassName() const override { return "Note places"; }

private:
  void run(llvm::MachineFunction &function) override {
    places->clear();
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        if (hasLocation(each))
          for (const llvm::MachineOperand &defined : each.all_defs())
            if (defined.getReg().isVirtual())
              places->try_emplace(defined.getReg(), each.getDebugLoc().get());
  }

  const std::shared_ptr<Places> places;
};

class RestorePlaces final : public PlacePass {
public:
  static inline char ID = 0;
  explicit RestorePlaces(std::shared_ptr<Places> places)
      : PlacePass(ID), places(std::move(places)) {}
  llvm::StringRef getPassName() const override { return "Restore places"; }

private:
  void run(llvm::MachineFunction &function) override {
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        for (const llvm::MachineOperand &defined : each.all_defs())
          if (auto place = places->find(defined.getReg());
              place != places->end() && !hasLocation(each))
            each.setDebugLoc(place->second);
    // They refer to the module.
    places->clear();
  }

  const std::shared_ptr<Places> places;
};

class FillPlaces final : public PlacePass {
public:
  static inline char ID = 0;
  FillPlaces() : PlacePass(ID) {}
  llvm::StringRef getPassName() const override { return "Fill in places"; }

private:
  void run(llvm::MachineFunction &function) override;
  void fromReaders(llvm::MachineBasicBlock &block);
  void fromWriters(llvm::MachineBasicBlock &block, Location loop);
  void note(const llvm::MachineInstr &instruction, bool isDef, Location place);
  void take(llvm::MachineInstr &instruction, bool isDef) const;

  const llvm::TargetRegisterInfo *registers = nullptr;
  /// Of each part of a register: who reads it next, or who wrote it.
  std::vector<Location> units;
};

} // namespace

void FillPlaces::note(const llvm::MachineInstr &instruction, bool isDef,
                      Location place) {
  for (const llvm::MachineOperand &operand : instruction.operands())
    if (operand.isReg() && operand.getReg() && operand.isDef() == isDef)
      for (llvm::MCRegUnit unit : registers->regunits(operand.getReg()))
        units[unit] = place;
}

void FillPlaces::take(llvm::MachineInstr &instruction, bool isDef) const {
  for (const llvm::MachineOperand &operand : instruction.operands())
    if (operand.isReg() && operand.getReg() && operand.isDef() == isDef)
      for (llvm::MCRegUnit unit : registers->regunits(operand.getReg()))
        if (units[unit])
          return instruction.setDebugLoc(units[unit]);
}

void FillPlaces::fromReaders(llvm::MachineBasicBlock &block) {
  units.assign(registers->getNumRegUnits(), nullptr);
  for (llvm::MachineInstr &each : llvm::reverse(block)) {
    if (!hasLocation(each))
      take(each, true);
    note(each, true, nullptr);
    note(each, false, hasLocation(each) ? each.getDebugLoc().get() : nullptr);
  }
}

void FillPlaces::fromWriters(llvm::MachineBasicBlock &block, Location loop) {
  units.assign(registers->getNumRegUnits(), nullptr);
  for (llvm::MachineInstr &each : block) {
    if (!hasLocation(each))
      take(each, false);
    if (!hasLocation(each))
      each.setDebugLoc(loop);
    note(each, true, each.getDebugLoc().get());
  }
}

void FillPlaces::run(llvm::MachineFunction &function) {
  registers = function.getSubtarget().getRegisterInfo();
  const Location loop = llvm::DILocation::get(
      function.getFunction().getContext(), syntax::Listing::loop().line,
      syntax::Listing::loop().column, function.getFunction().getSubprogram());
  for (llvm::MachineBasicBlock &block : function) {
    if (!llvm::all_of(block, hasLocation))
      fromReaders(block);
    if (!llvm::all_of(block, hasLocation))
      fromWriters(block, loop);
  }
}

std::pair<llvm::Pass *, llvm::Pass *> codegen::createKeepPlacesPasses() {
  auto places = std::make_shared<Places>();
  return {new NotePlaces(places), new RestorePlaces(places)};
}

llvm::Pass *codegen::createFillPlacesPass() { return new FillPlaces; }
