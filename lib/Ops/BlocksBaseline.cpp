//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

namespace kexpr::ops {

template <> const BlockFn *blockTable<Isa::Baseline>() {
  return makeBlockTable<Isa::Baseline>(Operators{});
}

} // namespace kexpr::ops
