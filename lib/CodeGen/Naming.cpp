//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/Naming.h"

#include <llvm/IR/IntrinsicInst.h>

using namespace kexpr;
using namespace kexpr::codegen;

/// "fma", "fadd", "icmp".
static std::string stepOf(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return instruction.getOpcodeName();
  const llvm::StringRef name =
      llvm::Intrinsic::getBaseName(call->getIntrinsicID());
  return name.substr(name.rfind('.') + 1).str();
}

void Naming::InsertHelper(llvm::Instruction *instruction,
                          const llvm::Twine &name,
                          llvm::BasicBlock::iterator place) const {
  IRBuilderDefaultInserter::InsertHelper(instruction, "", place);
  if (instruction->getType()->isVoidTy() ||
      instruction->getContext().shouldDiscardValueNames())
    return;
  std::string chosen = name.str();
  if (chosen.empty())
    chosen = (context->part.empty() ? "" : std::string(context->part) + '.') +
             stepOf(*instruction);
  instruction->setName(chosen + context->suffix);
}

void codegen::nameResult(llvm::Value *value, const NameContext &context,
                         std::string_view step) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  const std::string part(context.part);
  // An argument that is handed on is another's.
  if (!instruction || part.empty() ||
      !instruction->getName().starts_with(part + '.'))
    return;
  instruction->setName(part + (step.empty() ? "" : '.' + std::string(step)) +
                       context.suffix);
}
