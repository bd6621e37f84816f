//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Scalar.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace kexpr;

static std::string wholeValueOf(std::string_view text) {
  const auto value = evaluate(*Expression::parse(text), {});
  return value ? value->str() : "refused";
}

TEST(WholeNumbers, AreThoseOfPython) {
  std::ifstream file(KEXPR_TEST_DATA "/whole_numbers.tsv");
  unsigned count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const std::size_t tab = line.find('\t');
    EXPECT_EQ(wholeValueOf(line.substr(0, tab)), line.substr(tab + 1))
        << line.substr(0, tab);
  }
  EXPECT_GT(count, 900u);
}

TEST(WholeNumbers, ComeFromRealOnesThatHave64Bits) {
  EXPECT_EQ(wholeValueOf("int(-9223372036854775808.0)"),
            "-9223372036854775808");
  EXPECT_EQ(wholeValueOf("int(9223372036854774784.0)"), "9223372036854774784");
  EXPECT_EQ(wholeValueOf("int(9223372036854775808.0)"), "refused");
  EXPECT_EQ(wholeValueOf("int(-9223372036854777856.0)"), "refused");
}

TEST(WholeNumbers, From2To63OnMeetElements) {
  for (const char *text : {"9223372036854775808", "torch.uint64(1e19)"}) {
    const auto value = evaluate(*Expression::parse(text), {});
    ASSERT_FALSE(value) << text;
    EXPECT_NE(value.error().message().find(" is an integer of u64 alone"),
              std::string::npos);
  }
}
