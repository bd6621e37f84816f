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

static bool hasPlace(const llvm::MachineInstr &instruction) {
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

/// By the register that an instruction defines, which is its own.
using Places = llvm::DenseMap<llvm::Register, llvm::DebugLoc>;

class NotePlaces final : public PlacePass {
public:
  static inline char ID = 0;
  explicit NotePlaces(std::shared_ptr<Places> places)
      : PlacePass(ID), places(std::move(places)) {}

private:
  void run(llvm::MachineFunction &function) override {
    places->clear();
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        if (hasPlace(each))
          for (const llvm::MachineOperand &defined : each.all_defs())
            if (defined.getReg().isVirtual())
              places->try_emplace(defined.getReg(), each.getDebugLoc());
  }

  const std::shared_ptr<Places> places;
};

class RestorePlaces final : public PlacePass {
public:
  static inline char ID = 0;
  explicit RestorePlaces(std::shared_ptr<Places> places)
      : PlacePass(ID), places(std::move(places)) {}

private:
  void run(llvm::MachineFunction &function) override {
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        for (const llvm::MachineOperand &defined : each.all_defs())
          if (auto place = places->find(defined.getReg());
              place != places->end())
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

private:
  using Units = llvm::DenseMap<unsigned, llvm::DebugLoc>;
  void run(llvm::MachineFunction &function) override;
  /// What one instruction leaves, going backwards: who reads registers next,
  /// or, going forwards, who wrote them.
  void note(const llvm::MachineInstr &instruction, bool isForwards,
            Units &units) const;
  void take(llvm::MachineInstr &instruction, bool isForwards,
            const Units &units) const;

  const llvm::TargetRegisterInfo *registers = nullptr;
};

} // namespace

void FillPlaces::note(const llvm::MachineInstr &instruction, bool isForwards,
                      Units &units) const {
  // Going backwards, what is written is nobody's before, and what is read is
  // this one's. Going forwards, only what is written counts.
  auto set = [&](bool isDef, const llvm::DebugLoc &place) {
    for (const llvm::MachineOperand &operand : instruction.operands())
      if (operand.isReg() && operand.getReg() && operand.isDef() == isDef)
        for (llvm::MCRegUnit unit : registers->regunits(operand.getReg()))
          units[unit] = place;
  };
  set(true, isForwards ? instruction.getDebugLoc() : llvm::DebugLoc());
  if (!isForwards)
    set(false, instruction.getDebugLoc());
}

void FillPlaces::take(llvm::MachineInstr &instruction, bool isForwards,
                      const Units &units) const {
  for (const llvm::MachineOperand &operand : instruction.operands())
    if (operand.isReg() && operand.getReg() && operand.isDef() != isForwards)
      for (llvm::MCRegUnit unit : registers->regunits(operand.getReg()))
        if (const llvm::DebugLoc place = units.lookup(unit); place)
          instruction.setDebugLoc(place);
}

void FillPlaces::run(llvm::MachineFunction &function) {
  registers = function.getSubtarget().getRegisterInfo();
  const llvm::DebugLoc loop = llvm::DILocation::get(
      function.getFunction().getContext(), syntax::Listing::loop().line,
      syntax::Listing::loop().column, function.getFunction().getSubprogram());
  for (llvm::MachineBasicBlock &block : function) {
    Units readers, writers;
    for (llvm::MachineInstr &each : llvm::reverse(block)) {
      if (!hasPlace(each))
        take(each, false, readers);
      note(each, false, readers);
    }
    for (llvm::MachineInstr &each : block) {
      if (!hasPlace(each))
        take(each, true, writers);
      if (!hasPlace(each))
        each.setDebugLoc(loop);
      note(each, true, writers);
    }
  }
}

std::pair<llvm::Pass *, llvm::Pass *> codegen::createKeepPlacesPasses() {
  auto places = std::make_shared<Places>();
  return {new NotePlaces(places), new RestorePlaces(places)};
}

llvm::Pass *codegen::createFillPlacesPass() { return new FillPlaces; }
