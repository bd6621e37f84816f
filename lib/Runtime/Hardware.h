//===- Runtime/Hardware.h - Caches, threads and cores ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_HARDWARE_H
#define KEXPR_RUNTIME_HARDWARE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace kexpr::runtime {

// Each is read from the system once.

/// Bytes of the last-level cache that this machine's first core shares; a
/// common size where the system does not say.
std::int64_t lastCacheBytes();

/// Hardware threads that this process may use; at least 1.
unsigned threadCount();
/// Threads at most of a call that says none itself: what KEXPR_NUM_THREADS
/// says, else OMP_NUM_THREADS, else the least quota of the control groups that
/// this process is in, rounded up; the largest number without any. Read once.
unsigned threadLimit();
/// The same of these texts: values of the two variables, or null, and a quota
/// and a period in microseconds ("150000 100000", "max 100000").
unsigned threadLimit(const char *own, const char *openMp,
                     std::string_view quota);
/// The quota of a control group or of one that it is in, whichever is for the
/// fewest threads. A group is a path such as "/a/b", the root is empty, and
/// `quotaOf` may say nothing.
std::string tightestQuota(std::string group,
                          std::string (*quotaOf)(std::string_view));
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
