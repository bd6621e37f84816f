//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerThreads.h"

#include <tbb/parallel_for.h>

using namespace kexpr;

TEST_F(LayerThreads, OfOneTbb) {
  for (unsigned threads : {0u, 1u}) {
    tbb::parallel_for(
        0, Callers, [&](int caller) { EXPECT_TRUE(forward(caller, threads)); });
    verify();
  }
}
