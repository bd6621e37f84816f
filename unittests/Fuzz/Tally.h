//===- Fuzz/Tally.h - The verdicts of a libFuzzer run -----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_TALLY_H
#define KEXPR_UNITTESTS_FUZZ_TALLY_H

#include "Fuzz/Verdict.h"

#include <cstdio>
#include <cstdlib>

namespace kexpr::fuzz {

/// Counts inputs; a static one prints at the end of the process how many were
/// valid. The first problem ends the process, as libFuzzer wants it.
class Tally {
public:
  ~Tally() {
    std::fprintf(stderr, "%llu of %llu inputs were valid\n", valid, inputs);
  }

  void add(const Verdict &verdict) {
    ++inputs;
    valid += verdict.valid;
    if (verdict.problem.empty())
      return;
    std::fprintf(stderr, "%s\n", verdict.problem.c_str());
    std::abort();
  }

private:
  unsigned long long inputs = 0;
  unsigned long long valid = 0;
};

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_TALLY_H
