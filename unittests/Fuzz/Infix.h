//===- Fuzz/Infix.h - Texts in Python's notation ----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_INFIX_H
#define KEXPR_UNITTESTS_FUZZ_INFIX_H

#include "Fuzz/Choices.h"
#include "Fuzz/Verdict.h"
#include "kexpr/Engine.h"

#include <string>

namespace kexpr::fuzz {

/// A text of words and marks of infix text, mostly in an order that it has.
std::string makeInfixText(Choices &choices);

/// Any text is read and lowered for operands of any types, or refused with an
/// error that points into it. What was lowered by NumPy's rules has no types
/// left that an operator refuses; what compiles runs, or says why not.
Verdict checkInfix(const Engine &engine, const std::string &text,
                   Choices &choices);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_INFIX_H
