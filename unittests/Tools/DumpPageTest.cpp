//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-dump --emit=html: a page that stands for itself, in which the same
// operator has the same name everywhere.
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Markup.h"
#include "Tools/Command.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace kexpr;
using namespace kexpr::test;

static const std::string tool = KEXPR_DUMP;
static const std::string example =
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))";
static const std::vector<std::string> zen = {"--mcpu=znver3", "--no-measure"};

/// The page of an expression.
static std::string pageOf(const std::string &expression,
                          const std::vector<std::string> &more) {
  std::vector<std::string> words = {tool, "-", "--emit=html"};
  words.insert(words.end(), more.begin(), more.end());
  const auto result = run(words, expression);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

/// From one text to the next of another; empty if there is none.
static std::string_view between(std::string_view page, std::string_view from,
                                std::string_view to) {
  const std::size_t begin = page.find(from);
  if (begin == page.npos)
    return {};
  return page.substr(begin, page.find(to, begin) - begin);
}

/// How often each part is named.
static std::map<std::string, int> keysOf(std::string_view html) {
  static constexpr std::string_view mark = "data-k=\"";
  std::map<std::string, int> keys;
  for (std::size_t at = html.find(mark); at != html.npos;
       at = html.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    ++keys[std::string(html.substr(begin, html.find('"', begin) - begin))];
  }
  return keys;
}

namespace {
/// The views of an expression on a page.
struct Views {
  /// They are of `page`, which must outlive them.
  explicit Views(std::string_view page)
      : tree(between(page, "the expression as a tree", "</svg>")),
        listing(between(page, "<ol class=\"listing\">", "</ol>")),
        ir(between(page, "<h3>LLVM IR", "<h3>Assembly")),
        assembly(between(page, "<h3>Assembly", "</section>")),
        costs(between(page, "<table class=\"costs\">", "</table>")) {}

  /// The list of the main loop's lines.
  static std::string_view loopOf(std::string_view code) {
    const std::size_t label = code.find("vector.loop:");
    const std::size_t begin = code.rfind("<ol", label);
    return code.substr(begin, code.find("</ol>", begin) - begin);
  }

  std::string_view tree, listing, ir, assembly, costs;
};
} // namespace

static void expectParts(const std::map<std::string, int> &some,
                        const std::map<std::string, int> &all) {
  for (const auto &[key, count] : some)
    EXPECT_TRUE(key == "loop" || all.contains(key)) << key;
}

static void expectStandsForItself(const std::string &page) {
  EXPECT_EQ(markupFault(page), "");
  for (const char *word :
       {"http", "src=", "url(", "@import", "<link", "fetch("})
    EXPECT_EQ(page.find(word), page.npos) << word;
  for (std::size_t at = page.find("href="); at != page.npos;
       at = page.find("href=", at + 1))
    EXPECT_EQ(page.substr(at, 7), "href=\"#");
}

TEST(DumpPage, SaysWhyAKernelTakesItsTime) {
  const std::string page = pageOf(example, zen);
  expectStandsForItself(page);
  for (const char *id :
       {"answer", "cost", "code", "units", "times", "doubts", "words"})
    EXPECT_NE(page.find("<section id=\"" + std::string(id) + "\""), page.npos)
        << id;
  for (const char *text :
       {"name=\"viewport\"", "prefers-color-scheme: dark", "<script>",
        "What it waits for is", "predicts <strong>", "<code>sin</code> takes",
        "micro-operations", "Not measured: measuring was turned off."})
    EXPECT_NE(page.find(text), page.npos) << text;
  EXPECT_EQ(page.find("nan"), page.npos);
}

TEST(DumpPage, TheSamePartHasTheSameNameEverywhere) {
  const std::string page = pageOf(example, zen);
  const Views views(page);
  const auto tree = keysOf(views.tree), listing = keysOf(views.listing);
  const auto ir = keysOf(views.ir), assembly = keysOf(views.assembly);
  const auto costs = keysOf(views.costs);
  // Eleven nodes, of which the three @0 are one, and the store.
  EXPECT_EQ(tree.size(), 10u);
  expectParts(tree, listing);
  expectParts(listing, tree);
  expectParts(ir, listing);
  expectParts(assembly, ir);
  for (const char *key : {"n0", "n1", "n2", "n3", "n6", "n8", "out0"}) {
    EXPECT_TRUE(ir.contains(key)) << key;
    EXPECT_TRUE(assembly.contains(key)) << key;
  }
  expectParts(assembly, costs);
}

TEST(DumpPage, EqualPartsAreOne) {
  const std::string page = pageOf("mul(add(@0,@1),add(@0,@1))", zen);
  const Views views(page);
  const auto tree = keysOf(views.tree), ir = keysOf(views.ir);
  EXPECT_EQ(tree.at("n0"), 2);
  EXPECT_EQ(tree.at("n2"), 2);
  EXPECT_EQ(tree.at("n6"), 1);
  EXPECT_FALSE(tree.contains("n5"));
  EXPECT_TRUE(ir.contains("n2") && ir.contains("n6"));
  // Another name of an operator is the same operator.
  EXPECT_EQ(keysOf(Views(pageOf("add(max(@0,@1),maximum(@0,@1))", zen)).tree)
                .at("n2"),
            2);
}

TEST(DumpPage, EveryInstructionOfTheLoopHasAPart) {
  const std::string page = pageOf(example, zen);
  const std::string_view loop = Views::loopOf(Views(page).assembly);
  int lines = 0, labels = 0, parts = 0;
  for (std::size_t at = loop.find("<li "); at != loop.npos;
       at = loop.find("<li ", at + 1)) {
    ++lines;
    labels += loop.substr(at).starts_with("<li class=\"label\"");
  }
  for (const auto &[key, count] : keysOf(loop))
    parts += count;
  EXPECT_GT(labels, 0);
  EXPECT_EQ(lines, labels + parts);
  // As many as the page says, and the sum of its table.
  const std::string count = std::to_string(parts);
  EXPECT_NE(page.find("<strong>" + count + " instructions</strong>"),
            page.npos);
  EXPECT_NE(
      between(Views(page).costs, "class=\"all\"", "</tr>").find(">" + count),
      page.npos);
}

TEST(DumpPage, IsTheSameFromRunToRun) {
  EXPECT_EQ(pageOf(example, zen), pageOf(example, zen));
  EXPECT_EQ(pageOf(example, {"--no-measure"}),
            pageOf(example, {"--no-measure"}));
}

TEST(DumpPage, WorksForOtherMachines) {
  for (const char *cpu :
       {"neoverse-n1", "apple-m1", "sapphirerapids", "cortex-a55", "haswell"}) {
    const std::string page =
        pageOf(example, {std::string("--mcpu=") + cpu, "--no-measure"});
    SCOPED_TRACE(cpu);
    expectStandsForItself(page);
    EXPECT_NE(page.find("predicts <strong>"), page.npos);
    expectParts(keysOf(Views(page).assembly), keysOf(Views(page).ir));
  }
  // LLVM has no model of it.
  const std::string page = pageOf(example, {"--mcpu=carmel"});
  expectStandsForItself(page);
  for (const char *text :
       {"LLVM has no model of carmel", "LLVM has no scheduling model of carmel",
        "Not measured: carmel is not this machine"})
    EXPECT_NE(page.find(text), page.npos) << text;
  EXPECT_NE(pageOf("@0", {"--mcpu=x86-64", "--no-measure"})
                .find("Kernels are interpreted on such a machine"),
            std::string::npos);
}

TEST(DumpPage, ShowsWhatItIsGiven) {
  const std::vector<std::vector<std::string>> cases = {
      {"tanh(add(@0,@1))", "--types=f16[n],f32"},
      {"add(mul(@0,3),remainder(@1,7))", "--types=i64[n],i64[n]"},
      {"where(@2,sin(@0),@1)", "--types=f32[n],f32[n],bool[n]"},
      {"exp(@0)", "--types=f32[n:s]"},
      {"[add(@0,@1),sub(@0,@1),@1]", "--baseline"},
      {"div(@0,size(@0,2))", "--precision=accurate"},
      {"pow(@0,@1)", "--types=f64[n],f64"},
      {"2.0", "--vector-bits=256"},
      {"add( @0 ,\n\tmul(@0,\n nan.0) )", "--no-measure"}};
  for (const auto &words : cases) {
    SCOPED_TRACE(words[0]);
    const std::string page =
        pageOf(words[0], {"--mcpu=znver3", "--no-measure", words[1]});
    expectStandsForItself(page);
    expectParts(keysOf(Views(page).assembly), keysOf(Views(page).ir));
    expectParts(keysOf(Views(page).tree), keysOf(Views(page).listing));
  }
  const std::string page = pageOf(cases[4][0], zen);
  for (const char *key : {"out0", "out1", "out2"})
    EXPECT_TRUE(keysOf(Views(page).assembly).contains(key)) << key;
}

TEST(DumpPage, IsBounded) {
  constexpr std::size_t most = 3 << 20;
  std::string deep = "@0", outputs = "[@0";
  for (int i = 0; i < 4000; ++i)
    deep = "neg(" + deep + ")";
  std::string sums = "@0";
  for (int i = 1; i < 1500; ++i)
    sums = "add(" + sums + ",@" + std::to_string(i % 40) + ")";
  for (int i = 0; i < 100; ++i)
    outputs += ",mul(@0," + std::to_string(i) + ".5)";
  for (const std::string &text : {deep, sums, outputs + "]"}) {
    const std::string page = pageOf(text, zen);
    SCOPED_TRACE(text.substr(0, 30));
    expectStandsForItself(page);
    EXPECT_LT(page.size(), most);
    EXPECT_LE(keysOf(Views(page).tree).size(), 300u);
  }
}

TEST(DumpPage, MeasuresHere) {
  const std::string page = pageOf("add(@0,@1)", {"--elements=40"});
  expectStandsForItself(page);
  // Where code is never generated there is nothing to time.
  if (page.find("Not measured: ") == page.npos) {
    EXPECT_NE(page.find("Nanoseconds an element, on one thread at"), page.npos);
    EXPECT_NE(page.find("40 elements"), page.npos);
  }
}
