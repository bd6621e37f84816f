//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Records.h"

#include "Support/Text.h"
#include "kexpr/Version.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

using namespace kexpr;
using namespace kexpr::tools;

using Json = nlohmann::ordered_json;

template <class... Args>
static std::string format(const char *pattern, Args... args) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, args...);
  return buffer;
}

std::string tools::hexText(double x) {
  return std::isnan(x) ? "nan" : format("%a", x);
}

std::string tools::hexText(std::span<const double> numbers) {
  std::string text;
  for (double x : numbers)
    text += (text.empty() ? "" : ", ") + hexText(x);
  return text.empty() ? "-" : text;
}

std::string tools::ulpText(double error) {
  return error < 1e4 ? format("%.4f", std::ceil(error * 1e4) / 1e4)
                     : format("%.4g", error);
}

std::string tools::shareText(std::uint64_t part, std::uint64_t whole) {
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return whole == 0 || part == 0 ? "0 %" : format("%.3g %%", share * 100);
}

static auto keyOf(const Accuracy &row) {
  return std::tuple(row.op, row.type, row.precision, row.width);
}

bool Records::has(ops::OpId op, DType type, Precision precision,
                  unsigned width) const {
  return std::ranges::binary_search(
      kept, std::tuple(op, type, precision, width), {}, keyOf);
}

void Records::add(const Accuracy &accuracy) {
  const auto at = std::ranges::lower_bound(kept, keyOf(accuracy), {}, keyOf);
  if (at != kept.end() && keyOf(*at) == keyOf(accuracy))
    *at = accuracy;
  else
    kept.insert(at, accuracy);
}

/// JSON has no infinity.
static Json numberJson(double x) {
  return std::isfinite(x) ? Json(x) : Json(hexText(x));
}

static double numberOf(const Json &json) {
  if (!json.is_string())
    return json.get<double>();
  const auto number = parseNumber(json.get<std::string>());
  return number ? *number : throw std::invalid_argument("no number");
}

static Json rowJson(const Accuracy &row) {
  const Tally &tally = row.tally;
  auto arguments = Json::array();
  for (double x : tally.ulp.arguments)
    arguments.push_back(hexText(x));
  const double inputs =
      static_cast<double>(std::max<std::uint64_t>(tally.inputs, 1));
  return {{"operator", ops::table()[row.op].info.name},
          {"type", nameOf(row.type)},
          {"precision", nameOf(row.precision)},
          {"width", row.width},
          {"bound", row.bound},
          {"worst", numberJson(tally.ulp.error)},
          {"arguments", arguments},
          {"misrounded", tally.misrounded},
          {"misroundedShare", static_cast<double>(tally.misrounded) / inputs},
          {"wrongSigns", tally.wrongSigns},
          {"differing", tally.differing},
          {"walked", tally.inputs},
          {"withinBound", row.isWithinBound()}};
}

std::string Records::json() const {
  auto rows = Json::array();
  for (const Accuracy &row : kept)
    rows.push_back(rowJson(row));
  const Json all = {{"program", "kexpr-ulp"},
                    {"version", KEXPR_VERSION},
                    {"cpu", Engine().targetCpu()},
                    {"step", step},
                    {"count", count},
                    {"rows", rows}};
  return all.dump(1) + '\n';
}

static std::optional<Precision> parsePrecision(std::string_view name) {
  for (Precision precision :
       {Precision::Default, Precision::Accurate, Precision::Fast})
    if (nameOf(precision) == name)
      return precision;
  return std::nullopt;
}

/// A row of a file; nothing where the table lacks its operator. Throws where
/// it is no row.
static std::optional<Accuracy> rowOf(const Json &json) {
  const auto op = ops::find(json.at("operator").get<std::string>());
  const auto type = parseDType(json.at("type").get<std::string>());
  const auto precision =
      parsePrecision(json.at("precision").get<std::string>());
  if (!type || !precision)
    throw std::invalid_argument("no such type or precision");
  if (!op || !isMeasurable(*op))
    return std::nullopt;
  Accuracy row{.op = *op,
               .type = *type,
               .precision = *precision,
               .width = json.at("width")};
  row.bound = boundOf(row.op, row.type, row.precision);
  row.tally.inputs = json.at("walked");
  row.tally.misrounded = json.at("misrounded");
  row.tally.wrongSigns = json.at("wrongSigns");
  row.tally.differing = json.at("differing");
  row.tally.ulp.error = numberOf(json.at("worst"));
  for (const Json &argument : json.at("arguments"))
    row.tally.ulp.arguments.push_back(numberOf(argument));
  return row;
}

Status Records::addJson(const std::string &text) {
  try {
    const Json all = Json::parse(text);
    const std::uint64_t itsStep = all.at("step"), itsCount = all.at("count");
    if (itsStep != step || itsCount != count)
      return Error(ErrorCode::InvalidArgument,
                   concat("its rows were measured with step ", itsStep,
                          " and count ", itsCount, ", not ", step, " and ",
                          count));
    for (const Json &json : all.at("rows"))
      if (const auto row = rowOf(json))
        add(*row);
    return {};
  } catch (const std::exception &) {
    return Error(ErrorCode::Io, "it is no file that kexpr-ulp wrote");
  }
}

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

static std::string rowText(const Accuracy &row) {
  const Tally &tally = row.tally;
  std::string worst = ulpText(tally.ulp.error);
  if (!row.isWithinBound())
    worst = "**" + worst + "**";
  if (tally.wrongSigns)
    worst += concat(", ", tally.wrongSigns, " wrong signs");
  if (tally.differing)
    worst += concat(", ", tally.differing, " unlike the interpreter");
  std::string at = hexText(tally.ulp.arguments);
  if (!tally.ulp.arguments.empty())
    at = "`" + at + "`";
  return concat("| `", ops::table()[row.op].info.name, "` | ", nameOf(row.type),
                " | ", row.type == DType::F64 ? "" : nameOf(row.precision),
                " | ", row.width, " | ", row.bound, " | ", worst, " | ", at,
                " | ", shareText(tally.misrounded, tally.inputs), " | ",
                tally.inputs, " |\n");
}

std::string Records::markdown() const {
  const MeasureRequest usual;
  const std::string floats = step == 1
                                 ? "are all there are"
                                 : concat("are one bit pattern out of ", step);
  std::string page =
      concat("# Accuracy\n\nThis page is what\n\n"
             "    kexpr-ulp --markdown docs/accuracy.md",
             step == usual.step ? "" : concat(" --step ", step),
             count == usual.count ? "" : concat(" --count ", count),
             "\n\nwrote on a CPU that LLVM calls `", Engine().targetCpu(),
             "`.\n", aboutErrors, "\nInputs of f32 operators of one argument ",
             floats, ";\nof the others, ", count,
             " special, structured and random ones.\n\n"
             "| operator | type | precision | width | bound | worst | at | not "
             "nearest | inputs |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Accuracy &row : kept)
    page += rowText(row);
  return page;
}
