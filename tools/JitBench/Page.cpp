//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Page.h"

#include "JitBench/Charts.h"
#include "JitBench/Tables.h"
#include "Page/Html.h"
#include "Page/Style.h"

#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::tools;

static std::string
list(const std::vector<std::pair<std::string, std::string>> &items,
     bool areSides) {
  std::string html = "<dl>\n";
  for (const auto &[name, text] : items)
    html += concat("<dt>", escape(areSides ? titleOf(name) : name),
                   "</dt><dd><code>", escape(text), "</code></dd>\n");
  return html + "</dl>\n";
}

static std::string machineSection(const Findings &findings) {
  return section(
      "machine", "Machine and limits", findings.machine + ".",
      list(findings.expressions, false) +
          (findings.peers.empty() ? "" : list(findings.peers, true)) +
          tableHtml("Bandwidth in GB/s (nt: stored past the caches) "
                    "and multiply-adds",
                    limitTable(findings)));
}

static std::string tables(const Findings &findings) {
  return tableHtml("The fused kernel", throughputTable(findings)) +
         tableHtml("All sides, ns per element", peerTable(findings)) +
         tableHtml("Compile time by stage, ms", stageTable(findings)) +
         tableHtml("Ways to a kernel, and a call of 16 elements",
                   latencyTable(findings));
}

static std::string plots(const Findings &findings) {
  return section(
             "roofline", "Roofline",
             "Each mark is the fused kernel of an expression at one size, in "
             "the colour of the level its data live in. A mark belongs under "
             "the slanted line of that level, its best measured stream, and "
             "under the flat one, which is an estimate: operations are not all "
             "multiply-adds.",
             rooflineCharts(findings)) +
         section("throughput", "Throughput against size",
                 "On one thread unless it says otherwise. Dotted: the limit of "
                 "one thread. Upright lines: where operands and outputs "
                 "outgrow a cache.",
                 throughputCharts(findings)) +
         section("scaling", "Scaling",
                 "The fused kernel on more threads against one; dotted: as "
                 "many times as threads.",
                 scalingCharts(findings)) +
         section("compile", "Compile time by stage",
                 "A new expression to its kernel. Loading and what no stage "
                 "counts is other.",
                 compileChart(findings)) +
         section("latency", "Ways to a kernel",
                 "Each expression from its text, as new, known on disk and "
                 "known in memory, and one small call.",
                 latencyChart(findings));
}

std::string tools::renderPage(const Findings &findings) {
  return document(
      "kexpr measured", pageStyle,
      concat("<header>\n<h1>kexpr measured</h1>\n<p class=\"soft\">",
             escape(findings.date), "</p>\n</header>\n",
             machineSection(findings), plots(findings),
             section("tables", "Tables",
                     "The limit of a kernel is the larger of its bytes at its "
                     "level's best bandwidth and its operations at the speed "
                     "of multiply-adds.",
                     tables(findings))));
}
