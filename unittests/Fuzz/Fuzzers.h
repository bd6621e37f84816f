//===- Fuzz/Fuzzers.h - Properties of any bytes -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_FUZZERS_H
#define KEXPR_UNITTESTS_FUZZ_FUZZERS_H

#include "Fuzz/Verdict.h"

#include <span>
#include <string_view>

namespace kexpr::fuzz {

/// A way into kexpr: what must hold for any bytes, be it that they are a file
/// or that they decide what is made. The name is that of the libFuzzer program,
/// behind `kexpr-fuzz-`, and of the folder of seeds in `corpus`.
struct Fuzzer {
  std::string_view name;
  Verdict (*check)(std::string_view bytes);
};

Verdict checkTextBytes(std::string_view bytes);
Verdict checkInfixBytes(std::string_view bytes);
Verdict checkProgramBytes(std::string_view bytes);
Verdict checkModelBytes(std::string_view bytes);
Verdict checkGraphBytes(std::string_view bytes);
Verdict checkCallsBytes(std::string_view bytes);
Verdict checkEntryBytes(std::string_view bytes);
Verdict checkSumBytes(std::string_view bytes);
/// Of builds with tools.
Verdict checkNpyBytes(std::string_view bytes);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_FUZZERS_H
