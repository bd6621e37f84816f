//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Json.h"
#include "JitBench/Page.h"
#include "JitBench/Svg.h"
#include "JitBench/Tables.h"
#include "Tools/Command.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using namespace kexpr;
using namespace kexpr::tools;

static RunRow runRow(const std::string &side, unsigned threads,
                     double elements) {
  RunRow row;
  row.name = "a<b & \"c\"";
  row.size = std::to_string(static_cast<int>(elements));
  row.side = side;
  row.threads = threads;
  row.elements = elements;
  row.bytes = elements * 12;
  row.operations = elements * 3;
  row.seconds = elements * 1e-10 / threads;
  row.level = "L1";
  row.limit = {row.seconds / 2, row.seconds / 4};
  return row;
}

static Limits limitsOf(unsigned threads) {
  Limits limits;
  limits.threads = threads;
  limits.fmaPerSecond = 1e11 * threads;
  for (const char *name : {"L1", "L2", "L3", "DRAM"})
    limits.levels.push_back({name, 1 << 20, {2e11, 1e11, 1e11, 0, 0}});
  return limits;
}

static Findings sample() {
  Findings findings;
  findings.machine = "a <processor> & more";
  findings.date = "2026-01-31 12:00";
  findings.expressions = {{"a<b & \"c\"", "@0"}};
  findings.peers = {{"cpp", "a <compiler>"}};
  for (unsigned threads : {1u, 2u}) {
    findings.limits.push_back(limitsOf(threads));
    for (double elements : {1000.0, 1e6})
      for (const char *side : {"fused", "cpp"})
        findings.runs.push_back(runRow(side, threads, elements));
  }
  LatencyRow latency;
  latency.name = "a<b & \"c\"";
  latency.stages = {{"parse", 1e-6}, {"codegen", 1e-3}};
  latency.compile = 2e-3;
  latency.memory = 1e-7;
  findings.latencies.push_back(latency);
  return findings;
}

namespace {
/// Reads tags and texts of XML as far as the page uses it: no comments, no
/// namespaces, nothing outside of tags but text.
class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}

  /// Empty if every element is closed where it should be and every text is
  /// written as XML asks for.
  std::string fault() {
    take("<!DOCTYPE html>");
    while (!rest.empty()) {
      const std::size_t next = std::min(rest.find('<'), rest.size());
      if (const auto bad = badText(rest.substr(0, next)); !bad.empty())
        return "text: " + bad;
      rest.remove_prefix(next);
      if (!rest.empty())
        if (const auto bad = tag(); !bad.empty())
          return bad;
    }
    return open.empty() ? "" : "open: " + open.back();
  }

private:
  void take(std::string_view word) {
    if (rest.starts_with(word))
      rest.remove_prefix(word.size());
  }

  static std::string badText(std::string_view text) {
    for (std::size_t at = text.find('&'); at != text.npos;
         at = text.find('&', at + 1)) {
      bool isKnown = false;
      for (const char *name : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        isKnown |= text.substr(at).starts_with(name);
      if (!isKnown)
        return std::string(text.substr(at, 20));
    }
    return "";
  }

  std::string tag() {
    const std::size_t end = rest.find('>');
    if (end == rest.npos)
      return "no end of a tag";
    std::string_view inside = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1))
        return "closes " + std::string(inside);
      open.pop_back();
      return "";
    }
    const bool isClosed = inside.ends_with('/');
    const std::string_view name = inside.substr(0, inside.find_first_of(" /"));
    if (std::count(inside.begin(), inside.end(), '"') % 2 != 0 ||
        inside.find('<') != inside.npos || !badText(inside).empty())
      return "attributes: " + std::string(inside);
    if (!isClosed)
      open.emplace_back(name);
    return "";
  }

  std::string_view rest;
  std::vector<std::string> open;
};
} // namespace

