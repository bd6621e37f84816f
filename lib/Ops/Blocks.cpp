//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

using namespace kexpr::ops;

static const BlockFn *chooseTable() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return blockTable<Isa::Avx2>();
#endif
  return blockTable<Isa::Baseline>();
}

std::span<const BlockFn> kexpr::ops::blocks() {
  static const BlockFn *const table = chooseTable();
  return {table, Operators::size};
}
