//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Broadcast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace kexpr;
using namespace kexpr::semantics;

static std::string broadcast(const std::vector<Shape> &shapes) {
  std::vector<TensorView> views;
  std::vector<std::uint32_t> used;
  for (const Shape &shape : shapes) {
    used.push_back(static_cast<std::uint32_t>(views.size()));
    views.emplace_back(static_cast<void *>(nullptr), DType::F32, shape);
  }
  auto shape = broadcastShape({views.data(), views.size()}, used);
  return shape ? shape->str() : shape.error().message();
}

TEST(Broadcast, FollowsPyTorch) {
  EXPECT_EQ(broadcast({}), "[]");
  EXPECT_EQ(broadcast({{}, {3}}), "[3]");
  EXPECT_EQ(broadcast({{8, 256, 56, 56}, {256, 1, 1}}), "[8,256,56,56]");
  EXPECT_EQ(broadcast({{14, 8, 5, 9, 10}, {5, 9, 10}}), "[14,8,5,9,10]");
  EXPECT_EQ(broadcast({{1, 3, 1, 5}, {2, 1, 4, 1}, {4, 5}}), "[2,3,4,5]");
  EXPECT_EQ(broadcast({{0, 3}, {1, 3}}), "[0,3]");
  EXPECT_EQ(broadcast({{2, 0}, {1}}), "[2,0]");
  EXPECT_EQ(broadcast({{5, 1}, {1, 7}}), "[5,7]");
}

TEST(Broadcast, ErrorsNameShapesAndAxis) {
  EXPECT_EQ(broadcast({{2, 3, 4}, {5, 4}}),
            "operand @1 of shape [5,4] does not broadcast with [2,3,4]: axis "
            "-2 is 5 here and 3 there");
  EXPECT_NE(broadcast({{0, 3}, {2, 3}}).find("axis -2 is 2 here and 0 there"),
            std::string::npos);
}

static std::string maskOf(std::vector<std::int64_t> axes, std::size_t rank) {
  auto mask = axisMask({std::move(axes), false}, rank);
  return mask ? std::to_string(*mask) : mask.error().message();
}

TEST(Broadcast, AxesOfAReductionCountFromBothEnds) {
  EXPECT_EQ(maskOf({}, 3), "7");
  EXPECT_EQ(maskOf({}, 0), "0");
  EXPECT_EQ(maskOf({0, -1}, 3), "5");
  EXPECT_EQ(maskOf({15}, 16), "32768");
  EXPECT_EQ(maskOf({-16, 15}, 16), "32769");
  // As in PyTorch, a scalar has one.
  EXPECT_EQ(maskOf({0}, 0), "0");
  EXPECT_EQ(maskOf({-1}, 0), "0");
  EXPECT_EQ(maskOf({1}, 0), "axis 1 of a tensor of 0 axes");
  EXPECT_EQ(maskOf({0, -1}, 0), "axis -1 of a tensor of 0 axes appears twice");
  EXPECT_EQ(maskOf({3}, 3), "axis 3 of a tensor of 3 axes");
  EXPECT_EQ(maskOf({-4}, 3), "axis -4 of a tensor of 3 axes");
  EXPECT_EQ(maskOf({0, -2}, 2), "axis -2 of a tensor of 2 axes appears twice");
}

TEST(Broadcast, ReducedAxesGoOrStay) {
  EXPECT_EQ(reducedShape({2, 3, 4}, 0b101, false), (Shape{3}));
  EXPECT_EQ(reducedShape({2, 3, 4}, 0b101, true), (Shape{1, 3, 1}));
  EXPECT_EQ(reducedShape({2, 0, 4}, 0b010, false), (Shape{2, 4}));
  EXPECT_EQ(reducedShape({2, 0, 4}, 0b001, true), (Shape{1, 0, 4}));
  EXPECT_EQ(reducedShape({}, 0, false), Shape());
}

namespace {
/// A view of random layout: axes permuted, padded or broadcast.
struct RandomView {
  TensorView view;
  RandomView(std::mt19937 &random, const Shape &shape, bool isOutput,
             std::vector<float> &memory) {
    Shape own = shape, strides = shape;
    std::vector<std::size_t> order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    if (random() % 2)
      std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = 1 + random() % 2;
    for (std::size_t axis : order) {
      if (!isOutput && random() % 3 == 0)
        own[axis] = 1;
      strides[axis] = !isOutput && random() % 5 == 0 ? 0
                      : random() % 4 == 0            ? -step
                                                     : step;
      step *= shape[axis] + random() % 2;
    }
    view = TensorView(static_cast<void *>(memory.data()), DType::F32, own,
                      strides);
  }
};
} // namespace

