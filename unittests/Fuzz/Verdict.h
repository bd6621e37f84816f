//===- Fuzz/Verdict.h - What became of an input -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_VERDICT_H
#define KEXPR_UNITTESTS_FUZZ_VERDICT_H

#include <string>

namespace kexpr::fuzz {

/// What became of one input.
struct Verdict {
  bool valid = false;  ///< It was taken and computed.
  std::string problem; ///< Empty if all is well.
};

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_VERDICT_H
