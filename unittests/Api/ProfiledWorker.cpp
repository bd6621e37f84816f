//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program to be profiled and debugged: it compiles an expression of three
/// operands and stays in its kernel for a while, or until it is killed for
/// reading memory that is not there.
///
///     ProfiledWorker EXPRESSION spin|fault
///
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace kexpr;

static constexpr std::int64_t Count = 4096;

/// Memory for operands; nobody may touch it if `isMissing`.
static float *operands(bool isMissing) {
  void *memory = mmap(nullptr, Count * sizeof(float),
                      isMissing ? PROT_NONE : PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<float *>(memory);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const bool isMissing = std::strcmp(argv[2], "fault") == 0;
  const Engine engine;
  const auto kernel = engine.compile(argv[1]);
  const float *data = operands(isMissing);
  if (!kernel || !data || !engine.listenerStatus())
    return 1;
  const TensorView operand(data, {Count});
  std::vector<float> out(Count);
  // Printed by itself: perf makes files of the name.
  std::printf("%d\n", static_cast<int>(getpid()));
  std::fflush(stdout);
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 6;
  while (std::clock() < end)
    for (int i = 0; i < 100; ++i)
      if (!kernel->run({operand, operand, operand},
                       TensorView(out.data(), {Count}), {.maxThreads = 1}))
        return 1;
  return 0;
}
