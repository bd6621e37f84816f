//===- CodeGen/GeneratorPool.h - Generators for all threads ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_GENERATORPOOL_H
#define KEXPR_CODEGEN_GENERATORPOOL_H

#include "CodeGen/Generator.h"

namespace kexpr::codegen {

/// Gives a generator back.
struct ReturnGenerator {
  std::string key;
  void operator()(Generator *generator) const;
};

/// A generator that is the holder's alone until the handle goes; then it serves
/// the next one, in any thread.
using BorrowedGenerator = std::unique_ptr<Generator, ReturnGenerator>;

/// A generator of object files from the pool of this process, which makes one
/// if none is free. There are as many as were ever borrowed at once. May be
/// called from any thread, as long as the process lives.
Expected<BorrowedGenerator> borrowGenerator(const Target &target,
                                            OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_GENERATORPOOL_H
