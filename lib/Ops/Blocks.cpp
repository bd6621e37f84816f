//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

using namespace kexpr::ops;

static BlockTables chooseTables() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return blockTables<Isa::Avx2>();
#endif
  return blockTables<Isa::Baseline>();
}

std::span<const BlockFn> kexpr::ops::blocks(Arithmetic arithmetic) {
  static const BlockTables tables = chooseTables();
  return {tables[static_cast<std::size_t>(arithmetic)], Operators::size};
}
