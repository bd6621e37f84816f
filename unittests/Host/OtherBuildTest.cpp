//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Engine.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace kexpr;

// The dynamic linker gives a library that is loaded to whoever asks for its
// name, and a process may have another build's: a host's and a plugin's.
TEST(OtherBuild, LeavesEachItsOwnCodeGenerator) {
  void *const other = dlopen(KEXPR_OTHER_BACKEND, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(other) << dlerror();
  Engine engine;
  const auto kernel = engine.compile("add(@0,1)", {.mode = Mode::Optimized});
  ASSERT_TRUE(kernel) << kernel.error().render();
  EXPECT_EQ(kernel->tier(), Tier::Optimized);
}
