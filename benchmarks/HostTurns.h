//===- HostTurns.h - A matrix product and a kernel in turns -----*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BENCHMARKS_HOSTTURNS_H
#define KEXPR_BENCHMARKS_HOSTTURNS_H

#include "kexpr/Error.h"

namespace kexpr::tools {

/// Prints what a host's matrix product on OpenMP and a kernel in turns take,
/// against what either takes alone, by each way of the kernel to threads.
Status compareTurns();

} // namespace kexpr::tools

#endif // KEXPR_BENCHMARKS_HOSTTURNS_H
