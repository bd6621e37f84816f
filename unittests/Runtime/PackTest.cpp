//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Pack.h"

#include "TestUtil/GuardedBytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace kexpr::runtime;
using kexpr::test::GuardedBytes;

namespace {
/// A box of random axes over memory in which every byte differs from its
/// neighbours, and which ends where the box does.
struct RandomBox {
  RandomBox(std::mt19937 &random, std::int64_t size,
            std::vector<std::int64_t> counts);

  std::string str() const {
    std::string text = std::to_string(size) + " bytes:";
    for (const PackAxis &axis : axes)
      text += " " + std::to_string(axis.count) + "@" +
              std::to_string(axis.from) + ">" + std::to_string(axis.to);
    return text;
  }

  std::int64_t size;
  std::vector<PackAxis> axes;
  std::int64_t bytes = 0; ///< Of the copy, with the gaps in it.
  std::vector<GuardedBytes> memory;
};
} // namespace

RandomBox::RandomBox(std::mt19937 &random, std::int64_t size,
                     std::vector<std::int64_t> counts)
    : size(size), axes(counts.size()) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  if (random() % 3)
    std::shuffle(order.begin(), order.end(), random);
  std::int64_t step = size, extent = size;
  for (std::size_t axis : order) {
    axes[axis].count = counts[axis];
    axes[axis].from = random() % 4 == 0 ? 0 : step;
    extent += (counts[axis] - 1) * axes[axis].from;
    step = (step * counts[axis]) + (random() % 4 == 0 ? size * 3 : 0);
  }
  bytes = size;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    axes[axis].to = bytes;
    bytes *= counts[axis];
    if (axis + 1 == axes.size() && random() % 4 == 0)
      bytes += 64; // a pitch
  }
  memory.emplace_back(extent, random() % 2 ? GuardedBytes::Edge::Begin
                                           : GuardedBytes::Edge::End);
  for (std::int64_t i = 0; i < extent; ++i)
    memory[0].data()[i] = static_cast<char>(i * 37 + i / 256);
}

/// Calls `visit(offset in the operand, offset in the copy)` for each element.
template <class F>
static void forEach(const RandomBox &box, std::size_t axis, std::int64_t from,
                    std::int64_t to, F visit) {
  if (axis == box.axes.size())
    return visit(from, to);
  for (std::int64_t i = 0; i < box.axes[axis].count; ++i)
    forEach(box, axis + 1, from + i * box.axes[axis].from,
            to + i * box.axes[axis].to, visit);
}

static void expectPacked(const RandomBox &box, std::int64_t ahead) {
  // The last byte that `pack` may write is followed by a page that faults.
  const GuardedBytes copy(box.bytes + PackSlack, GuardedBytes::Edge::End);
  pack({box.axes, box.size, box.memory[0].data(), copy.data(), ahead});
  forEach(box, 0, 0, 0, [&](std::int64_t from, std::int64_t to) {
    EXPECT_EQ(std::memcmp(box.memory[0].data() + from, copy.data() + to,
                          static_cast<std::size_t>(box.size)),
              0)
        << "from " << from << " to " << to;
  });
}

class Pack : public testing::TestWithParam<std::int64_t> {};

TEST_P(Pack, CopiesAnyBox) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::int64_t> counts(random() % 5);
    for (std::int64_t &count : counts)
      count = 1 + random() % (counts.size() > 2 ? 7 : 40);
    const RandomBox box(random, GetParam(), counts);
    SCOPED_TRACE(box.str());
    expectPacked(box, 0);
    if (HasFailure())
      return;
  }
}

TEST_P(Pack, CopiesRowsOfEveryLength) {
  std::mt19937 random(6);
  for (std::int64_t length = 1; length <= 300; ++length)
    for (int round = 0; round < 12; ++round) {
      const std::int64_t planes = 1 + random() % 2, rows = 1 + random() % 9;
      const RandomBox box(random, GetParam(), {planes, rows, length});
      SCOPED_TRACE(box.str());
      expectPacked(box, 0);
      if (HasFailure())
        return;
    }
}

TEST_P(Pack, FetchesFromAnyAddress) {
  const std::int64_t size = GetParam();
  std::mt19937 random(7);
  RandomBox box(random, size, {20, 33});
  box.axes = {{20, size, 33 * size}, {33, 20 * size, size}};
  box.bytes = 20 * 33 * size;
  box.memory.clear();
  box.memory.emplace_back(box.bytes, GuardedBytes::Edge::End);
  for (std::int64_t ahead : {std::int64_t{1} << 40, -(std::int64_t{1} << 40)})
    expectPacked(box, ahead);
}

TEST_P(Pack, TakesAsManyAxesAsAShapeHas) {
  std::mt19937 random(8);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> counts(16, 1);
    for (int i = 0; i < 8; ++i)
      counts[random() % 16] = 2;
    const RandomBox box(random, GetParam(), counts);
    SCOPED_TRACE(box.str());
    expectPacked(box, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Pack, testing::Values(1, 2, 4, 8));
