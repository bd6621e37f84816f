//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written down twice, held together: generated pages against what
// generates them, the README's programs against what it says they print, and
// snippets against the examples they are taken from.
//
//===----------------------------------------------------------------------===//
#include "House/SourceTree.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kexpr::house;

#ifdef KEXPR_OPS_TOOL
TEST(Docs, OperatorsPageIsCurrent) {
  const auto result = execute("'" KEXPR_OPS_TOOL "' --markdown");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(sourceFile("docs/operators.md").text, result.output)
      << "run: kexpr-ops --markdown > docs/operators.md";
}
#endif

#ifdef KEXPR_DUMP_TOOL
TEST(Docs, LifeOfAnExpressionIsCurrent) {
  if (execute("node --version").status != 0)
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  if (std::string_view(KEXPR_LLVM_MAJOR) != "19")
    GTEST_SKIP() << kexpr::test::skips::OtherLlvm;
  const auto result =
      execute("python3 '" + absolute("utils/life_of_an_expression.py") +
              "' '" KEXPR_DUMP_TOOL "' --check 2>&1");
#ifdef __clang__
  if (result.output.starts_with("not current: "))
    GTEST_SKIP() << kexpr::test::skips::OtherCompiler;
#endif
  EXPECT_EQ(result.status, 0) << result.output;
}
#endif

TEST(Docs, TheTreeIsExtendedAsThePagesSay) {
  const auto result =
      execute("python3 '" + absolute("utils/extending.py") + "' --check");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Docs, ReadmeProgramsPrintWhatTheReadmeSays) {
  const std::string folder = KEXPR_README_DIR "/";
  for (int i = 1; i <= KEXPR_README_PROGRAMS; ++i) {
    const std::string name = "readme-" + std::to_string(i);
    const auto result = execute("'" + folder + name + "'");
    const auto expected = execute("cat '" + folder + name + ".expected'");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, expected.output) << name;
  }
}

TEST(Docs, ReadmeShowsCodeAtOnceAndFitsAScreen) {
  const SourceFile readme = sourceFile("README.md");
  const auto lines = readme.lines();
  std::size_t first = 0;
  while (first < lines.size() && lines[first] != "```cpp")
    ++first;
  EXPECT_LT(first, 10u);
  EXPECT_LE(lines.size(), 80u);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "```cpp"),
            KEXPR_README_PROGRAMS)
      << "a program without a text block of what it prints";
}

/// The fenced blocks of a page, without their fences.
static std::vector<std::string> snippetsOf(const SourceFile &page) {
  std::vector<std::string> snippets;
  bool inside = false;
  for (std::string_view line : page.lines()) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside)
        snippets.emplace_back();
    } else if (inside) {
      snippets.back().append(line).append("\n");
    }
  }
  return snippets;
}

TEST(Docs, SnippetsArePartsOfExamples) {
  std::string examples;
  for (const SourceFile &file : sourcesIn("docs/examples"))
    examples += file.text;
  const auto snippets = snippetsOf(sourceFile("docs/embedding.md"));
  EXPECT_GE(snippets.size(), 4u);
  for (const std::string &snippet : snippets)
    EXPECT_NE(examples.find(snippet), examples.npos) << snippet;
  const auto layers = snippetsOf(sourceFile("docs/graphs.md"));
  const auto layer =
      std::find_if(layers.begin(), layers.end(), [](const std::string &text) {
        return text.starts_with("class");
      });
  ASSERT_NE(layer, layers.end());
  EXPECT_NE(examples.find(*layer), examples.npos) << *layer;
}

/// "`Fork`, `ForkedCall`": the names in the last column of a row.
static std::vector<std::string> namesIn(std::string_view row) {
  row = row.substr(0, row.rfind('|'));
  row.remove_prefix(row.rfind('|') + 1);
  std::vector<std::string> names;
  for (std::size_t at = row.find('`'); at != row.npos; at = row.find('`')) {
    row.remove_prefix(at + 1);
    const std::size_t end = std::min(row.find('`'), row.size());
    names.emplace_back(row.substr(0, end));
    row.remove_prefix(std::min(end + 1, row.size()));
  }
  return names;
}

TEST(Docs, PromisesToHostsNameTests) {
  std::string tests;
  for (const SourceFile &file : allFiles())
    if (file.path.starts_with("unittests/Host/"))
      tests += file.text;
  const SourceFile embedding = sourceFile("docs/embedding.md");
  std::string_view page = embedding.text;
  page.remove_prefix(page.find("## What kexpr promises its host"));
  page.remove_prefix(page.find("|---"));
  int rows = 0;
  for (page.remove_prefix(page.find('\n') + 1); page.starts_with('|');
       page.remove_prefix(page.find('\n') + 1), ++rows) {
    const auto names = namesIn(page.substr(0, page.find('\n')));
    EXPECT_FALSE(names.empty()) << page.substr(0, page.find('\n'));
    for (const std::string &name : names)
      EXPECT_TRUE(tests.find("TEST(" + name + ",") != tests.npos ||
                  tests.find("TEST_F(" + name + ",") != tests.npos ||
                  tests.find("TEST_P(" + name + ",") != tests.npos)
          << name;
  }
  EXPECT_GE(rows, 20);
}

TEST(Docs, LinksPointToFiles) {
  std::vector<SourceFile> pages;
  for (const SourceFile &file : allFiles())
    if (file.path.ends_with(".md"))
      pages.push_back(file);
  ASSERT_GT(pages.size(), 5u);
  for (const SourceFile &page : pages) {
    const std::string folder = page.path.substr(0, page.path.rfind('/') + 1);
    for (std::size_t at = page.text.find("]("); at != std::string::npos;
         at = page.text.find("](", at + 1)) {
      const std::size_t end = page.text.find_first_of(")#", at);
      const std::string link = page.text.substr(at + 2, end - at - 2);
      if (!link.starts_with("http") && !link.empty()) {
        EXPECT_EQ(execute("test -e '" + absolute(folder + link) + "'").status,
                  0)
            << page.path << ": " << link;
      }
    }
  }
}
