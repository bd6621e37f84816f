//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageWords.h"

#include "Bench/Table.h"
#include "Dump/PageCost.h"
#include "Page/Svg.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;
using codegen::LoopPrediction;

std::string tools::term(std::string_view id, std::string_view shown) {
  return concat("<a href=\"#word-", id, "\">", escape(shown), "</a>");
}

static std::string item(const std::string &text) {
  return concat("<li>", text, "</li>\n");
}

/// Whom the model may have been made for.
static std::string modelText(const PageData &data) {
  constexpr std::size_t most = 4;
  const LoopPrediction &prediction = *data.report.prediction;
  if (prediction.alsoOf.empty())
    return "";
  std::string names;
  for (std::size_t i = 0; i < std::min(most, prediction.alsoOf.size()); ++i)
    names += (i ? ", " : "") + prediction.alsoOf[i];
  return item(concat("LLVM describes ", escape(data.target.cpu),
                     " by the same model as ", escape(names),
                     prediction.alsoOf.size() > most ? " and others" : "",
                     ". It fits at most one of them exactly, and a newer core "
                     "is often faster than an older one's model."));
}

/// Where most instructions keep a unit for two cycles, vectors go in halves.
static std::string halvesText(const PageData &data) {
  unsigned twice = 0, all = 0;
  for (const auto &instruction : data.report.code) {
    double cycles = 0;
    for (const codegen::UnitUse &use : instruction.units)
      if (std::find(data.limit.units.begin(), data.limit.units.end(),
                    use.unit) != data.limit.units.end())
        cycles += use.cycles;
    all += cycles > 0;
    twice += cycles > 1.9;
  }
  if (data.report.vectorBits < 512 || 2 * twice < all)
    return "";
  return item(concat("In this model ", twice, " of the ", all,
                     " instructions on the busiest units keep one for two "
                     "cycles, as in a core that computes 512 bits in two "
                     "halves. One that computes them at once needs about half "
                     "as many."));
}

static std::string ratioText(const PageData &data) {
  constexpr double fast = 0.85, slow = 1.2;
  const double measured = data.measuredCycles();
  const double ratio = measured / data.report.prediction->cycles;
  if (measured <= 0)
    return "";
  const std::string times =
      concat("Measured are ", cyclesText(measured), " cycles a step where ",
             cyclesText(data.report.prediction->cycles), " are predicted");
  if (ratio < fast)
    return item(times + ": this core is faster than the model. Which operator "
                        "costs most can be read from the shares all the same; "
                        "cycles are fewer than the bars say.");
  if (ratio > slow)
    return item(concat(times,
                       ": something that is not simulated counts here. "
                       "Of so few elements as ",
                       data.measured.times[0].elements,
                       ", the call and the elements that are left behind the "
                       "last step take their part, too."));
  return item(times + ", which is near.");
}

static std::string noiseText(const PageData &data) {
  std::string levels;
  for (const LoopTime &time : data.measured.times)
    if (time.median > 1.15 * time.best)
      levels += (levels.empty() ? "" : ", ") + time.level;
  return levels.empty()
             ? ""
             : item(concat("Runs differed by more than 15 % in ",
                           escape(levels),
                           ": the machine did other things, and the best run "
                           "says more than the median."));
}

std::string tools::doubtsHtml(const PageData &data) {
  std::string html = "<ul class=\"plain\">\n";
  if (data.report.prediction) {
    html += ratioText(data) + modelText(data) + halvesText(data);
    if (const unsigned unknown = data.report.prediction->unknown)
      html += item(concat("The model lacks ", unknown,
                          " of the instructions; they are left out."));
    html += item("Not simulated are fetching and decoding, a load that waits "
                 "for a store, and branches that were foreseen wrongly. Data "
                 "are taken to be in the first-level cache.");
    html += item("What an operator costs is what its instructions take of what "
                 "limits the loop in the simulation. Where something else "
                 "limits the real loop, shares are others.");
  }
  html += noiseText(data);
  html += item("Arithmetic operations are those of the formulas: a fused "
               "multiply-add, a comparison or a conversion is one, a division "
               "or root five, and twice as many on 64-bit elements.");
  if (!data.target.hasFma)
    html += item("Kernels are interpreted on such a machine, as it has no "
                 "fused multiply-add; this code is never used.");
  return html + "</ul>\n";
}

std::string tools::wordsHtml() {
  static const std::pair<const char *, const char *> words[] = {
      {"step", "One turn of the main loop: as many elements as its vectors "
               "hold. What is left at the end takes another loop."},
      {"vector", "Elements side by side in one register, which one instruction "
                 "computes all together."},
      {"micro-operation", "What the core makes of an instruction: mostly one "
                          "of them, two or more for complicated ones."},
      {"issue", "Beginning micro-operations. A core begins only so many a "
                "cycle, whatever they do."},
      {"unit", "What computes, loads or stores; also called a port. Each "
               "begins about one micro-operation a cycle. Names are those of "
               "LLVM's model."},
      {"latency", "Cycles from the beginning of an instruction until others "
                  "can use its result."},
      {"chain", "Instructions of a step that each wait for the one before; the "
                "longest one, from a load to a store."},
      {"window", "How many micro-operations can be under way together. While "
                 "one step waits for its chain, the core works on the next "
                 "steps, if they fit in."},
      {"order", "A core without a window begins instructions in the order of "
                "the program: when one waits, all behind it do."},
      {"carried", "What a step needs of the step before it, such as the "
                  "count."},
      {"register", "Where the core keeps the values that it computes with. "
                   "When there are too few, values go to the stack and back."},
      {"caches", "L1 and L2 are memories near the core, L3 is shared; DRAM is "
                 "the memory behind them."},
      {"IR", "LLVM's intermediate code: what kexpr writes, and LLVM turns into "
             "instructions."}};
  std::string html = "<dl class=\"words\">\n";
  for (const auto &[name, text] : words)
    html += concat("<dt id=\"word-", std::string(name), "\">", name,
                   "</dt><dd>", escape(text), "</dd>\n");
  return html + "</dl>\n";
}
