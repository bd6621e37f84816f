//===- CodeGen/LoopRecorder.h - The main loop, as it is emitted -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPRECORDER_H
#define KEXPR_CODEGEN_LOOPRECORDER_H

#include "Support/SourceLocation.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCStreamer.h>

#include <vector>

namespace kexpr::codegen {

/// An instruction as it was emitted. Symbols that it names are replaced by 0.
struct RecordedInstruction {
  llvm::MCInst instruction;
  /// As the line table says; none where there is none.
  SourceLocation location;
  bool namesSymbol = false;
};

/// A sink for machine code that keeps the instructions of the first loop: from
/// a label to the first branch back to it. In a kernel that is the main loop.
class LoopRecorder final : public llvm::MCStreamer {
public:
  /// `loop` gets the instructions.
  LoopRecorder(llvm::MCContext &context, const llvm::MCInstrInfo &info,
               std::vector<RecordedInstruction> &loop)
      : MCStreamer(context), info(info), loop(loop) {}

  void emitLabel(llvm::MCSymbol *symbol, llvm::SMLoc location) override;
  void emitInstruction(const llvm::MCInst &instruction,
                       const llvm::MCSubtargetInfo &) override;
  bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override {
    return true;
  }
  void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection *, llvm::MCSymbol *, uint64_t, llvm::Align,
                    llvm::SMLoc) override {}

private:
  const llvm::MCInstrInfo &info;
  std::vector<RecordedInstruction> &loop;
  /// All instructions so far, and how many of them are before a label.
  std::vector<RecordedInstruction> code;
  llvm::DenseMap<const llvm::MCSymbol *, std::size_t> labels;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPRECORDER_H
