//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Traversal.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;
using semantics::LoopNest;
using Kind = Traversal::Kind;

namespace {
/// The nest and the traversal of an output and inputs, none of which is ever
/// read.
struct Chosen {
  explicit Chosen(const std::vector<TensorView> &views, std::size_t outputs = 1)
      : nest(views.size()), traversal(views.size()) {
    std::vector<const TensorView *> slots;
    for (const TensorView &view : views)
      slots.push_back(&view);
    nest.build(views[0].shape(), slots);
    traversal.choose(nest, outputs);
  }
  LoopNest nest;
  Traversal traversal;
};
} // namespace

static TensorView view(const Shape &shape, DType type = DType::F32) {
  static char memory[1];
  return {static_cast<void *>(memory), type, shape};
}

static TensorView view(const Shape &shape, const Shape &strides,
                       DType type = DType::F32) {
  static char memory[1];
  return {static_cast<void *>(memory), type, shape, strides};
}

TEST(Traversal, LongRowsAreRows) {
  const Shape full{8, 256, 56, 56};
  for (const Shape &shape : {full, Shape{}, Shape{256, 1, 1}, Shape{56, 56}}) {
    const Chosen call({view(full), view(full), view(shape)});
    EXPECT_EQ(call.traversal.kind(), Kind::Rows) << shape.str();
    EXPECT_FALSE(call.traversal.isPacked(2));
  }
}

TEST(Traversal, ShortRowsAreTilesOfWholeRows) {
  for (std::int64_t last : {2, 3, 7, 14, 56, 127}) {
    const Shape full{64, 100, last};
    for (const Shape &shape : {Shape{64, 100, 1}, Shape{last}}) {
      const Chosen call({view(full), view(full), view(shape)});
      const Traversal &traversal = call.traversal;
      EXPECT_EQ(traversal.kind(), Kind::Flat) << last;
      EXPECT_TRUE(traversal.isPacked(2));
      EXPECT_FALSE(traversal.isPacked(0) || traversal.isPacked(1));
      for (std::size_t slot = 0; slot < 3; ++slot)
        EXPECT_EQ(traversal.pattern(slot), AccessPattern::Contiguous);
      EXPECT_EQ(traversal.extent(1), last);
      EXPECT_LE(traversal.extent(0) * last, 4096);
    }
  }
}

TEST(Traversal, AFewShortRowsAreRows) {
  EXPECT_EQ(Chosen({view({4, 9}), view({4, 1})}).traversal.kind(), Kind::Rows);
  EXPECT_EQ(Chosen({view({400, 9}), view({400, 1})}).traversal.kind(),
            Kind::Flat);
  EXPECT_EQ(
      Chosen({view({16, 9000}), view({16, 9000}, {1, 16})}).traversal.kind(),
      Kind::Blocks);
}

TEST(Traversal, TilesKeepAnAlignedOutputAligned) {
  const Chosen call({view({1000, 3}), view({3})});
  EXPECT_EQ(call.traversal.extent(0) * 3 * 4 % 64, 0);
}

TEST(Traversal, TransposedInputsAreCopiedInBlocks) {
  const Chosen call(
      {view({4096, 4096}), view({4096, 4096}), view({4096, 4096}, {1, 4096})});
  const Traversal &traversal = call.traversal;
  EXPECT_EQ(traversal.kind(), Kind::Blocks);
  EXPECT_EQ(traversal.rowAxis(), 0u);
  EXPECT_FALSE(traversal.isPacked(0) || traversal.isPacked(1));
  EXPECT_TRUE(traversal.isPacked(2));
  EXPECT_EQ(traversal.pattern(2), AccessPattern::Contiguous);
  EXPECT_NE(traversal.pitch(2) % 128, 0);
}

TEST(Traversal, BlocksAreForAnyElementSize) {
  for (DType type : {DType::U8, DType::F16, DType::F32, DType::F64}) {
    const Chosen call(
        {view({4096, 4096}, DType::Bool), view({4096, 4096}, {1, 4096}, type)});
    EXPECT_EQ(call.traversal.kind(), Kind::Blocks);
    EXPECT_LE(call.traversal.copyBytes(1), 128 * 1024);
  }
}

