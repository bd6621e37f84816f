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

static std::vector<SourceFile> publicHeaders() {
  auto headers = sourcesIn("include");
  std::erase_if(headers, [](const SourceFile &file) {
    return !file.path.ends_with(".h");
  });
  return headers;
}

/// Those of C; they are as self-contained for C++.
static bool isC(const SourceFile &header) {
  return header.path.starts_with("include/kexpr-c/");
}

/// Compiles a header alone.
static void expectCompiles(const SourceFile &header,
                           const std::string &compiler) {
  const auto result = execute(compiler +
                              " -fsyntax-only -Wall -Wextra -pedantic -Werror"
                              " -I'" KEXPR_SOURCE_DIR
                              "/include' -I'" KEXPR_BINARY_DIR "/include' '" +
                              absolute(header.path) + "'");
  EXPECT_EQ(result.status, 0) << header.path << '\n' << result.output;
}

TEST(PublicHeaders, IncludeEachOtherAndTheStandardLibraryOnly) {
  for (const SourceFile &header : publicHeaders())
    for (std::string_view include : header.includes()) {
      const bool standard =
          include.front() == '<' && include.find('/') == include.npos;
      EXPECT_TRUE(standard || include.starts_with("\"kexpr/") ||
                  (isC(header) && include.starts_with("\"kexpr-c/")))
          << header.path << ": " << include;
    }
}

TEST(PublicHeaders, AreAllReachedFromOneOfTheirLanguage) {
  std::string reached = sourceFile("include/kexpr/kexpr.h").text;
  for (const SourceFile &header : publicHeaders())
    reached += header.text;
  for (const SourceFile &header : publicHeaders()) {
    const std::string name = header.path.substr(sizeof "include/" - 1);
    if (name != "kexpr/kexpr.h" && name != "kexpr-c/kexpr.h") {
      EXPECT_NE(reached.find("#include \"" + name + '"'), reached.npos) << name;
    }
  }
}

TEST(PublicHeaders, CompileAloneAsCpp17) {
  for (const SourceFile &header : publicHeaders())
    expectCompiles(header, KEXPR_CXX_COMPILER " -std=c++17 -x c++");
}

TEST(PublicHeaders, OfCCompileAloneAsC11) {
  std::size_t seen = 0;
  for (const SourceFile &header : publicHeaders())
    if (isC(header)) {
      ++seen;
      expectCompiles(header, KEXPR_C_COMPILER " -std=c11 -x c");
    }
  EXPECT_GE(seen, 4u);
}
