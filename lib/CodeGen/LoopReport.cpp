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
#include "CodeGen/LoopShape.h"
#include "CodeGen/LoopSimulation.h"
#include "Support/Text.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <set>

using namespace kexpr;
using namespace kexpr::codegen;

namespace {

/// Counts what a loop is made of.
class Census {
public:
  Census(const llvm::TargetMachine &machine, LoopReport &report)
      : info(*machine.getMCInstrInfo()),
        registers(*machine.getMCRegisterInfo()), report(report) {}

  void count(const llvm::MCInst &instruction);

private:
  /// Where two registers share a part they are one, as xmm0 and zmm0 are.
  using Identity = unsigned;
  void countRegister(llvm::MCRegister reg);

  const llvm::MCInstrInfo &info;
  const llvm::MCRegisterInfo &registers;
  LoopReport &report;
  std::set<Identity> vectors, generals;
};

} // namespace

/// xmm0, ymm0, zmm0 of x86; b0, h0, s0, d0, q0 of AArch64.
static bool isVector(llvm::StringRef name) {
  return name.contains("MM") || (name.size() > 1 && llvm::isDigit(name[1]) &&
                                 llvm::StringRef("BHSDQ").contains(name[0]));
}

/// The names of x86, then those of AArch64.
static bool isStackPointer(llvm::StringRef name) {
  return name == "RSP" || name == "SP";
}

/// What is no operand of a calculation.
static bool isSpecial(llvm::StringRef name) {
  return isStackPointer(name) || name == "RIP" || name == "EFLAGS" ||
         name == "NZCV" || name == "XZR" || name == "WZR" ||
         name.starts_with("K");
}

void Census::countRegister(llvm::MCRegister reg) {
  const llvm::StringRef name = registers.getName(reg);
  const Identity identity = *registers.regunits(reg).begin();
  if (isVector(name))
    vectors.insert(identity);
  else if (!isSpecial(name))
    generals.insert(identity);
  report.vectorRegisters = static_cast<unsigned>(vectors.size());
  report.generalRegisters = static_cast<unsigned>(generals.size());
}

void Census::count(const llvm::MCInst &instruction) {
  const llvm::MCInstrDesc &description = info.get(instruction.getOpcode());
  const bool loads = description.mayLoad(), stores = description.mayStore();
  bool usesStack = false;
  for (const llvm::MCOperand &operand : instruction)
    if (operand.isReg() && operand.getReg()) {
      countRegister(operand.getReg());
      usesStack |= isStackPointer(registers.getName(operand.getReg()));
    }
  ++report.instructions;
  report.loads += loads;
  report.stores += stores;
  report.spills += usesStack && (loads || stores);
}

/// The sixteen of AVX2, or twice as many.
static unsigned vectorRegistersOf(const llvm::MCSubtargetInfo &subtarget) {
  return subtarget.getTargetTriple().isX86() &&
                 !subtarget.checkFeatures("+avx512vl")
             ? 16
             : 32;
}

Expected<LoopReport> codegen::reportLoop(const semantics::Plan &plan,
                                         const Target &target, OptLevel level) {
  std::vector<llvm::MCInst> loop;
  auto generator = Generator::create(
      target, level,
      [&loop](llvm::LLVMTargetMachine &machine, llvm::raw_pwrite_stream &,
              llvm::MCContext &context) -> std::unique_ptr<llvm::MCStreamer> {
        auto recorder = std::make_unique<LoopRecorder>(
            context, *machine.getMCInstrInfo(), loop);
        machine.getTarget().createNullTargetStreamer(*recorder);
        return recorder;
      });
  if (!generator)
    return generator.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level);
  (*generator)->generate(*module);
  if (loop.empty())
    return Error(ErrorCode::CompileFailed,
                 concat("no loop in the code for '", target.cpu, "'"));

  const llvm::TargetMachine &machine = (*generator)->targetMachine();
  LoopReport report;
  report.vectorBits = target.vectorBits;
  report.lanes = lanesOf(plan, target);
  report.copies = copiesOf(plan, level);
  report.allVectorRegisters = vectorRegistersOf(*machine.getMCSubtargetInfo());
  Census census(machine, report);
  for (const llvm::MCInst &instruction : loop)
    census.count(instruction);
  report.prediction = simulate(loop, machine);
  return report;
}
