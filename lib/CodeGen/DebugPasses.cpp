//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/DebugPasses.h"

#include "CodeGen/LlvmVersion.h"
#include "Syntax/Listing.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <functional>
#include <memory>

using namespace kexpr;
using namespace kexpr::codegen;

using Location = const llvm::DILocation *;

static bool hasLocation(const llvm::MachineInstr &instruction) {
  return instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0;
}

namespace {

/// A pass that changes nothing that another pass has found out.
class SmallPass final : public llvm::MachineFunctionPass {
public:
  using Work = std::function<void(llvm::MachineFunction &)>;
  static inline char ID = 0;

  SmallPass(llvm::StringRef name, Work work)
      : MachineFunctionPass(ID), name(name), work(std::move(work)) {}
  llvm::StringRef getPassName() const override { return name; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    work(function);
    return false;
  }

private:
  const llvm::StringRef name;
  const Work work;
};

/// What `createFrameMovesPass` says, of a function that is no machine's yet.
class FrameMovesRequired final : public llvm::FunctionPass {
public:
  static inline char ID = 0;
  FrameMovesRequired() : FunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "Require frame moves"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }
  bool runOnFunction(llvm::Function &function) override {
    function.removeFnAttr(llvm::Attribute::NoUnwind);
    return true;
  }
};

/// Gives locations to the instructions of a block that have none.
class LocationFiller {
public:
  explicit LocationFiller(const llvm::TargetRegisterInfo &registers)
      : registers(registers) {}

  /// From the next instruction that reads what an instruction defines.
  void fromReaders(llvm::MachineBasicBlock &block);
  /// From the last instruction that defined what an instruction reads; `loop`
  /// where there is none.
  void fromWriters(llvm::MachineBasicBlock &block, Location loop);

private:
  void note(const llvm::MachineInstr &instruction, bool isDef,
            Location location);
  void take(llvm::MachineInstr &instruction, bool isDef) const;

  const llvm::TargetRegisterInfo &registers;
  /// By register unit: location of the next reader, or of the last writer.
  std::vector<Location> units;
};

} // namespace

void LocationFiller::note(const llvm::MachineInstr &instruction, bool isDef,
                          Location location) {
  for (const llvm::MachineOperand &operand : instruction.operands())
    if (operand.isReg() && operand.getReg() && operand.isDef() == isDef)
      for (llvm::MCRegUnit unit : registers.regunits(operand.getReg()))
        units[numberOf(unit)] = location;
}

void LocationFiller::take(llvm::MachineInstr &instruction, bool isDef) const {
  for (const llvm::MachineOperand &operand : instruction.operands())
    if (operand.isReg() && operand.getReg() && operand.isDef() == isDef)
      for (llvm::MCRegUnit unit : registers.regunits(operand.getReg()))
        if (units[numberOf(unit)])
          return instruction.setDebugLoc(units[numberOf(unit)]);
}

void LocationFiller::fromReaders(llvm::MachineBasicBlock &block) {
  units.assign(registers.getNumRegUnits(), nullptr);
  for (llvm::MachineInstr &each : llvm::reverse(block)) {
    if (!hasLocation(each))
      take(each, true);
    note(each, true, nullptr);
    note(each, false, hasLocation(each) ? each.getDebugLoc().get() : nullptr);
  }
}

void LocationFiller::fromWriters(llvm::MachineBasicBlock &block,
                                 Location loop) {
  units.assign(registers.getNumRegUnits(), nullptr);
  for (llvm::MachineInstr &each : block) {
    if (!hasLocation(each))
      take(each, false);
    if (!hasLocation(each))
      each.setDebugLoc(loop);
    note(each, true, each.getDebugLoc().get());
  }
}

static void fillLocations(llvm::MachineFunction &function) {
  llvm::DISubprogram *scope = function.getFunction().getSubprogram();
  if (!scope)
    return;
  const SourceLocation loop = syntax::Listing::loop();
  const Location ofLoop =
      llvm::DILocation::get(scope->getContext(), loop.line, loop.column, scope);
  LocationFiller filler(*function.getSubtarget().getRegisterInfo());
  for (llvm::MachineBasicBlock &block : function) {
    if (!llvm::all_of(block, hasLocation))
      filler.fromReaders(block);
    if (!llvm::all_of(block, hasLocation))
      filler.fromWriters(block, ofLoop);
  }
}

PassPair codegen::createKeepLocationsPasses() {
  // By the virtual register that an instruction defines, and no other does.
  auto known = std::make_shared<llvm::DenseMap<llvm::Register, Location>>();
  auto note = [known](llvm::MachineFunction &function) {
    known->clear();
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        if (hasLocation(each))
          for (const llvm::MachineOperand &defined : each.all_defs())
            if (defined.getReg().isVirtual())
              known->try_emplace(defined.getReg(), each.getDebugLoc().get());
  };
  auto restore = [known](llvm::MachineFunction &function) {
    if (known->empty())
      return;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        for (const llvm::MachineOperand &defined : each.all_defs())
          if (Location location = known->lookup(defined.getReg());
              location && !hasLocation(each))
            each.setDebugLoc(location);
    // Locations belong to the module.
    known->clear();
  };
  return {new SmallPass("Note source locations", std::move(note)),
          new SmallPass("Restore source locations", std::move(restore))};
}

llvm::Pass *codegen::createFillLocationsPass() {
  return new SmallPass("Fill in source locations", fillLocations);
}

llvm::Pass *codegen::createFrameMovesPass(bool areRequired) {
  // LLVM writes CFI for functions that may throw.
  if (areRequired)
    return new FrameMovesRequired;
  return new SmallPass(
      "Do not require frame moves", [](llvm::MachineFunction &function) {
        function.getFunction().addFnAttr(llvm::Attribute::NoUnwind);
      });
}
