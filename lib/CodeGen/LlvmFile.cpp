//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeGen.h"

#include <dlfcn.h>
#include <llvm-c/Core.h>

using namespace kexpr;

std::string codegen::llvmFile() {
  Dl_info info = {};
  const bool isFound =
      dladdr(reinterpret_cast<void *>(&LLVMGetVersion), &info) != 0;
  return isFound && info.dli_fname ? info.dli_fname : "";
}
