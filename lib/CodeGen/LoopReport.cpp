//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopReport.h"

#include "CodeGen/Generator.h"
#include "CodeGen/KernelEmitter.h"
#include "CodeGen/LoopRecorder.h"
#include "CodeGen/LoopRegisters.h"
#include "CodeGen/LoopShape.h"
#include "CodeGen/LoopSimulation.h"
#include "Support/Text.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <set>

using namespace kexpr;
using namespace kexpr::codegen;

namespace {

/// Counts what a loop is made of.
class LoopCounter {
public:
  LoopCounter(const llvm::TargetMachine &machine, LoopReport &report)
      : info(*machine.getMCInstrInfo()),
        registers(*machine.getMCRegisterInfo()), report(report) {}

  LoopInstruction count(const RecordedInstruction &recorded);

private:
  /// Where two registers share a part they are one, as xmm0 and zmm0 are.
  using RegisterUnit = llvm::MCRegUnit;
  void countRegister(llvm::MCRegister reg);

  const llvm::MCInstrInfo &info;
  const llvm::MCRegisterInfo &registers;
  LoopReport &report;
  std::set<RegisterUnit> vectors, generals;
};

} // namespace

/// Whether a register holds no operand of a calculation.
static bool isSpecial(llvm::StringRef name) {
  return isStackPointer(name) || name == "RIP" || name == "EFLAGS" ||
         name == "NZCV" || name == "XZR" || name == "WZR" ||
         name.starts_with("K");
}

void LoopCounter::countRegister(llvm::MCRegister reg) {
  const llvm::StringRef name = registers.getName(reg);
  const RegisterUnit unit = *registers.regunits(reg).begin();
  if (isVectorRegister(name))
    vectors.insert(unit);
  else if (!isSpecial(name))
    generals.insert(unit);
  report.vectorRegisters = static_cast<unsigned>(vectors.size());
  report.generalRegisters = static_cast<unsigned>(generals.size());
}

LoopInstruction LoopCounter::count(const RecordedInstruction &recorded) {
  const llvm::MCInst &instruction = recorded.instruction;
  const llvm::MCInstrDesc &description = info.get(instruction.getOpcode());
  LoopInstruction counted;
  counted.location = recorded.location;
  counted.loads = description.mayLoad();
  counted.stores = description.mayStore();
  counted.loadsConstant = counted.loads && recorded.namesSymbol;
  bool usesStack = false;
  for (const llvm::MCOperand &operand : instruction)
    if (operand.isReg() && operand.getReg()) {
      countRegister(operand.getReg());
      usesStack |= isStackPointer(registers.getName(operand.getReg()));
    }
  counted.spills = usesStack && (counted.loads || counted.stores);
  ++report.instructions;
  report.loads += counted.loads;
  report.stores += counted.stores;
  report.spills += counted.spills;
  return counted;
}

/// A generator whose code ends in a recorder, that of the module at hand.
static Expected<std::unique_ptr<Generator>>
makeRecording(const Target &target, OptLevel level,
              std::vector<RecordedInstruction> &loop) {
  return Generator::create(
      target, level,
      [&loop](PassMachine &machine, llvm::raw_pwrite_stream &,
              llvm::MCContext &context) -> std::unique_ptr<llvm::MCStreamer> {
        auto recorder = std::make_unique<LoopRecorder>(
            context, *machine.getMCInstrInfo(), loop);
        machine.getTarget().createNullTargetStreamer(*recorder);
        return recorder;
      });
}

Expected<LoopReport> codegen::reportLoop(const semantics::Plan &plan,
                                         const Target &target, OptLevel level) {
  std::vector<RecordedInstruction> loop;
  auto generator = makeRecording(target, level, loop);
  if (!generator)
    return generator.error();
  llvm::LLVMContext context;
  auto [module, stages] = emitKernel(context, plan, target, level);
  (*generator)->generate(*module);
  if (loop.empty())
    return Error(ErrorCode::CompileFailed,
                 concat("no loop in the code for '", target.cpu, "'"));

  const llvm::TargetMachine &machine = (*generator)->targetMachine();
  LoopReport report;
  report.vectorBits = vectorBitsOf(plan, target);
  report.lanes = lanesOf(plan, target);
  report.unrollFactor = unrollFactorOf(plan, target, level);
  if (plan.isInParts)
    report.unrollFactor =
        elementsOfPart(plan) / (plan.isAlongRows ? report.lanes : 1);
  else if (plan.rowLength > 0)
    report.unrollFactor = plan.isAlongRows ? vectorsOfRow(plan, report.lanes) *
                                                 rowsAtOnce(plan, target, level)
                                           : plan.rowLength;
  report.stages = stages;
  report.allVectorRegisters = target.vectorRegisters;
  LoopCounter counter(machine, report);
  for (const RecordedInstruction &recorded : loop)
    report.code.push_back(counter.count(recorded));
  const std::vector<unsigned> live = countLiveVectors(loop, machine);
  for (std::size_t i = 0; i < loop.size(); ++i)
    report.code[i].live = live[i];
  report.prediction = simulate(loop, machine, report.code);
  return report;
}
