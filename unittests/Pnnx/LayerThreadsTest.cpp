//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers on threads that are the host's own.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerThreads.h"

#include <filesystem>
#include <thread>

using namespace kexpr;

TEST_F(LayerThreads, OfTheHost) {
  std::vector<std::thread> threads;
  for (int caller = 0; caller < Callers; ++caller)
    threads.emplace_back(
        [this, caller] { EXPECT_TRUE(forward(caller, caller % 2)); });
  for (std::thread &thread : threads)
    thread.join();
  verify();
}

#ifdef _OPENMP
TEST_F(LayerThreads, OfOpenMp) {
  for (unsigned threads : {0u, 1u}) {
#pragma omp parallel for num_threads(4)
    for (int caller = 0; caller < Callers; ++caller)
      EXPECT_TRUE(forward(caller, threads));
    verify();
  }
}
#endif

TEST_F(LayerThreads, ASerialCallStartsNone) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  for (int caller = 0; caller < Callers; ++caller)
    EXPECT_TRUE(forward(caller, 1));
  EXPECT_LE(threads(), before);
  verify();
}
