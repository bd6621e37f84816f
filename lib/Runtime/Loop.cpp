//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;

Loop::Loop(const semantics::Plan &plan, std::unique_ptr<const Code> first)
    : outputs(plan.outputs), inputs(plan.inputs) {
  improve(std::move(first));
}

Loop::~Loop() {
  for (Kept *kept = all; kept;)
    delete std::exchange(kept, kept->next);
}

void Loop::improve(std::unique_ptr<const Code> better) {
  const Code *code = better.get();
  push(all, new Kept{std::move(better)});
  current.store(code, std::memory_order_release);
}

std::size_t Loop::codeSize() const {
  std::size_t bytes = 0;
  for (const Kept *kept = all; kept; kept = kept->next)
    bytes += kept->code->machine ? kept->code->machine->size() : 0;
  return bytes;
}
