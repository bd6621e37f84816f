//===- Runtime/Hardware.h - Caches, threads and cores ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_HARDWARE_H
#define KEXPR_RUNTIME_HARDWARE_H

#include <cstdint>

namespace kexpr::runtime {

// Each is read from the system once.

/// Bytes of the last-level cache that this machine's first core shares; a
/// common size where the system does not say.
std::int64_t lastCacheBytes();

/// Hardware threads that this process may use; at least 1.
unsigned threadCount();
/// Cores, however many threads each runs; at least 1.
unsigned coreCount();

/// Orders streamed stores of x86 before what other threads see next.
inline void finishStreaming() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_HARDWARE_H
