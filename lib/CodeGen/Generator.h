//===- CodeGen/Generator.h - From LLVM IR to machine code -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_GENERATOR_H
#define KEXPR_CODEGEN_GENERATOR_H

#include "CodeGen/CodeGen.h"
#include "CodeGen/LlvmVersion.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>

namespace kexpr::codegen {

/// LLVM's view of a target and the passes that make code for it, which take
/// longer to set up than a small kernel takes to compile. It makes code for one
/// module after another, each in a context of its own; what it made before
/// changes nothing. One thread uses it at a time.
class Generator {
public:
  /// Makes what machine code is handed to, which may write to `out`; or null.
  using MakeStreamer = std::function<std::unique_ptr<llvm::MCStreamer>(
      PassMachine &machine, llvm::raw_pwrite_stream &out,
      llvm::MCContext &context)>;

  /// An error if LLVM makes no code, or none of this type, for the target.
  static Expected<std::unique_ptr<Generator>>
  create(const Target &target, OptLevel level, llvm::CodeGenFileType type);

  /// The same, but the machine code goes to a streamer of the caller's.
  static Expected<std::unique_ptr<Generator>>
  create(const Target &target, OptLevel level, const MakeStreamer &make);

  const llvm::TargetMachine &targetMachine() const { return *machine; }
  llvm::DataLayout dataLayout() const { return machine->createDataLayout(); }
  /// The module as an object file or as assembly, valid until the next call.
  /// The module gets the target's data layout, and is used up. Empty if there
  /// is a streamer of the caller's.
  llvm::StringRef generate(llvm::Module &module);

private:
  explicit Generator(std::unique_ptr<llvm::TargetMachine> machine)
      : machine(std::move(machine)) {}
  bool addPasses(const MakeStreamer &make);

  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  // It refers to all of the above.
  llvm::legacy::PassManager passes;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_GENERATOR_H
