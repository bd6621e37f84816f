//===- CodeGen/Naming.h - Names of values of the IR -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_NAMING_H
#define KEXPR_CODEGEN_NAMING_H

#include <llvm/IR/IRBuilder.h>

#include <string>

namespace kexpr::codegen {

/// Operator and copy that are being emitted, for names of values.
struct NameContext {
  /// The operator; empty between operators.
  std::string_view part;
  /// The copy of the body: ".1", ".tail"; empty for the first.
  std::string suffix;
};

/// Names what is inserted without a name after the operator it is of and what
/// it does, as `exp.fma`, and has every name say which copy it is of. Does
/// nothing in a context that discards names.
class Naming final : public llvm::IRBuilderDefaultInserter {
public:
  explicit Naming(const NameContext &context) : context(&context) {}

  void InsertHelper(llvm::Instruction *instruction, const llvm::Twine &name,
                    llvm::BasicBlock::iterator place) const override;

private:
  const NameContext *context;
};

using NamingBuilder = llvm::IRBuilder<llvm::ConstantFolder, Naming>;

/// Gives the result of `context.part` its name, or that of a step on the way.
void nameResult(llvm::Value *value, const NameContext &context,
                std::string_view step = {});

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_NAMING_H
