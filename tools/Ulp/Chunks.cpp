//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Chunks.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

std::optional<Chunks::Chunk> Chunks::take() {
  const std::uint64_t first = next.fetch_add(size);
  if (first >= count)
    return std::nullopt;
  return Chunk{first, static_cast<std::size_t>(
                          std::min<std::uint64_t>(size, count - first))};
}

Status Chunks::run(unsigned threads,
                   const std::function<void(double)> &progress,
                   const std::function<Status()> &work) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(
      std::min<std::uint64_t>(threads, (count + size - 1) / size));
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = threads;
  Status result;
  auto body = [&] {
    Status status = work();
    const std::lock_guard lock(mutex);
    if (!status)
      next = count;
    if (result)
      result = std::move(status);
    --running;
    ended.notify_one();
  };
  std::vector<std::thread> team;
  for (unsigned i = 0; i < threads; ++i)
    team.emplace_back(body);
  {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(200),
                           [&] { return running == 0; }))
      if (progress)
        progress(static_cast<double>(done) / static_cast<double>(count));
  }
  for (std::thread &thread : team)
    thread.join();
  return result;
}
