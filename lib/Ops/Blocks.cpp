//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

#include "Support/Fork.h"

using namespace kexpr::ops;

static BlockTables chooseTables() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return blockTables<Isa::Avx2>();
#endif
  return blockTables<Isa::Baseline>();
}

static constinit kexpr::Once<BlockTables> chosen;

static const BlockTables &tables() { return chosen.get(chooseTables); }

std::span<const BlockFn> kexpr::ops::blocks(Arithmetic arithmetic) {
  return {tables().operators[static_cast<std::size_t>(arithmetic)],
          AllOperators::size};
}

BlockFn kexpr::ops::conversion(DType from, DType to) {
  return tables().conversions[positionOf(from)][positionOf(to)];
}

const ReductionLoops &kexpr::ops::loopsOf(ReductionId reduction, DType form) {
  return tables().reductions[reduction][positionOf(form)];
}

ExactBlockFn kexpr::ops::exactBlock(DType element) {
  return tables().exactBlocks[element == DType::F64];
}
