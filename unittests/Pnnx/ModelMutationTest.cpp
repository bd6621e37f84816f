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

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// Damages texts. The same seed does the same damage.
class Vandal {
public:
  explicit Vandal(unsigned seed) : random(seed) {}

  std::size_t below(std::size_t bound) { return bound ? random() % bound : 0; }
  /// One damage that any file can suffer.
  void damageBytes(std::string &bytes);
  /// One that takes the parts of a text for what they are.
  void damageText(std::string &text);

private:
  /// A part of the text that ends with one of `ends`, and begins after one.
  std::pair<std::size_t, std::size_t> piece(const std::string &text,
                                            const char *ends);
  void damagePiece(std::string &text, const char *ends);
  void replaceNumber(std::string &text);

  std::mt19937 random;
};
} // namespace

void Vandal::damageBytes(std::string &bytes) {
  const std::size_t at = below(bytes.size());
  switch (below(5)) {
  case 0:
    bytes.resize(at);
    break;
  case 1:
    bytes[at] = static_cast<char>(random());
    break;
  case 2:
    bytes.erase(at, 1 + below(8));
    break;
  case 3: {
    const std::size_t from = below(bytes.size()), size = 1 + below(40);
    bytes.insert(at, bytes.substr(from, size));
    break;
  }
  default:
    bytes[at] ^= static_cast<char>(1 << below(8));
  }
}

std::pair<std::size_t, std::size_t> Vandal::piece(const std::string &text,
                                                  const char *ends) {
  const std::size_t at = below(text.size());
  const std::size_t before = at ? text.find_last_of(ends, at - 1) : text.npos;
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
  return {begin, std::min(end + 1, text.size()) - begin};
}

void Vandal::damagePiece(std::string &text, const char *ends) {
  const auto [begin, size] = piece(text, ends);
  const std::string taken = text.substr(begin, size);
  const auto [other, otherSize] = piece(text, ends);
  switch (below(3)) {
  case 0:
    text.erase(begin, size);
    break;
  case 1:
    text.insert(other, taken);
    break;
  default:
    text.replace(other, otherSize, taken);
  }
}

void Vandal::replaceNumber(std::string &text) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "3",
                                        "-1",
                                        "4294967295",
                                        "4294967296",
                                        "9223372036854775807",
                                        "99999999999999999999999999",
                                        "?",
                                        "%s",
                                        "1e9",
                                        ""};
  const std::size_t at = text.find_first_of("0123456789", below(text.size()));
  if (at == text.npos)
    return;
  const std::size_t end = text.find_first_not_of("0123456789", at);
  text.replace(at, end - at, numbers[below(std::size(numbers))]);
}

void Vandal::damageText(std::string &text) {
  switch (below(4)) {
  case 0:
    return damageBytes(text);
  case 1:
    return damagePiece(text, "\n");
  case 2:
    return damagePiece(text, " \n");
  default:
    return replaceNumber(text);
  }
}

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
