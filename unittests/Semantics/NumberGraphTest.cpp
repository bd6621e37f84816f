//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/NumberGraph.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::semantics;

static Shapes shapesOf(const std::vector<Shape> &shapes) {
  return {&shapes, shapes.size(),
          [](const void *all, std::size_t operand) -> const Shape & {
            return (*static_cast<const std::vector<Shape> *>(all))[operand];
          }};
}

/// size(@0,0) with so many calls upon it, each of the one before and itself.
static NumberId doubled(NumberGraph &graph, int times) {
  const NumberId axis = *graph.add({.number = {.integer = 0}});
  NumberId last =
      *graph.add({.kind = NumberNode::Kind::Size, .args = {axis}, .arity = 1});
  for (int i = 0; i < times; ++i)
    last = *graph.add({.kind = NumberNode::Kind::Call,
                       .op = *ops::find("add"),
                       .args = {last, last},
                       .arity = 2});
  return last;
}

TEST(NumberGraph, ValuesAreWrittenInTheOrderAskedFor) {
  for (const int times : {1, 50}) {
    NumberGraph graph;
    const NumberId top = doubled(graph, times);
    const NumberId needed[] = {top, 0, 1, top};
    Number values[4];
    ASSERT_TRUE(graph.evaluate(needed, shapesOf({Shape{3}}), values));
    EXPECT_EQ(values[0].integer, std::int64_t{3} << times);
    EXPECT_EQ(values[1].integer, 0);
    EXPECT_EQ(values[2].integer, 3);
    EXPECT_EQ(values[3].integer, std::int64_t{3} << times);
  }
}

TEST(NumberGraph, WhatHasNoValueIsSaid) {
  NumberGraph graph;
  const NumberId top = doubled(graph, 1);
  Number value;
  const auto status =
      graph.evaluate({&top, 1}, shapesOf({Shape{}}), {&value, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::ShapeMismatch);
  EXPECT_EQ(status.error().message(), "operand @0 of shape [] has no axis 0");
}
