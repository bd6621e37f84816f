//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/RowFunctions.h"

#include "Ops/Conversion.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <cmath>

using namespace kexpr;
using namespace kexpr::semantics;

Status RowCallReader::readAxes(const Node &argument, bool isOne,
                               AxisSet &set) const {
  const auto add = [&](const Node &axis) -> Status {
    if (axis.kind == NodeKind::List)
      return fault(axis, concat(quote(call.name), " takes one axis"));
    if (axis.kind != NodeKind::Integer)
      return fault(axis, concat("an axis of ", quote(call.name),
                                " is an integer that is written out"));
    constexpr auto most = static_cast<std::int64_t>(MaxRank);
    if (axis.integer < -most || axis.integer >= most)
      return fault(
          axis, concat("axis ", axis.integer, " is none of at most ", MaxRank));
    if (std::find(set.axes.begin(), set.axes.end(), axis.integer) !=
        set.axes.end())
      return fault(axis, concat("axis ", axis.integer, " appears twice"));
    set.axes.push_back(axis.integer);
    return {};
  };
  if (argument.kind == NodeKind::List && !isOne) {
    for (std::uint32_t axis : argument.children)
      if (auto status = add(expression.nodes()[axis]); !status)
        return status;
    // One order for what is one set.
    std::sort(
        set.axes.begin(), set.axes.end(), [](std::int64_t a, std::int64_t b) {
          return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
        });
    return {};
  }
  return argument.kind == NodeKind::None ? Status() : add(argument);
}

Status RowCallReader::checkClasses(const Node &argument,
                                   const TypedValue &value) const {
  if (argument.kind == NodeKind::None ||
      (!value.number && ops::isInteger(value.type)))
    return {};
  return fault(argument,
               concat(quote(call.name), " takes a tensor of integers here"),
               ErrorCode::TypeMismatch);
}

/// Whether a setting may be a number, and what such a setting is.
static std::pair<bool, std::string_view> rangeOf(RowArgument kind,
                                                 double number) {
  // PNNX writes orders as 2.0.
  constexpr double mostWhole = 1 << 20, mostExact = 0x1p53;
  const bool isWhole = number == std::trunc(number);
  switch (kind) {
  case RowArgument::Whole:
    return {isWhole && number >= 0 && number <= mostWhole,
            "an integer from 0 on"};
  case RowArgument::Count:
    return {isWhole && number >= 1 && number <= mostWhole,
            "an integer from 1 on"};
  case RowArgument::NotNegative:
    return {number >= 0, "a number from 0 on"};
  case RowArgument::Positive:
    return {number > 0, "a number above 0"};
  case RowArgument::Ignored:
    return {isWhole && std::abs(number) < mostExact, "an integer below 2^53"};
  default:
    return {true, "a number"};
  }
}

Status RowCallReader::readNumber(const Node &argument, RowArgument kind,
                                 RowSettings &settings) const {
  if (argument.kind == NodeKind::None && kind >= RowArgument::Number)
    return {};
  const bool isNumber =
      argument.kind == NodeKind::Integer || argument.kind == NodeKind::Float;
  const auto [fits, what] = rangeOf(kind, argument.number);
  if (!isNumber || !fits)
    return fault(argument, concat(quote(call.name), " takes ", what, " here"));
  if (kind < RowArgument::Number)
    settings.whole = static_cast<std::int64_t>(argument.number);
  else
    settings.number = argument.number;
  return {};
}

Expected<RowSettings>
RowCallReader::read(const std::vector<TypedValue> &values) const {
  RowSettings settings;
  settings.reduction = function.reduction;
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    const std::uint32_t child = call.children[i];
    const Node &argument = expression.nodes()[child];
    switch (const RowArgument kind = function.list[i]) {
    case RowArgument::Classes:
      if (auto status = checkClasses(argument, values[child]); !status)
        return status.error();
      [[fallthrough]];
    case RowArgument::Tensor:
    case RowArgument::Maybe:
      if (argument.kind != NodeKind::None)
        settings.tensors.emplace_back(values[child]);
      else if (kind == RowArgument::Maybe)
        settings.tensors.emplace_back(std::nullopt);
      else
        return fault(argument,
                     concat(quote(call.name), " takes a tensor here"));
      break;
    case RowArgument::Along:
      if (argument.kind == NodeKind::None)
        return fault(argument,
                     concat(quote(call.name), " goes along one axis, "
                                              "which is written out"));
      [[fallthrough]];
    case RowArgument::Axis:
    case RowArgument::Axes:
      if (auto status =
              readAxes(argument, kind != RowArgument::Axes, settings.axes);
          !status)
        return status.error();
      break;
    case RowArgument::Stay:
      if (argument.kind != NodeKind::Bool)
        return fault(argument, concat("whether ", quote(call.name),
                                      " keeps its axes is True or False"));
      settings.axes.stay = argument.integer != 0;
      break;
    default:
      if (auto status = readNumber(argument, kind, settings); !status)
        return status.error();
    }
  }
  return settings;
}
