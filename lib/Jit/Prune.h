//===- Jit/Prune.h - A bound on a cache directory -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_JIT_PRUNE_H
#define KEXPR_JIT_PRUNE_H

#include <cstdint>
#include <string>

namespace kexpr::jit {

/// Removes the files of a cache directory (those whose names start with
/// `llvmcache-`) that were used least recently, until the others take at most
/// `bytes`, and those not used for a week. Looks again only minutes after the
/// last time, whichever process that was, unless `isDue`. What cannot be read
/// or removed is left.
void prune(const std::string &directory, std::uint64_t bytes, bool isDue);

} // namespace kexpr::jit

#endif // KEXPR_JIT_PRUNE_H
