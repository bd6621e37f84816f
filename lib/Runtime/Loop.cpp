//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

using namespace kexpr;
using namespace kexpr::runtime;

void Loop::improve(std::unique_ptr<const Code> better) {
  std::lock_guard lock(mutex);
  all.push_back(std::move(better));
  current.store(all.back().get(), std::memory_order_release);
}

std::size_t Loop::codeSize() const {
  std::lock_guard lock(mutex);
  std::size_t bytes = 0;
  for (const auto &code : all)
    bytes += code->machine ? code->machine->size() : 0;
  return bytes;
}
