//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Text.h"
#include "Support/SystemText.h"
#include "TestUtil/Files.h"
#include "TestUtil/Locales.h"

#include <limits>

using namespace kexpr;
using namespace kexpr::test;

TEST(Text, IsTheSameInEveryLocale) {
  const GroupingLocale locale;
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(concat("a", 'b', std::string("c"), std::string_view("d"), -1234567,
                   ~std::uint64_t{0}, ' ', least),
            "abcd-123456718446744073709551615 -9223372036854775808");
  EXPECT_EQ(concat(), "");
  EXPECT_EQ(number(12345.678, 2), "12345.68");
  EXPECT_EQ(number(-0.5, 0), "-0");
  EXPECT_EQ(number(std::numeric_limits<double>::max(), 9).size(), 319u);
  EXPECT_EQ(number(std::numeric_limits<double>::infinity(), 1), "inf");
}

TEST(Text, IsPaddedToAWidth) {
  EXPECT_EQ(padded("ab", 4), "ab  ");
  EXPECT_EQ(padded("abcd", 2), "abcd");
}

TEST(SystemText, IsTheBeginningOfAFile) {
  const TemporaryDirectory root;
  writeFile(root.path("long"), std::string(10000, 'x'));
  EXPECT_EQ(systemText(root.path("long")), std::string(4096, 'x'));
  EXPECT_EQ(systemText(root.path("missing")), "");
  EXPECT_EQ(systemText(root.path()), "");
}

TEST(SystemText, BeginsWithANumberOrNot) {
  const GroupingLocale locale;
  std::string_view text = " 32768K 1.234 x99999999999999999999";
  EXPECT_EQ(takeNumber(text), 32768u);
  EXPECT_EQ(text, "K 1.234 x99999999999999999999");
  text.remove_prefix(1);
  EXPECT_EQ(takeNumber(text), 1u);
  text.remove_prefix(4);
  EXPECT_EQ(takeNumber(text), 0u);
  text.remove_prefix(1);
  EXPECT_EQ(takeNumber(text), 0u);
}
