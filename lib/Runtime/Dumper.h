//===- Runtime/Dumper.h - Every loop's stages in a folder -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_DUMPER_H
#define KEXPR_RUNTIME_DUMPER_H

#include "Code/Directory.h"
#include "CodeGen/CodeGen.h"

namespace kexpr::runtime {

/// Writes what loops are made of into a directory, a folder each. All members
/// may be called from any thread, and by any number of processes.
class Dumper {
public:
  /// `target` is what engine options say of the machine. Errors are those of
  /// `code::Directory::open`.
  static Expected<std::unique_ptr<Dumper>>
  open(const std::string &path, const codegen::TargetOptions &target);

  /// Writes the folder of a plan that has a source, unless it is there already.
  /// Io, or what kept a stage from being made: the folder then lacks it.
  Status write(const semantics::Plan &plan, const codegen::Target &target,
               codegen::OptLevel level) const;

private:
  Dumper(std::shared_ptr<const code::Directory> directory,
         const codegen::TargetOptions &options)
      : directory(std::move(directory)), options(options) {}

  const std::shared_ptr<const code::Directory> directory;
  const codegen::TargetOptions options;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_DUMPER_H
