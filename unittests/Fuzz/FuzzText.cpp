//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Tally.h"

using namespace kexpr;
using namespace kexpr::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const Engine engine;
  static Tally tally;
  const std::string text(reinterpret_cast<const char *>(data), size);
  tally.add(checkText(engine, text));
  return 0;
}
