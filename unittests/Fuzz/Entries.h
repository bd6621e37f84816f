//===- Fuzz/Entries.h - Entries of a cache on disk --------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_ENTRIES_H
#define KEXPR_UNITTESTS_FUZZ_ENTRIES_H

#include "Fuzz/Choices.h"
#include "Fuzz/Verdict.h"

namespace kexpr::fuzz {

/// An entry is read as it was written; damaged it is none; and where the
/// checksum is right again it is none, or what it says.
Verdict checkEntry(Choices &choices);

/// A kernel computes the same although its entry was damaged, and an engine
/// takes the entry only where it was not.
Verdict checkSpoiltEntry(Choices &choices);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_ENTRIES_H