TEST(JitBenchReport, ReaderSeesFaults) {
  EXPECT_EQ(Reader("<!DOCTYPE html><p a=\"1\">x &amp; y<br/></p>").fault(), "");
  for (const char *text : {"<p>", "<p></q>", "</p>", "a & b", "<p a=\"1>x</p>",
                           "<p a=\"&\"></p>", "<p"})
    EXPECT_NE(Reader(text).fault(), "") << text;
}

TEST(JitBenchReport, PageIsWellFormedAndHasItsSections) {
  const std::string page = renderPage(sample());
  EXPECT_EQ(Reader(page).fault(), "");
  for (const char *id : {"machine", "roofline", "throughput", "scaling",
                         "compile", "latency", "tables"})
    EXPECT_NE(page.find("<section id=\"" + std::string(id) + "\">"), page.npos)
        << id;
  for (const char *text : {"name=\"viewport\"", "prefers-color-scheme: dark",
                           "2026-01-31 12:00", "<svg ", "<table>"})
    EXPECT_NE(page.find(text), page.npos) << text;
}

TEST(JitBenchReport, PageEscapesAndRefersToNothing) {
  const std::string page = renderPage(sample());
  EXPECT_EQ(page.find("a<b"), page.npos);
  EXPECT_EQ(page.find("<processor>"), page.npos);
  EXPECT_NE(page.find("a&lt;b &amp; &quot;c&quot;"), page.npos);
  for (const char *word :
       {"http", "src=", "href", "url(", "@import", "<script"})
    EXPECT_EQ(page.find(word), page.npos) << word;
  EXPECT_EQ(escape("<&>\"'\n"), "&lt;&amp;&gt;&quot;&#39; ");
}

TEST(JitBenchReport, PageOfNothingIsAPage) {
  EXPECT_EQ(Reader(renderPage({})).fault(), "");
}

TEST(JitBenchReport, JsonHasTheRows) {
  const Findings findings = sample();
  const auto object = toJson(findings);
  ASSERT_EQ(object["runs"].size(), 8u);
  EXPECT_EQ(object["runs"][1]["side"], "cpp");
  EXPECT_DOUBLE_EQ(object["runs"][0]["of_limit"], 0.5);
  EXPECT_EQ(object["limits"].size(), 2u);
  EXPECT_EQ(object["limits"][0]["levels"].size(), 4u);
  EXPECT_DOUBLE_EQ(object["latencies"][0]["stages"]["codegen"], 1e-3);
}

TEST(JitBenchReport, TablesShowEverySide) {
  std::ostringstream out;
  printTables(out, sample());
  for (const char *text : {"of limit", "best peer", "50 %", "GFMA/s", "cpp"})
    EXPECT_NE(out.str().find(text), std::string::npos) << text;
}

TEST(JitBenchReport, PeersOfOtherProgramsAreAdded) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("peers.json");
  test::writeFile(path, R"({"peers": {"numpy": "NumPy 1"}, "rows": [
    {"peer": "numpy", "expression": "@0", "elements": 1000,
     "threads": 1, "seconds": 1e-6},
    {"peer": "numpy", "expression": "@0", "elements": 7,
     "threads": 1, "seconds": 1e-6}]})");
  Findings findings = sample();
  ASSERT_TRUE(addPeers(path, findings));
  ASSERT_EQ(findings.runs.size(), 9u);
  EXPECT_EQ(findings.runs.back().side, "numpy");
  EXPECT_EQ(findings.sides().back(), "numpy");
  EXPECT_EQ(findings.peers.back().second, "NumPy 1");
}

TEST(JitBenchReport, BadPeerFilesAreRefused) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("peers.json");
  Findings findings = sample();
  for (const char *text :
       {"", "[]", "{}", R"({"peers": {}, "rows": [{}]})",
        R"({"peers": {"a": 1}, "rows": []})",
        R"({"peers": {}, "rows": [{"peer": "a", "expression": "b",
            "elements": 1, "threads": 1, "seconds": 0}]})"}) {
    test::writeFile(path, text);
    EXPECT_FALSE(addPeers(path, findings)) << text;
  }
  EXPECT_FALSE(addPeers(directory.path("none"), findings));
  EXPECT_EQ(findings.runs.size(), 8u);
}
