//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/DebugObject.h"

#include "Tools/Command.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::code;

namespace {

/// Of a function of 48 bytes that lies 16 bytes into its image.
Symbols someSymbols() {
  Symbols symbols;
  symbols.name = "mul(@0,sigmoid(@0))";
  symbols.size = 48;
  symbols.listing = "for each element:\n";
  symbols.path = "/tmp/some folder/silu.kexpr";
  symbols.lines = {{16, {1, 1}}, {20, {4, 9}}, {36, {2, 3}}, {60, {300, 7}}};
  return symbols;
}

/// What a program of binutils says of the object.
std::string said(std::vector<std::string> words, const Symbols &symbols) {
  const test::TemporaryDirectory folder;
  words.push_back(folder.path("object"));
  const auto bytes = debugObject(symbols, 0x123450, 16);
  test::writeFile(words.back(), std::string(bytes.begin(), bytes.end()));
  const auto result = test::run(words);
  EXPECT_EQ(result.err, "") << words[0];
  return result.out;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(DebugObject, NamesTheFunction) {
  const std::string symbols = said({"nm", "-S"}, someSymbols());
  EXPECT_TRUE(
      has(symbols, "0000000000123450 0000000000000030 T mul(@0,sigmoid(@0))"))
      << symbols;
  const std::string sections = said({"readelf", "-SW"}, someSymbols());
  EXPECT_TRUE(has(sections, ".text             NOBITS          "
                            "0000000000123450"))
      << sections;
}

TEST(DebugObject, DescribesItInDwarf) {
  const std::string info =
      said({"readelf", "--debug-dump=info"}, someSymbols());
  for (const char *part :
       {"silu.kexpr", "/tmp/some folder", "mul(@0,sigmoid(@0))", "0x123450",
        "DW_TAG_subprogram", "DW_LANG_C99\n"})
    EXPECT_TRUE(has(info, part) || has(info, "ANSI C99")) << part << info;
}

TEST(DebugObject, HasItsLines) {
  const std::string lines =
      said({"readelf", "-W", "--debug-dump=decodedline"}, someSymbols());
  for (const char *part :
       {"1            0x123450", "4            0x123454",
        "2            0x123464", "300            0x12347c", "0x123480"})
    EXPECT_TRUE(has(lines, part)) << part << '\n' << lines;
}

TEST(DebugObject, TakesNothingForGranted) {
  Symbols symbols;
  EXPECT_FALSE(debugObject(symbols, 0, 0).empty());
  symbols = someSymbols();
  symbols.name = std::string("two\0parts", 9);
  symbols.path = "nowhere";
  symbols.lines = {{0, {1, 1}}, {20, {9, 9}}, {18, {5, 5}}, {4000000000, {}}};
  symbols.frames.assign(100, '\xff');
  const std::string lines =
      said({"readelf", "-W", "--debug-dump=decodedline"}, symbols);
  EXPECT_TRUE(has(lines, "9            0x123454")) << lines;
  EXPECT_TRUE(has(said({"nm"}, symbols), "T two\n"));
  for (std::size_t size = 0; size < 64; ++size) {
    symbols.frames.assign(size, '\x08');
    EXPECT_FALSE(debugObject(symbols, 0, 0).empty());
  }
}
