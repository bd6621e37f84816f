//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Hash.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace kexpr;

TEST(Hash, IsThatOfTheFilesThatAreThere) {
  // XXH3 with no seed. Names of files in a cache are made of it.
  EXPECT_EQ(hashOf(""), 0x2d06800538d394c2u);
  EXPECT_EQ(Digest::of("").str(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, DigestsAreTextsOfOneLength) {
  EXPECT_EQ((Digest{.low = 0xabc, .high = 1}.str()),
            "00000000000000010000000000000abc");
  EXPECT_EQ(Digest().str(), std::string(32, '0'));
  EXPECT_EQ(Digest::of("x"), Digest::of(std::string("x")));
  EXPECT_FALSE(Digest::of("x") == Digest::of(std::string("x\0", 2)));
}

TEST(Hash, EveryBitCounts) {
  std::mt19937 random(1);
  // Each of these lengths is treated in a way of its own.
  for (std::size_t length :
       {1u, 3u, 8u, 16u, 17u, 128u, 129u, 240u, 241u, 1024u, 1100u}) {
    std::string text(length, '\0');
    for (char &c : text)
      c = static_cast<char>(random());
    std::set<std::string> digests = {Digest::of(text).str()};
    std::set<std::uint64_t> hashes = {hashOf(text)};
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      std::string other = text;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
      digests.insert(Digest::of(other).str());
      hashes.insert(hashOf(other));
    }
    EXPECT_EQ(digests.size(), 8 * length + 1);
    EXPECT_EQ(hashes.size(), 8 * length + 1);
  }
}

TEST(Hash, DigestsDoNotMeet) {
  std::set<std::string> digests;
  for (int i = 0; i < 100000; ++i)
    digests.insert(Digest::of("mul(@0," + std::to_string(i) + ")").str());
  EXPECT_EQ(digests.size(), 100000u);
}
