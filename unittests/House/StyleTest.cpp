//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "House/SourceTree.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kexpr::house;

static constexpr std::size_t MaxFileLines = 600; // Of a function: .clang-tidy.
static constexpr std::size_t MaxColumns = 80;

TEST(Sizes, FilesAreShort) {
  for (const char *folder :
       {"include", "integrations", "lib", "tools", "unittests"})
    for (const SourceFile &file : sourcesIn(folder))
      EXPECT_LE(file.lines().size(), MaxFileLines) << file.path;
}

TEST(Style, LinesFitTheirWidth) {
  auto columns = [](std::string_view line) {
    return std::count_if(line.begin(), line.end(),
                         [](char c) { return (c & 0xC0) != 0x80; });
  };
  for (const SourceFile &file : allSources()) {
    std::size_t number = 0;
    for (std::string_view line : file.lines()) {
      ++number;
      EXPECT_LE(columns(line), MaxColumns) << file.path << ':' << number;
      EXPECT_FALSE(line.ends_with(' ')) << file.path << ':' << number;
    }
  }
}

TEST(Style, EverySourceSaysItsLicence) {
  for (const SourceFile &file : allSources()) {
    EXPECT_TRUE(file.text.starts_with("//===-")) << file.path;
    for (const char *line :
         {"\n// Part of kexpr, under the Apache License v2.0 with LLVM "
          "Exceptions.\n",
          "\n// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"})
      EXPECT_LT(file.text.find(line), 300u) << file.path;
  }
}

/// So that unittests/TestUtil/Skips.h has all the reasons there are.
TEST(Style, TestsAreSkippedForReasonsOfTheList) {
  const std::string skip = "GTEST_SKIP() << ", named = "kexpr::test::skips::";
  for (const SourceFile &file : sourcesIn("unittests"))
    for (std::size_t at = 0;
         file.path != "unittests/House/StyleTest.cpp" &&
         (at = file.text.find("GTEST_SKIP", at)) != std::string::npos;
         ++at)
      EXPECT_EQ(file.text.substr(at, skip.size() + named.size()), skip + named)
          << file.path;
}

TEST(Style, HeadersNameThemselvesInTheirFirstLine) {
  for (const SourceFile &file : allSources()) {
    if (!file.path.ends_with(".h"))
      continue;
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    EXPECT_NE(file.lines()[0].find(name + " - "), std::string::npos)
        << file.path;
  }
}

TEST(Style, NothingIsLeftForLater) {
  // Put together here, so that this file passes its own test.
  const std::string marks[] = {std::string("TO") + "DO",
                               std::string("FIX") + "ME",
                               std::string("XX") + "X"};
  for (const SourceFile &file : allFiles()) {
    // The pictures of a notebook are in base64, which spells anything.
    if (file.path.ends_with(".ipynb"))
      continue;
    for (const std::string &mark : marks)
      EXPECT_EQ(file.text.find(mark), std::string::npos) << file.path;
  }
}

/// What follows the locale of a host.
TEST(Style, TheLibraryKnowsNoLocale) {
  for (const SourceFile &file : sourcesIn("lib"))
    for (const char *word :
         {"stringstream", "<iomanip>", "<iostream>", "<locale>", "<cctype>",
          "isalnum(", "isspace(", "tolower(", "strtod(", "strtof(", "stod(",
          "stof(", "sscanf(", "setlocale(", "strerror(errno"})
      EXPECT_EQ(file.text.find(word), std::string::npos)
          << file.path << ": " << word;
}
