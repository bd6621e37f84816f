//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of a host, cut by `makeRegions`. What merges in networks of PNNX is in
// GraphRegionsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "kexpr/Regions.h"

#include <gtest/gtest.h>

using namespace kexpr;

using Values = std::vector<std::uint32_t>;

static RegionUnit formula(Values inputs, std::uint32_t output,
                          unsigned operations = 20) {
  RegionUnit unit;
  unit.inputs = std::move(inputs);
  unit.outputs = {output};
  unit.isFormula = true;
  unit.operations = operations;
  return unit;
}

static RegionUnit layer(Values inputs, Values outputs) {
  RegionUnit unit;
  unit.inputs = std::move(inputs);
  unit.outputs = std::move(outputs);
  return unit;
}

static std::vector<Values> unitsOf(const RegionGraph &graph) {
  const auto regions = makeRegions(graph);
  EXPECT_TRUE(regions) << regions.error().message();
  std::vector<Values> units;
  if (regions)
    for (const Region &region : *regions)
      units.push_back(region.units);
  return units;
}

TEST(RegionsTest, FormulasOfOneShapeAreOneRegion) {
  RegionGraph graph;
  graph.shapes = {{4, 8}, {4, 8}, {4, 8}, {4, 8}};
  graph.units = {formula({0}, 1), formula({1}, 2), formula({1, 2}, 3)};
  graph.outputs = {3};
  const auto regions = makeRegions(graph);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->size(), 1u);
  EXPECT_EQ((*regions)[0].outputs, Values{3});
  EXPECT_EQ(makeRegions(graph, false)->size(), 3u);
}

TEST(RegionsTest, NoPathLeavesARegionAndComesBack) {
  RegionGraph graph;
  graph.shapes.assign(4, {4, 8});
  graph.units = {formula({0}, 1), layer({1}, {2}), formula({1, 2}, 3)};
  graph.outputs = {3};
  EXPECT_EQ(unitsOf(graph), (std::vector<Values>{{0}, {1}, {2}}));
}

TEST(RegionsTest, RowsJoinWhatTheyAreOf) {
  RegionGraph graph;
  graph.shapes = {{4, 8}, {4, 8}, {4, 1}, {4, 8}};
  graph.units = {formula({0}, 1), formula({1}, 2), formula({1, 2}, 3)};
  graph.units[1].rows = RegionRows{{4, 8}, 2};
  graph.outputs = {3};
  EXPECT_EQ(unitsOf(graph), (std::vector<Values>{{0, 1, 2}}));
}

TEST(RegionsTest, GroupsOfChannelsJoinTheirElementsAlone) {
  const auto regions = [](std::int64_t groups, std::int64_t others) {
    RegionGraph graph;
    graph.shapes.assign(5, {2, 6, 5});
    graph.units = {formula({0}, 1), formula({1}, 2), formula({2}, 3),
                   formula({3}, 4)};
    graph.units[1].rows = RegionRows{{2, 6, 5}, 12, groups};
    graph.units[3].rows = RegionRows{{2, 6, 5}, 12, others};
    graph.outputs = {4};
    return unitsOf(graph);
  };
  EXPECT_EQ(regions(3, 3), (std::vector<Values>{{0, 1, 2, 3}}));
  EXPECT_EQ(regions(3, 2), (std::vector<Values>{{0, 1, 2}, {3}}));
  EXPECT_EQ(regions(3, 0), (std::vector<Values>{{0, 1, 2}, {3}}));
  // No tensor has the rows of groups, whatever its shape.
  RegionGraph graph;
  graph.shapes = {{2, 6, 5}, {2, 6, 1}, {2, 6, 5}};
  graph.units = {formula({0}, 1), formula({0, 1}, 2)};
  graph.units[1].rows = RegionRows{{2, 6, 5}, 4, 3};
  graph.outputs = {2};
  EXPECT_EQ(unitsOf(graph), (std::vector<Values>{{0}, {1}}));
  graph.units[1].rows->groups = 0;
  EXPECT_EQ(unitsOf(graph), (std::vector<Values>{{0, 1}}));
}

TEST(RegionsTest, TokensKeepLayersInOrder) {
  // Without the token, value 6, the first layer would wait for the region that
  // the second one waits for, and that region for the second layer.
  RegionGraph graph;
  graph.shapes.assign(7, {4, 8});
  graph.units = {formula({0}, 1), layer({1}, {2, 6}), layer({0, 6}, {3}),
                 formula({0, 3}, 4), formula({1, 4}, 5)};
  graph.outputs = {2, 5};
  EXPECT_EQ(unitsOf(graph), (std::vector<Values>{{0}, {1}, {2}, {3, 4}}));
}

TEST(RegionsTest, WhatIsNoGraphIsRefused) {
  const auto refuses = [](std::vector<RegionUnit> units, Values outputs = {}) {
    RegionGraph graph;
    graph.shapes.assign(3, {2});
    graph.units = std::move(units);
    graph.outputs = std::move(outputs);
    const auto regions = makeRegions(graph);
    return !regions && regions.error().code() == ErrorCode::InvalidArgument;
  };
  EXPECT_TRUE(refuses({formula({3}, 1)}));
  EXPECT_TRUE(refuses({formula({0}, 3)}));
  EXPECT_TRUE(refuses({formula({0}, 1), formula({0}, 1)}));
  EXPECT_TRUE(refuses({formula({1}, 2), formula({0}, 1)}));
  EXPECT_TRUE(refuses({formula({1}, 1)}));
  EXPECT_TRUE(refuses({}, {3}));
  RegionUnit two = formula({0}, 1);
  two.outputs = {1, 2};
  EXPECT_TRUE(refuses({two}));
  EXPECT_FALSE(refuses({formula({0, 0}, 1)}, {1, 0}));
}
