//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/accuracy.md.
//
//===----------------------------------------------------------------------===//
#include "Support/Text.h"
#include "Ulp/Records.h"
#include "Ulp/Text.h"

using namespace kexpr;
using namespace kexpr::tools;

static constexpr std::string_view aboutErrors = R"(
Every row is one compiled kernel held against the reference of its operator,
which is computed with as many bits as it takes. A unit in the last place (ulp)
is the distance of two neighbours of the result's type where the exact result
is; it is the same from one power of two up to the next, and for all
subnormals. 0 is exact, 0.5 correctly rounded. What is too large counts as
2^128 in f32 and 2^1024 in f64. NaN is right where the reference is NaN, and
infinitely wrong elsewhere; a zero of the wrong sign breaks the bound whatever
it is.

**Bound** is what the operator table states, **worst** the largest error that
was met, in ulp, rounded up, and **at** the arguments where it was.
**Not nearest** is the share of results that are not the number nearest to the
exact one, **inputs** how many were computed.
)";

static constexpr std::string_view header =
    "\n| operator | type | precision | width | bound | worst | at | not "
    "nearest "
    "| inputs |\n|---|---|---|---|---|---|---|---|---|\n";

static std::string commandOf(std::uint32_t step, std::uint64_t count) {
  std::string command = "kexpr-ulp --markdown docs/accuracy.md";
  const MeasureRequest usual;
  if (step != usual.step)
    command += concat(" --step ", step);
  if (count != usual.count)
    command += concat(" --count ", count);
  return command;
}

static std::string inputsText(std::uint32_t step, std::uint64_t count) {
  const std::string floats = step == 1
                                 ? "are all there are"
                                 : concat("are one bit pattern out of ", step);
  return concat("Inputs of f32 operators of one argument ", floats,
                ";\nof the others, ", count,
                " special, structured and random ones.\n");
}

static std::string rowText(const Accuracy &row) {
  std::string worst = ulpText(row.worst);
  if (!row.isWithinBound())
    worst = "**" + worst + "**";
  if (row.wrongSigns)
    worst += concat(", ", row.wrongSigns, " wrong signs");
  if (row.differing)
    worst += concat(", ", row.differing, " unlike the interpreter");
  std::string at = hexText(row.arguments);
  if (!row.arguments.empty())
    at = "`" + at + "`";
  return concat("| `", ops::table()[row.op].info.name, "` | ", nameOf(row.type),
                " | ", row.type == DType::F64 ? "" : nameOf(row.precision),
                " | ", row.width, " | ", row.bound, " | ", worst, " | ", at,
                " | ", shareText(row.misrounded, row.walked), " | ", row.walked,
                " |\n");
}

std::string Records::markdown() const {
  std::string page =
      concat("# Accuracy\n\nThis page is what\n\n    ", commandOf(step, count),
             "\n\nwrote on a CPU that LLVM calls `", Engine().targetCpu(),
             "`.\n", aboutErrors, '\n', inputsText(step, count), header);
  for (const Accuracy &row : kept)
    page += rowText(row);
  return page;
}
