//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-dump --emit=html: a page that stands for itself, run as a browser
// would.
//
//===----------------------------------------------------------------------===//
#include "Page/Page.h"
#include "TestUtil/Skips.h"
#include "Tools/Drawn.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace kexpr;
using namespace kexpr::test;
using nlohmann::json;

static const std::string pageExample =
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))";

static std::string outputOf(const std::string &expression,
                            std::vector<std::string> words) {
  words.insert(words.begin(), {KEXPR_DUMP, "-", "--no-measure"});
  const auto result = run(words, expression);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

static std::string pageOf(const std::string &expression,
                          const std::string &cpu = "znver3") {
  return outputOf(expression, {"--emit=html", "--mcpu=" + cpu});
}

static std::size_t countOf(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(DumpPage, AsksForNothingElse) {
  const std::string page = pageOf(pageExample);
  for (const char *word : {"src=", "url(", "@import", "<link", "fetch(",
                           "innerHTML", "document.write", "https:"})
    EXPECT_EQ(page.find(word), page.npos) << word;
  EXPECT_EQ(countOf(page, "href=\""), countOf(page, "href=\"#"));
}

TEST(DumpPage, IsTheSameFromRunToRun) {
  EXPECT_EQ(pageOf(pageExample), pageOf(pageExample));
}

TEST(DumpPage, SaysWhyAKernelTakesItsTime) {
  if (!hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  const std::string page = drawn(pageOf(pageExample));
  for (const char *text : {"What it waits for is <strong>", "predicts <strong>",
                           "<code>sin</code> takes", "micro-operations",
                           "Not measured: measuring was turned off."})
    EXPECT_NE(page.find(text), page.npos) << text;
  for (const char *word :
       {"=\"NaN", "NaN%", ">NaN", "undefined", "Infinity", "[object"})
    EXPECT_EQ(page.find(word), page.npos) << word;
  // A tree of twelve boxes, of which the three @0 are one.
  EXPECT_EQ(countOf(page, "class=\"node "), 12u);
  EXPECT_EQ(countOf(page, "leaf shared"), 3u);
}

TEST(DumpPage, ShowsTheLoopThatItsAddressNames) {
  const std::string page = pageOf("[softmax(@0,-1),@1]");
  for (const char *each :
       {"1 of 5: l", "2 of 5: s", "3 of 5: k", "4 of 5: o", "5 of 5: o"})
    EXPECT_EQ(countOf(page, std::string("\"sweep\":\"sweep ") + each), 1u);
  if (!hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  const auto first = drawn(page), third = drawn(page, "?3");
  EXPECT_NE(first.find("<strong>sweep 1 of 5: largest"), page.npos);
  EXPECT_NE(first.find("href=\"?3\""), page.npos);
  EXPECT_NE(third.find("<strong>sweep 3 of 5: kept"), page.npos);
  EXPECT_NE(third.find("r4 f64 contiguous, to f32, f32;"), page.npos);
  EXPECT_EQ(drawn(page, "?6"), first);
  EXPECT_EQ(drawn(pageOf("@0")).find("id=\"loops\""), page.npos);
}

TEST(DumpPage, SaysWhatIsNotKnown) {
  if (!hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  const std::string page = drawn(pageOf(pageExample, "carmel"));
  for (const char *text : {"LLVM has no model of carmel",
                           "LLVM has no scheduling model of carmel"})
    EXPECT_NE(page.find(text), page.npos) << text;
  EXPECT_NE(drawn(pageOf("@0", "x86-64"))
                .find("Kernels are interpreted on such a machine"),
            page.npos);
}

TEST(DumpPage, WorksForEveryLimit) {
  if (!hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  for (const char *cpu : {"neoverse-n1", "apple-m1", "sapphirerapids",
                          "cortex-a55", "haswell", "znver4"})
    for (const char *text : {"mul(@0,sigmoid(@0))", "[add(@0,@1),@1]"})
      EXPECT_NE(drawn(pageOf(text, cpu)).find("What it waits for is <strong>"),
                std::string::npos)
          << cpu << text;
}

TEST(DumpPage, IsBounded) {
  constexpr std::size_t most = 6 << 20;
  std::string deep = "@0", outputs = "[@0", sums = "@0";
  for (int i = 0; i < 4000; ++i)
    deep = "neg(" + deep + ")";
  for (int i = 1; i < 1500; ++i)
    sums = "add(" + sums + ",@" + std::to_string(i % 40) + ")";
  for (int i = 0; i < 100; ++i)
    outputs += ",mul(@0," + std::to_string(i) + ".5)";
  for (const std::string &text : {deep, sums, outputs + "]"}) {
    const std::string page = pageOf(text);
    SCOPED_TRACE(text.substr(0, 30));
    EXPECT_LT(page.size(), most);
    if (hasNode()) {
      const std::string whole = drawn(page);
      EXPECT_GT(countOf(whole, "class=\"node "), 40u);
      EXPECT_LE(countOf(whole, "class=\"node "), 300u);
    }
  }
}

/// Puts a text into every string of some data but those that are words of the
/// format.
static void infest(json &data, const std::string &text) {
  for (auto &[key, value] : data.items())
    if (value.is_structured())
      infest(value, text);
    else if (value.is_string() && key != "kind" && key != "id")
      value = text;
}

TEST(DumpPage, ShowsAnyTextAsText) {
  const json kernel = json::parse(outputOf("add(@0,sin(@0))", {"--emit=json"}));
  for (const std::string &text :
       {std::string("</script><script>throw 1</script><img>"),
        std::string("<!--<script>"), std::string("a\0b", 3),
        std::string("\xff\xfe \xc3"), std::string("\xe2\x80\xa8${x}`\\'\"\n"),
        "<" + std::string(1 << 20, 'x')}) {
    json data = kernel;
    // The large one in one place.
    if (text.size() > 1000)
      data["expression"] = data["parts"][1]["name"] = text;
    else
      infest(data, text);
    const std::string page = tools::fillPage(tools::kernelPage, data);
    EXPECT_EQ(countOf(page, "<script"), countOf(tools::kernelPage, "<script"));
    EXPECT_EQ(page.find('\0'), page.npos);
    if (hasNode()) {
      EXPECT_EQ(drawn(page).find("<img"), page.npos);
    }
  }
}
