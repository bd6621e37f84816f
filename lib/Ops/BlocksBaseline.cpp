//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

namespace kexpr::ops {

template <> BlockTables blockTables<Isa::Baseline>() {
  return makeBlockTables<Isa::Baseline>();
}

} // namespace kexpr::ops
