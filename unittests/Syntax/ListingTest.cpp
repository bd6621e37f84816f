//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Listing.h"

#include <gtest/gtest.h>

#include <set>

using namespace kexpr;
using syntax::Listing;

static Listing listingOf(const std::string &text) {
  const auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << text;
  return syntax::list(*expression);
}

TEST(Listing, HasAnOperatorALine) {
  EXPECT_EQ(listingOf("add(mul(@0,@1),2)").text, "for each element:\n"
                                                 "  out0 =\n"
                                                 "    add(\n"
                                                 "      mul(@0, @1),\n"
                                                 "      2)\n");
  EXPECT_EQ(listingOf("@3").text, "for each element:\n"
                                  "  out0 =\n"
                                  "    @3\n");
  EXPECT_EQ(listingOf("[neg(@0),mul(@0,2.50)]").text, "for each element:\n"
                                                      "  out0 =\n"
                                                      "    neg(@0)\n"
                                                      "  out1 =\n"
                                                      "    mul(@0, 2.5)\n");
}

/// The line of a text from a place on.
static std::string restOf(const Listing &listing, SourceLocation location) {
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < location.line; ++line)
    begin = listing.text.find('\n', begin) + 1;
  const std::size_t end = listing.text.find('\n', begin);
  return listing.text.substr(begin, end - begin).substr(location.column - 1);
}

TEST(Listing, KnowsWhereNodesAre) {
  const auto expression = Expression::parse("add(mul(@0,@1),add(2,exp(@0)))");
  const Listing listing = syntax::list(*expression);
  std::vector<std::string> locations;
  for (SourceLocation location : listing.nodes)
    locations.push_back(restOf(listing, location));
  EXPECT_EQ(locations,
            (std::vector<std::string>{"@0, @1),", "@1),", "mul(@0, @1),", "2,",
                                      "@0)))", "exp(@0)))", "add(", "add("}));
  std::vector<std::string_view> words;
  for (SourceLocation location : listing.nodes)
    words.push_back(listing.wordAt(location));
  EXPECT_EQ(words, (std::vector<std::string_view>{"@0", "@1", "mul", "2", "@0",
                                                  "exp", "add", "add"}));
  EXPECT_EQ(listing.wordAt(Listing::loop()), "the loop");
  EXPECT_EQ(listing.wordAt({}), "the loop");
  EXPECT_EQ(listing.wordAt({1, 0}), "the loop");
  EXPECT_EQ(listing.wordAt({4, 0}), "mul");
  EXPECT_EQ(listing.wordAt({99, 1}), "");
  EXPECT_EQ(listing.wordAt({4, 9999}).find('\n'), std::string_view::npos);
  ASSERT_EQ(listing.outputs.size(), 1u);
  EXPECT_EQ(listing.wordAt(listing.outputs[0]), "out0");
  EXPECT_EQ(restOf(listing, listing.outputs[0]), "out0 =");
  EXPECT_EQ(restOf(listing, Listing::loop()), "for each element:");
  // No two operators share a line.
  std::set<std::uint32_t> lines;
  for (std::size_t id = 0; id < listing.nodes.size(); ++id)
    if (expression->nodes()[id].kind == NodeKind::Call) {
      EXPECT_TRUE(lines.insert(listing.nodes[id].line).second) << id;
    }
}

TEST(Listing, OfDeepTreesIsNotLong) {
  std::string deep = "@0";
  for (int i = 0; i < 4000; ++i)
    deep = "neg(" + deep + ")";
  const Listing listing = listingOf(deep);
  EXPECT_LT(listing.text.size(), 4000u * 70);
  EXPECT_EQ(restOf(listing, listing.nodes[0]).substr(0, 3), "@0)");
}

TEST(Listing, NamesAreShortAndDiffer) {
  EXPECT_EQ(listingOf(" add( @0, 2.0e0 )").name, "add(@0,2.0)");
  std::string text = "@0";
  for (int i = 0; i < 100; ++i)
    text = "add(" + text + ",@1)";
  const std::string other = "neg(" + text + ")";
  EXPECT_LE(listingOf(text).name.size(), 120u);
  EXPECT_NE(listingOf(text).name, listingOf("add(" + text + ",@2)").name);
  EXPECT_EQ(listingOf(other).name.substr(0, 8), "neg(add(");
}
