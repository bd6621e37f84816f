//===- Fuzz/Calls.h - Sequences of calls of the C API -----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_CALLS_H
#define KEXPR_UNITTESTS_FUZZ_CALLS_H

#include "Fuzz/Choices.h"
#include "Fuzz/Verdict.h"

namespace kexpr::fuzz {

/// Makes, uses and frees objects of the C API in any order, with null pointers,
/// tensors and options that may be anything a C program can hold. Every call
/// gives KEXPR_OK or an error, and every layer that was made is destroyed once.
Verdict makeCalls(Choices &choices);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_CALLS_H
