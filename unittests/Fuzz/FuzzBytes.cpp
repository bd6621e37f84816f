//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libFuzzer program; KEXPR_FUZZ_CHECK is its property.
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Fuzzers.h"
#include "Fuzz/Tally.h"

#include <cstdint>

using namespace kexpr::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static Tally tally;
  tally.add(KEXPR_FUZZ_CHECK({reinterpret_cast<const char *>(data), size}));
  return 0;
}
