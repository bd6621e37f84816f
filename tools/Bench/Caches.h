//===- Bench/Caches.h - How much lies how near ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_CACHES_H
#define KEXPR_TOOLS_BENCH_CACHES_H

#include <cstdint>
#include <string>
#include <vector>

namespace kexpr::tools {

struct Cache {
  std::string name; ///< L1, L2, L3
  std::int64_t bytes = 0;
  /// Whether hardware threads beyond those of one core share it.
  bool isShared = false;
  /// What `threads` threads on cores of their own have of it together.
  std::int64_t room(unsigned threads) const {
    return isShared ? bytes : bytes * threads;
  }
};

/// The data caches of the first core as the system tells them, nearest first;
/// typical ones of 32 KiB, 1 MiB and 32 MiB if it does not.
const std::vector<Cache> &dataCaches();

/// The index of the nearest cache that holds so many bytes, used in equal parts
/// by `threads` threads; the number of caches for memory.
std::size_t levelOf(std::int64_t bytes, unsigned threads);

/// Its name; DRAM behind the last.
std::string levelName(std::size_t level);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_CACHES_H