TEST(Traversal, AStridedOutputIsWrittenRowByRow) {
  const Chosen call({view({64, 7}, {14, 2}), view({64, 1})});
  EXPECT_EQ(call.traversal.kind(), Kind::Rows);
  EXPECT_EQ(call.traversal.pattern(0), AccessPattern::Strided);
}

TEST(Traversal, RowsOfAPaddedOutputAreTilesWithinThem) {
  // Planes of 10 by 7 that lie apart.
  const Chosen call({view({64, 10, 7}, {100, 7, 1}), view({64, 10, 1})});
  EXPECT_EQ(call.traversal.kind(), Kind::Flat);
  EXPECT_EQ(call.traversal.extent(0), 1);
  EXPECT_EQ(call.traversal.tiles(), 64);
}

TEST(Traversal, AnInputThatIsTheOutputIsNeverCopied) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    Shape shape{1, 1, 1, 1}, strides = shape, narrow = shape;
    std::size_t order[] = {0, 1, 2, 3};
    std::shuffle(std::begin(order), std::end(order), random);
    std::int64_t step = 1 + random() % 2;
    for (std::size_t axis : order) {
      shape[axis] = 1 + random() % (random() % 4 ? 20 : 600);
      strides[axis] = step;
      step *= shape[axis] + random() % 2;
      narrow[axis] = random() % 2 ? shape[axis] : 1;
    }
    const Chosen call(
        {view(shape, strides), view(shape, strides), view(narrow)});
    EXPECT_FALSE(call.traversal.isPacked(0) || call.traversal.isPacked(1));
    EXPECT_EQ(call.traversal.pattern(0), call.traversal.pattern(1));
  }
}

/// The offsets that a walk over all tiles visits in every slot.
static std::vector<std::vector<std::ptrdiff_t>> visited(const Chosen &call,
                                                        bool seek) {
  const LoopNest &nest = call.nest;
  std::vector<void *> pointers(nest.slots());
  Cursor cursor(nest, call.traversal, nest.firsts(), pointers.data());
  std::vector<std::vector<std::ptrdiff_t>> result;
  cursor.seek(0);
  for (std::int64_t tile = 0; tile < call.traversal.tiles(); ++tile) {
    if (seek)
      cursor.seek(tile);
    auto &row = result.emplace_back();
    for (std::size_t s = 0; s < nest.slots(); ++s)
      row.push_back(static_cast<char *>(pointers[s]) -
                    static_cast<char *>(nest.first(s)));
    for (unsigned axis = 0; axis < nest.rank(); ++axis)
      row.push_back(cursor.extent(axis));
    cursor.advance();
  }
  return result;
}

TEST(Traversal, StepsAndSeeksAgreeAndCoverEverything) {
  const std::vector<std::vector<TensorView>> calls = {
      {view({100, 60, 3}), view({100, 1, 3}), view({60, 1})},
      {view({5, 700, 300}), view({5, 700, 300}, {210000, 1, 700})},
      {view({70, 70, 70}), view({70, 70, 70}, {1, 70, 4900})},
      {view({3, 4, 1000}), view({4, 1})},
  };
  for (const auto &views : calls) {
    const Chosen call(views);
    const auto steps = visited(call, false);
    EXPECT_EQ(steps, visited(call, true));
    std::int64_t elements = 0;
    std::map<std::ptrdiff_t, int> starts;
    for (const auto &tile : steps) {
      ++starts[tile[0]];
      std::int64_t size = 1;
      for (unsigned axis = 0; axis < call.nest.rank(); ++axis)
        size *= tile[call.nest.slots() + axis];
      elements += size;
    }
    EXPECT_EQ(elements, views[0].shape().elementCount());
    EXPECT_EQ(starts.size(), steps.size());
  }
}
