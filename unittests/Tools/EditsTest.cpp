//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace kexpr::tools;

using Kind = Edit::Kind;

/// Checks that the edits make one of the other, and gives how many there are.
static std::size_t checkedEdits(const Lines &left, const Lines &right) {
  Lines before, after;
  std::size_t changes = 0;
  for (const Edit &edit : editsBetween(left, right)) {
    changes += edit.kind != Kind::Same;
    if (edit.kind != Kind::Added)
      before.push_back(*edit.line);
    if (edit.kind != Kind::Removed)
      after.push_back(*edit.line);
  }
  EXPECT_EQ(before, left);
  EXPECT_EQ(after, right);
  return changes;
}

TEST(Edits, AreAsFewAsCanBe) {
  EXPECT_EQ(checkedEdits({}, {}), 0u);
  EXPECT_EQ(checkedEdits({"a"}, {}), 1u);
  EXPECT_EQ(checkedEdits({}, {"a", "b"}), 2u);
  EXPECT_EQ(checkedEdits({"a", "b", "c"}, {"a", "c"}), 1u);
  EXPECT_EQ(checkedEdits({"a", "b", "c", "a", "b", "b", "a"},
                         {"c", "b", "a", "b", "a", "c"}),
            5u);
}

/// The length of the longest common part, the slow way.
static std::size_t commonLines(const Lines &left, const Lines &right) {
  std::vector<std::vector<std::size_t>> best(
      left.size() + 1, std::vector<std::size_t>(right.size() + 1));
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t j = 0; j < right.size(); ++j)
      best[i + 1][j + 1] = left[i] == right[j]
                               ? best[i][j] + 1
                               : std::max(best[i][j + 1], best[i + 1][j]);
  return best[left.size()][right.size()];
}

TEST(Edits, OfRandomTexts) {
  std::minstd_rand random(1);
  const auto text = [&random] {
    Lines lines(random() % 30);
    for (std::string &line : lines)
      line = static_cast<char>('a' + random() % 4);
    return lines;
  };
  for (int i = 0; i < 300; ++i) {
    const Lines left = text(), right = text();
    EXPECT_EQ(checkedEdits(left, right),
              left.size() + right.size() - 2 * commonLines(left, right));
  }
}

TEST(Edits, OfTextsWithNothingInCommonEnd) {
  const Lines left(20000, "a"), right(20000, "b");
  EXPECT_EQ(checkedEdits(left, right), 40000u);
}
