//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopRecorder.h"

#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/Support/Casting.h>

using namespace kexpr;
using namespace kexpr::codegen;

void LoopRecorder::emitLabel(llvm::MCSymbol *symbol, llvm::SMLoc location) {
  MCStreamer::emitLabel(symbol, location);
  labels[symbol] = code.size();
}

/// The symbol that an operand refers to, or null.
static const llvm::MCSymbol *symbolOf(const llvm::MCOperand &operand) {
  const auto *reference =
      operand.isExpr()
          ? llvm::dyn_cast<llvm::MCSymbolRefExpr>(operand.getExpr())
          : nullptr;
  return reference ? &reference->getSymbol() : nullptr;
}

/// Where what is emitted next comes from.
static SourceLocation locationIn(llvm::MCContext &context) {
  const llvm::MCDwarfLoc &at = context.getCurrentDwarfLoc();
  return at.getLine() ? SourceLocation{at.getLine(), at.getColumn()}
                      : SourceLocation();
}

void LoopRecorder::emitInstruction(const llvm::MCInst &instruction,
                                   const llvm::MCSubtargetInfo &) {
  if (!loop.empty())
    return;
  code.push_back(
      {.instruction = instruction, .location = locationIn(getContext())});
  std::size_t begin = code.size();
  for (llvm::MCOperand &operand : code.back().instruction) {
    if (info.get(instruction.getOpcode()).isBranch())
      if (auto label = labels.find(symbolOf(operand)); label != labels.end())
        begin = label->second;
    if (!operand.isExpr())
      continue;
    // LLVM's expressions go when the code is finished.
    operand = llvm::MCOperand::createImm(0);
    code.back().namesSymbol = true;
  }
  loop.assign(code.begin() + static_cast<std::ptrdiff_t>(begin), code.end());
}
