//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageWords.h"

#include "Bench/Table.h"
#include "Page/Html.h"
#include "Page/Plot.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

std::string tools::verdictOf(const PageData &data, const LoopTime &time) {
  // Less than this part of the time explains nothing.
  constexpr double most = 0.65, nearly = 0.8;
  const double computing = data.measured.times[0].best;
  const bool isFirst = &time == data.measured.times.data();
  if (time.moving > (isFirst ? nearly : 1) * computing &&
      time.moving > most * time.best)
    return "moving the bytes";
  return computing > most * time.best
             ? "computing"
             : "neither computing nor moving bytes alone";
}

static std::string barRow(const std::string &name, double from, double value,
                          double most, const char *cls,
                          const std::string &text) {
  auto width = [&](double part) {
    return number(100 * std::clamp(part / most, 0.0, 1.0), 2);
  };
  return concat("<div class=\"row\"><span>", escape(name),
                "</span><span class=\"bar\"><i class=\"fill ", cls,
                "\" style=\"width:", width(from), "%\"></i>",
                value > from ? concat("<i class=\"fill faint ", cls,
                                      "\" style=\"width:", width(value - from),
                                      "%\"></i>")
                             : std::string(),
                "</span><span class=\"value\">", escape(text),
                "</span></div>\n");
}

static std::string sizeText(double bytes) {
  return bytes < 1e6 ? concat(number(bytes / 1e3, 0), " kB")
                     : concat(number(bytes / 1e6, 1), " MB");
}

/// The bars of a size, as wide as `most` seconds.
static std::string timeHtml(const PageData &data, const LoopTime &time,
                            double most) {
  auto text = [](double seconds) { return number(seconds * 1e9, 3); };
  std::string html = concat("<h3>", escape(time.level), " <small>",
                            shortNumber(double(time.elements)), " elements, ",
                            sizeText(double(time.bytes)), ": the limit is ",
                            escape(verdictOf(data, time)),
                            "</small></h3>\n<div class=\"bars\">\n");
  if (data.report.prediction) {
    const double cycles =
        data.report.prediction->cycles / data.elements() / time.clock;
    html += barRow("computing, predicted", cycles, cycles, most, "computing",
                   text(cycles));
  }
  if (time.moving > 0)
    html += barRow("moving the bytes", time.moving, time.moving, most, "moving",
                   text(time.moving));
  return concat(html,
                barRow("measured", time.best, time.median, most, "measured",
                       text(time.median)),
                "</div>\n");
}

std::string tools::timesHtml(const PageData &data) {
  if (data.measured.times.empty())
    return sentence(concat("Not measured: ", data.measured.reason, "."));
  double most = 0, clock = 0;
  for (const LoopTime &time : data.measured.times) {
    most = std::max({most, time.median, time.moving});
    clock = std::max(clock, time.clock);
    if (data.report.prediction)
      most = std::max(most, data.report.prediction->cycles / data.elements() /
                                time.clock);
  }
  std::string html = sentence(concat(
      "Nanoseconds an element, on one thread at ", number(clock * 1e-9, 2),
      " GHz. Measured is the median of 15 runs, and dark up to the "
      "best of them; moving the bytes is what loops take that do "
      "nothing else with as many."));
  for (const LoopTime &time : data.measured.times)
    html += timeHtml(data, time, most);
  return html;
}
