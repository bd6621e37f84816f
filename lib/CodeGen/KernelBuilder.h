//===- CodeGen/KernelBuilder.h - A kernel in the making -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_KERNELBUILDER_H
#define KEXPR_CODEGEN_KERNELBUILDER_H

#include "CodeGen/CodeGen.h"
#include "CodeGen/Slot.h"

#include <llvm/IR/Module.h>

namespace kexpr::codegen {

/// Emits the function of a module. The main loop is in KernelEmitter.cpp, what
/// it leaves to do in KernelTail.cpp.
class KernelBuilder {
public:
  KernelBuilder(llvm::Module &module, const semantics::Plan &plan,
                const Target &target, OptLevel level);
  void run();

private:
  using Values = std::vector<llvm::Value *>;
  void makeFunction(const Target &target);
  void makeSlots();
  void emitMainLoop();
  llvm::Value *emitFastBodies(llvm::Value *index);
  void emitRedo(llvm::ArrayRef<llvm::Value *> rareMasks, llvm::Value *index);
  llvm::Value *advance(llvm::Value *index) {
    return ir.CreateNUWAdd(index, ir.getInt64(copies * lanes.lanes), "i.next");
  }
  void narrow(unsigned fewer);
  void emitTail();
  void emitEnd(llvm::BasicBlock *done);
  void hoist();
  Values compute(const Position &at);
  llvm::Value *value(const semantics::Value &value, const Position &at,
                     const Values &values);
  llvm::Value *call(const semantics::Value &value, const Values &values);
  void store(const Position &at, const Values &values);
  llvm::BasicBlock *block(const char *name,
                          llvm::BasicBlock *before = nullptr) {
    return llvm::BasicBlock::Create(module.getContext(), name, function,
                                    before);
  }

  llvm::Module &module;
  const semantics::Plan &plan;
  const unsigned copies;
  /// Of a tail that computes in double lanes.
  const unsigned tailLanes;
  llvm::IRBuilder<> ir;
  LaneBuilder lanes;
  llvm::Function *function = nullptr;
  llvm::Value *count = nullptr;
  /// How many elements the main loop takes care of.
  llvm::Value *whole = nullptr;
  /// Of the main loop.
  llvm::PHINode *index = nullptr;
  /// Where the tail begins and ends.
  llvm::PHINode *from = nullptr, *to = nullptr;
  llvm::BasicBlock *loop = nullptr, *tailCheck = nullptr, *tailEntry = nullptr;
  std::vector<Slot> outputs, inputs, parameters;
  /// The values that are the same for every element; null for others.
  Values invariant;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_KERNELBUILDER_H
