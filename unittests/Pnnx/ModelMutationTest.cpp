//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that were damaged: each is read, or refused with a place.
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Models.h"
#include "TestUtil/Vandal.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace kexpr;
using namespace kexpr::test;

/// Reads `count` damaged copies of a file; gives how many were still whole.
template <class Damage, class Read>
static int readDamaged(unsigned count, const std::string &whole, Damage damage,
                       Read read) {
  int good = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    Vandal vandal(seed);
    std::string bytes = whole;
    for (std::size_t i = 1 + vandal.below(3); i > 0 && !bytes.empty(); --i)
      damage(vandal, bytes);
    const Expected<PnnxModel> model = read(bytes);
    EXPECT_EQ(problemOf(model), "") << "seed " << seed << '\n' << bytes;
    good += static_cast<bool>(model);
  }
  std::printf("%d of %u were still files\n", good, count);
  return good;
}

TEST(ModelMutation, OfTextsIsReadOrRefused) {
  const std::string bin = sampleBin(true);
  const int good = readDamaged(
      4000, std::string(SampleParam),
      [](Vandal &vandal, std::string &text) { vandal.damageText(text); },
      [&bin](const std::string &text) { return parseModel(text, bin); });
  EXPECT_GT(good, 40);
  EXPECT_LT(good, 3000);
}

TEST(ModelMutation, OfArchivesIsReadOrRefused) {
  for (const bool zip64 : {false, true}) {
    const int good = readDamaged(
        2000, sampleBin(zip64),
        [](Vandal &vandal, std::string &bytes) { vandal.damageBytes(bytes); },
        [](const std::string &bytes) {
          return parseModel(SampleParam, bytes.empty() ? "x" : bytes);
        });
    EXPECT_GT(good, 20);
    EXPECT_LT(good, 1500);
  }
}

TEST(ModelMutation, EveryPrefixIsReadOrRefused) {
  const std::string bin = sampleBin(false);
  for (std::size_t size = 0; size < SampleParam.size(); ++size)
    EXPECT_EQ(problemOf(parseModel(SampleParam.substr(0, size), bin)), "");
  for (std::size_t size = 1; size < bin.size(); ++size) {
    const auto model = parseModel(SampleParam, bin.substr(0, size));
    EXPECT_FALSE(model) << size;
    EXPECT_EQ(problemOf(model), "") << size;
  }
}
