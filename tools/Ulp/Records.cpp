//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Records.h"

#include "Support/Text.h"
#include "Ulp/Text.h"
#include "kexpr/Version.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

using namespace kexpr;
using namespace kexpr::tools;

using Json = nlohmann::ordered_json;

static auto keyOf(const Accuracy &row) {
  return std::tuple(row.op, row.type, row.precision, row.width);
}

static bool isBefore(const Accuracy &a, const Accuracy &b) {
  return keyOf(a) < keyOf(b);
}

bool Records::isWithinBounds() const {
  return std::all_of(kept.begin(), kept.end(),
                     [](const Accuracy &row) { return row.isWithinBound(); });
}

bool Records::has(ops::OpId op, DType type, Precision precision,
                  unsigned width) const {
  return std::binary_search(
      kept.begin(), kept.end(),
      Accuracy{.op = op, .type = type, .precision = precision, .width = width},
      isBefore);
}

void Records::add(const Accuracy &accuracy) {
  const auto place =
      std::lower_bound(kept.begin(), kept.end(), accuracy, isBefore);
  if (place != kept.end() && keyOf(*place) == keyOf(accuracy))
    *place = accuracy;
  else
    kept.insert(place, accuracy);
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
  auto arguments = Json::array();
  for (double x : row.arguments)
    arguments.push_back(hexText(x));
  const double walked =
      static_cast<double>(std::max<std::uint64_t>(row.walked, 1));
  return {{"operator", ops::table()[row.op].info.name},
          {"type", nameOf(row.type)},
          {"precision", nameOf(row.precision)},
          {"width", row.width},
          {"bound", row.bound},
          {"worst", numberJson(row.worst)},
          {"arguments", arguments},
          {"misrounded", row.misrounded},
          {"misroundedShare", static_cast<double>(row.misrounded) / walked},
          {"wrongSigns", row.wrongSigns},
          {"differing", row.differing},
          {"walked", row.walked},
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

/// A row of a file; nothing where its operator is no more. Throws where it is
/// no row.
static std::optional<Accuracy> rowOf(const Json &json) {
  const auto op = ops::find(json.at("operator").get<std::string>());
  const auto type = parseDType(json.at("type").get<std::string>());
  const auto precision = json.at("precision").get<std::string>();
  if (!type || (precision != "default" && precision != "accurate"))
    throw std::invalid_argument("no such type or precision");
  if (!op || !isMeasurable(*op))
    return std::nullopt;
  Accuracy row{.op = *op,
               .type = *type,
               .precision = precision == "default" ? Precision::Default
                                                   : Precision::Accurate,
               .width = json.at("width").get<unsigned>(),
               .worst = numberOf(json.at("worst")),
               .misrounded = json.at("misrounded").get<std::uint64_t>(),
               .wrongSigns = json.at("wrongSigns").get<std::uint64_t>(),
               .differing = json.at("differing").get<std::uint64_t>(),
               .walked = json.at("walked").get<std::uint64_t>()};
  row.bound = boundOf(row.op, row.type, row.precision);
  for (const Json &argument : json.at("arguments"))
    row.arguments.push_back(numberOf(argument));
  return row;
}

Status Records::addJson(const std::string &text) {
  try {
    const Json all = Json::parse(text);
    const auto itsStep = all.at("step").get<std::uint64_t>();
    const auto itsCount = all.at("count").get<std::uint64_t>();
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
