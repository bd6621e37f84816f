//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Pool.h"

using namespace kexpr;
using namespace kexpr::tools;

/// Numbers between 0.1 and 2 by a multiplicative hash of the index; faster
/// than memory, which a generator with a state is not.
static void fill(float *values, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t hash =
        (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9;
    values[i] = 0.1f + static_cast<float>(hash >> 40) * (1.9f * 0x1p-24f);
  }
}

Expected<float *> Pool::reserve(Slots &slots, std::size_t index,
                                std::int64_t count, std::uint64_t seed) {
  if (slots.size() <= index)
    slots.resize(index + 1);
  auto &slot = slots[index];
  if (!slot || slot->count() < count) {
    slot.reset();
    auto array = Array::make(DType::F32, {count});
    if (!array)
      return array.error();
    slot = std::move(*array);
    fill(static_cast<float *>(slot->data()), count, seed);
  }
  return static_cast<float *>(slot->data());
}

Expected<const float *> Pool::input(std::size_t index, std::int64_t count) {
  auto memory = reserve(inputs, index, count, index << 40);
  if (!memory)
    return memory.error();
  return static_cast<const float *>(*memory);
}

Expected<float *> Pool::output(std::size_t index, std::int64_t count) {
  return reserve(outputs, index, count, 0);
}
