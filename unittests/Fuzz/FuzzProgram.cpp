//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Properties.h"

#include <cstdio>
#include <cstdlib>

using namespace kexpr;
using namespace kexpr::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const Engine engine;
  Choices choices({data, size});
  const Verdict verdict = checkProgram(engine, makeProgram(choices));
  if (verdict.problem.empty())
    return 0;
  std::fprintf(stderr, "%s\n", verdict.problem.c_str());
  std::abort();
}
