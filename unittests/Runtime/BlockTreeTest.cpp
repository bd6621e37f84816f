//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/BlockTree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace kexpr;
using runtime::BlockTree;

namespace {

/// States of blocks, in runs of so many, and the tree that they become.
class BlockTrees : public testing::TestWithParam<const char *> {
protected:
  using Bytes = std::vector<std::byte>;

  void check(const ops::ReductionLoops &loops) {
    const std::size_t size = sizeOf(loops.element);
    std::mt19937 generator(5);
    for (std::size_t blocks = 1; blocks < 200; blocks += 1 + blocks / 8) {
      SCOPED_TRACE(blocks);
      std::vector<Bytes> states(blocks, Bytes(loops.parts * size));
      for (Bytes &state : states)
        randomise(loops, state, generator);
      const Bytes singly = rootOf(loops, states, [] { return 1u; });
      EXPECT_EQ(rootOf(loops, states, [] { return 32u; }), singly);
      EXPECT_EQ(
          rootOf(loops, states, [&] { return 1 + unsigned(generator()) % 32; }),
          singly);
    }
  }

private:
  /// Two elements each, so that sums have something to lose.
  static void randomise(const ops::ReductionLoops &loops, Bytes &state,
                        std::mt19937 &generator) {
    loops.reset(1, state.data(), 1, 0, 0);
    for (int i = 0; i < 2; ++i) {
      std::uint64_t bits = 0;
      if (loops.element == DType::F64)
        bits = std::bit_cast<std::uint64_t>(
            std::ldexp(double(generator()) - 0x1p31, int(generator() % 40)));
      else if (loops.element == DType::F32)
        bits = std::bit_cast<std::uint32_t>(float(generator()) - 0x1p31f);
      else
        bits = generator();
      loops.across(1, &bits, state.data(), 1);
    }
  }

  template <class F>
  static Bytes rootOf(const ops::ReductionLoops &loops,
                      const std::vector<Bytes> &states, F runLength) {
    const std::size_t size = sizeOf(loops.element);
    std::vector<std::uint64_t> memory(
        BlockTree::bytesFor(loops, 1, std::ssize(states)) / 8),
        lanes(loops.parts * ops::ReductionLanes);
    auto *run = reinterpret_cast<std::byte *>(lanes.data());
    BlockTree tree;
    tree.open(loops, 1, reinterpret_cast<std::byte *>(memory.data()));
    for (std::size_t first = 0; first < states.size();) {
      const auto count =
          std::min<std::size_t>(runLength(), states.size() - first);
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t part = 0; part < loops.parts; ++part)
          std::memcpy(run + (part * ops::ReductionLanes + k) * size,
                      states[first + k].data() + part * size, size);
      tree.pushRun(run, count);
      first += count;
    }
    const std::byte *root = tree.finish();
    return {root, root + loops.parts * size};
  }
};

} // namespace

TEST_P(BlockTrees, OfRunsAreThoseOfSingleBlocks) {
  const auto reduction = ops::findReduction(GetParam());
  ASSERT_TRUE(reduction);
  for (DType type : {DType::F32, DType::F64, DType::I64, DType::I32, DType::I16,
                     DType::U8}) {
    SCOPED_TRACE(nameOf(type));
    if (const auto &loops = ops::loopsOf(*reduction, type); loops.combine)
      check(loops);
  }
}

INSTANTIATE_TEST_SUITE_P(Reductions, BlockTrees,
                         testing::Values("sum", "prod", "amax", "amin"));
