//===- Ulp/Chunks.h - Shares a walk among threads -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_CHUNKS_H
#define KEXPR_TOOLS_ULP_CHUNKS_H

#include "kexpr/Error.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace kexpr::tools {

/// Consecutive pieces of `count` things, taken by whichever thread is free.
class Chunks {
public:
  struct Chunk {
    std::uint64_t first;
    std::size_t count;
  };

  Chunks(std::uint64_t count, std::size_t size) : count(count), size(size) {}

  /// The next one; nothing when all are taken. For any thread.
  std::optional<Chunk> take();
  /// Says that a chunk is done. For any thread.
  void finish(const Chunk &chunk) { done += chunk.count; }

  /// Runs `work`, which is to take chunks until none is left, on so many
  /// threads (0: all the machine has), and tells `progress`, if it is not null,
  /// which part is done. Gives the first error; the others then find no chunk.
  Status run(unsigned threads, const std::function<void(double)> &progress,
             const std::function<Status()> &work);

private:
  const std::uint64_t count;
  const std::size_t size;
  std::atomic<std::uint64_t> next = 0, done = 0;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_CHUNKS_H