/// Element offsets of every slot for one index, the plain way.
static std::vector<std::int64_t>
naive(const Shape &shape, std::vector<TensorView> &views, std::int64_t index) {
  std::vector<std::int64_t> offsets(views.size());
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const std::int64_t position = index % shape[axis];
    index /= shape[axis];
    for (std::size_t s = 0; s < views.size(); ++s)
      if (views[s].shape()[axis] != 1)
        offsets[s] += position * views[s].strides()[axis];
  }
  return offsets;
}

/// The same by the nest's own axes.
static std::vector<std::int64_t> walked(const LoopNest &nest,
                                        const std::vector<TensorView> &views,
                                        std::int64_t index) {
  std::vector<std::int64_t> offsets(nest.slots());
  for (std::size_t s = 0; s < nest.slots(); ++s)
    offsets[s] = (static_cast<const char *>(nest.first(s)) -
                  static_cast<const char *>(views[s].data())) /
                 nest.size(s);
  for (unsigned axis = nest.rank(); axis-- > 0;) {
    const std::int64_t position = index % nest.extent(axis);
    index /= nest.extent(axis);
    for (std::size_t s = 0; s < nest.slots(); ++s)
      offsets[s] += position * nest.stride(s, axis) / nest.size(s);
  }
  return offsets;
}

TEST(LoopNest, VisitsWhatTheNaiveLoopVisits) {
  std::mt19937 random(7);
  std::vector<float> memory(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t rank = random() % 6;
    std::int64_t extents[6];
    for (auto &extent : extents)
      extent = 1 + random() % 4;
    const Shape shape(extents, rank);
    std::vector<TensorView> views;
    std::vector<const TensorView *> slots;
    for (int s = 0; s < 3; ++s)
      views.push_back(RandomView(random, shape, s == 0, memory).view);
    for (const TensorView &view : views)
      slots.push_back(&view);

    LoopNest nest(views.size());
    nest.build(shape, slots);
    std::int64_t elements = 1;
    for (unsigned axis = 0; axis < nest.rank(); ++axis)
      elements *= nest.extent(axis);
    ASSERT_EQ(elements, shape.elementCount());
    std::vector<std::vector<std::int64_t>> expected, visited;
    for (std::int64_t i = 0; i < shape.elementCount(); ++i)
      expected.push_back(naive(shape, views, i));
    for (std::int64_t i = 0; i < shape.elementCount(); ++i)
      visited.push_back(walked(nest, views, i));
    std::sort(expected.begin(), expected.end());
    std::sort(visited.begin(), visited.end());
    EXPECT_EQ(visited, expected) << shape.str();
  }
}

TEST(LoopNest, TensorsThatAreAllBackwardsAreWalkedForwards) {
  float memory[8 * 56];
  const TensorView view(static_cast<void *>(memory + 8 * 56 - 1), DType::F32,
                        {8, 56}, {-56, -1});
  const TensorView *slots[] = {&view, &view};
  LoopNest nest(2);
  nest.build(view.shape(), slots);
  EXPECT_EQ(nest.rank(), 1u);
  EXPECT_EQ(nest.pattern(0), AccessPattern::Contiguous);
  EXPECT_EQ(nest.pattern(1), AccessPattern::Contiguous);
  EXPECT_EQ(nest.first(0), memory);
  // Of other memory, and of none.
  void *others[] = {memory + 8 * 56 - 1, nullptr};
  nest.moveToFirsts(others);
  EXPECT_EQ(others[0], memory);
  EXPECT_EQ(others[1], nullptr);
}

TEST(LoopNest, EqualContiguousShapesAreOneLoop) {
  float memory[1];
  TensorView view(memory, {8, 256, 56, 56});
  const TensorView *slots[] = {&view, &view};
  LoopNest nest(2);
  nest.build(view.shape(), slots);
  EXPECT_EQ(nest.rank(), 1u);
  EXPECT_EQ(nest.inner(), 8 * 256 * 56 * 56);
  EXPECT_EQ(nest.pattern(0), AccessPattern::Contiguous);
}

TEST(LoopNest, AChannelBiasIsConstantAlongTheInnerLoop) {
  float memory[1];
  TensorView out(memory, {8, 256, 56, 56}), bias(memory, {256, 1, 1});
  const TensorView *slots[] = {&out, &bias};
  LoopNest nest(2);
  nest.build(out.shape(), slots);
  EXPECT_EQ(nest.rank(), 3u);
  EXPECT_EQ(nest.inner(), 56 * 56);
  EXPECT_EQ(nest.pattern(1), AccessPattern::Constant);
}

TEST(LoopNest, TheOutputIsWrittenInMemoryOrder) {
  float memory[1];
  TensorView out(static_cast<void *>(memory), DType::F32, {4, 8}, {1, 4});
  TensorView in(memory, {4, 8});
  const TensorView *slots[] = {&out, &in};
  LoopNest nest(2);
  nest.build(out.shape(), slots);
  EXPECT_EQ(nest.inner(), 4);
  EXPECT_EQ(nest.pattern(0), AccessPattern::Contiguous);
  EXPECT_EQ(nest.pattern(1), AccessPattern::Strided);
}
