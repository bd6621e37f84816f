//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Report.h"
#include "TestUtil/Skips.h"
#include "Tools/Drawn.h"

#include <nlohmann/json.hpp>

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
  latency.seconds = {{"compile", 2e-3}, {"memory", 1e-7}};
  findings.latencies.push_back(latency);
  return findings;
}

TEST(JitBenchReport, PageHasItsPlots) {
  if (!test::hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  const std::string page = test::drawn(renderPage(sample()));
  for (const char *text :
       {"roofline for 1 threads", "roofline for 2 threads", "throughput of",
        "scaling at 1000000", "compile time by stage", "ways to a kernel",
        "2026-01-31 12:00", "<td>50 %</td>", "<dt>C++</dt>",
        "a&lt;b &amp; &quot;c&quot;", "a &lt;compiler&gt;"})
    EXPECT_NE(page.find(text), page.npos) << text;
  for (const char *word :
       {"NaN", "undefined", "Infinity", "[object", "was measured."})
    EXPECT_EQ(page.find(word), page.npos) << word;
}

TEST(JitBenchReport, AxesFitAnyTime) {
  if (!test::hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  Findings findings = sample();
  for (double seconds : {0.0, 3e-9, 1.7e-3, 87e-3, 0.95, 12.0}) {
    findings.latencies[0].seconds = {{"compile", seconds}, {"memory", seconds}};
    const std::string page = test::drawn(renderPage(findings));
    EXPECT_EQ(page.find("=\"NaN"), page.npos) << seconds;
    EXPECT_EQ(page.find("NaN\""), page.npos) << seconds;
  }
}

TEST(JitBenchReport, PageRefersToNothing) {
  const std::string page = renderPage(sample());
  for (const char *word : {"https:", "src=", "href", "url(", "@import",
                           "innerHTML", "a<b", "<processor>"})
    EXPECT_EQ(page.find(word), page.npos) << word;
}

TEST(JitBenchReport, PageShowsAnyTextAsText) {
  Findings findings = sample();
  for (const std::string &text :
       {std::string("</script><script>throw 1</script><img>"),
        std::string("a\0b\xff", 4), "<!--" + std::string(1 << 20, 'x')}) {
    findings.machine = findings.runs[0].name = findings.latencies[0].name =
        findings.expressions[0].first = findings.peers[0].second = text;
    const std::string page = renderPage(findings);
    EXPECT_EQ(page.find('\0'), page.npos);
    EXPECT_EQ(page.find(text), page.npos);
    if (test::hasNode()) {
      EXPECT_EQ(test::drawn(page).find("<img"), page.npos);
    }
  }
}

TEST(JitBenchReport, PageOfNothingIsAPage) {
  if (!test::hasNode())
    GTEST_SKIP() << kexpr::test::skips::NoNode;
  EXPECT_NE(test::drawn(renderPage({})).find("No throughput was measured."),
            std::string::npos);
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
