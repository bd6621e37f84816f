//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/PlainLoops.h"

using namespace kexpr;

bool tools::plainLoopsRunHere() {
#if defined(__x86_64__)
  const bool has[] = {__builtin_cpu_supports("avx2") != 0,
                      __builtin_cpu_supports("fma") != 0,
                      __builtin_cpu_supports("avx512f") != 0};
  for (int i = 0; i < 3; ++i)
    if (plainLoopsUse[i] && !has[i])
      return false;
#endif
  return true;
}
