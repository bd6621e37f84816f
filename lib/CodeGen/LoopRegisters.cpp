//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopRegisters.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <set>

using namespace kexpr;
using namespace kexpr::codegen;

/// xmm0, ymm0, zmm0 of x86; b0, h0, s0, d0, q0 of AArch64.
bool codegen::isVectorRegister(llvm::StringRef name) {
  return name.contains("MM") || (name.size() > 1 && llvm::isDigit(name[1]) &&
                                 llvm::StringRef("BHSDQ").contains(name[0]));
}

/// The names of x86, then those of AArch64.
bool codegen::isStackPointer(llvm::StringRef name) {
  return name == "RSP" || name == "SP";
}

namespace {

/// Goes over a loop from its end to its beginning.
class Liveness {
public:
  explicit Liveness(const llvm::TargetMachine &machine)
      : info(*machine.getMCInstrInfo()),
        registers(*machine.getMCRegisterInfo()),
        processor(
            machine.getMCSubtargetInfo()->getSchedModel().getProcessorID()),
        analysis(machine.getTarget().createMCInstrAnalysis(&info)) {}

  /// What is live before an instruction, given what is live after it.
  void stepOver(const llvm::MCInst &instruction);
  std::size_t count() const { return live.size(); }

private:
  /// Where two registers share a part they are one, as xmm0 and zmm0 are.
  using RegisterUnit = llvm::MCRegUnit;
  RegisterUnit unitOf(const llvm::MCOperand &operand) const {
    return *registers.regunits(operand.getReg()).begin();
  }
  bool isVector(const llvm::MCOperand &operand) const {
    return operand.isReg() && operand.getReg() &&
           isVectorRegister(registers.getName(operand.getReg()));
  }
  /// Whether its result is the same whatever its operands hold.
  bool readsNothing(const llvm::MCInst &instruction) const {
    llvm::APInt mask;
    return analysis && analysis->isZeroIdiom(instruction, mask, processor);
  }

  const llvm::MCInstrInfo &info;
  const llvm::MCRegisterInfo &registers;
  unsigned processor;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::set<RegisterUnit> live;
};

} // namespace

void Liveness::stepOver(const llvm::MCInst &instruction) {
  const unsigned results = info.get(instruction.getOpcode()).getNumDefs();
  for (unsigned i = 0; i < results; ++i)
    if (isVector(instruction.getOperand(i)))
      live.erase(unitOf(instruction.getOperand(i)));
  if (readsNothing(instruction))
    return;
  for (unsigned i = results; i < instruction.getNumOperands(); ++i)
    if (isVector(instruction.getOperand(i)))
      live.insert(unitOf(instruction.getOperand(i)));
}

std::vector<unsigned>
codegen::countLiveVectors(llvm::ArrayRef<RecordedInstruction> loop,
                          const llvm::TargetMachine &machine) {
  Liveness liveness(machine);
  std::vector<unsigned> counts(loop.size());
  // The first time over tells what a step needs from the one before.
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = loop.size(); i-- > 0;) {
      counts[i] = static_cast<unsigned>(liveness.count());
      liveness.stepOver(loop[i].instruction);
    }
  return counts;
}
