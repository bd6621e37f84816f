//===- Runtime/CacheSize.h - How much the caches hold ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_CACHESIZE_H
#define KEXPR_RUNTIME_CACHESIZE_H

#include <cstdint>

namespace kexpr::runtime {

/// Bytes of the last-level cache that this machine's first core shares; a
/// common size where the system does not say. Found once.
std::int64_t lastCacheBytes();

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_CACHESIZE_H
