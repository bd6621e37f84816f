//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Order.h"

using namespace kexpr;

// Not inline: where two numbers that lie side by side are rounded, GCC 12 makes
// a vector of them and forgets that float is the narrower type.
[[gnu::noinline]] double tools::roundTo(DType type, double x) {
  return type == DType::F32 ? static_cast<float>(x) : x;
}
