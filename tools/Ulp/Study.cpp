//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Study.h"

#include "Support/Quote.h"
#include "Support/Text.h"
#include "Ulp/Order.h"
#include "Ulp/Text.h"

#include <algorithm>
#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;

bool Study::isConsistent() const {
  for (const auto &outputs : tallies)
    for (const auto &kernels : outputs)
      for (const Tally &tally : kernels)
        if (tally.differing)
          return false;
  return true;
}

template <class... Args> static Error invalid(const Args &...args) {
  return {ErrorCode::InvalidArgument, concat(args...)};
}

Status tools::addRange(std::string_view text,
                       std::map<std::uint32_t, Range> &ranges) {
  const std::size_t equals = text.find('='), colon = text.find(':');
  if (equals == text.npos || colon == text.npos || colon < equals)
    return invalid("range ", quote(text),
                   " is not written OPERAND=LOW:HIGH, as 0=-10:10");
  const auto operand = parseWhole(text.substr(0, equals));
  if (!operand || *operand >= ParseLimits().maxOperands)
    return invalid("range ", quote(text), " names no operand");
  const auto low = parseNumber(text.substr(equals + 1, colon - equals - 1));
  const auto high = parseNumber(text.substr(colon + 1));
  if (!low || !high)
    return invalid("range ", quote(text), " lacks a number on one side of ':'");
  if (!std::isfinite(*low) || !std::isfinite(*high))
    return invalid("the ends of range ", quote(text), " must be finite");
  if (*low > *high)
    return invalid("range ", quote(text), " is empty: ", *low, " is more than ",
                   *high);
  const auto key = static_cast<std::uint32_t>(*operand);
  if (!ranges.emplace(key, Range{*low, *high}).second)
    return invalid("operand @", key, " has two ranges");
  return {};
}

static bool isUsed(const Expression &expression, std::uint32_t operand) {
  const auto used = expression.usedOperands();
  return std::binary_search(used.begin(), used.end(), operand);
}

/// A range for each operand slot, its ends numbers of the type.
static Expected<std::vector<Range>> rangesOf(const Expression &expression,
                                             const StudyRequest &request) {
  std::vector<Range> ranges(expression.operandCount(), UsualRange);
  for (const auto &[operand, range] : request.ranges) {
    if (!isUsed(expression, operand))
      return invalid("there is a range for @", operand,
                     ", which the expression does not use");
    const Range rounded{roundTo(request.type, range.low),
                        roundTo(request.type, range.high)};
    if (!std::isfinite(rounded.low) || !std::isfinite(rounded.high))
      return invalid("the range of @", operand, " is too wide for ",
                     nameOf(request.type));
    ranges[operand] = rounded;
  }
  return ranges;
}

static Expected<Inputs> inputsOf(const Expression &expression,
                                 const StudyRequest &request) {
  auto ranges = rangesOf(expression, request);
  if (!ranges)
    return ranges.error();
  if (!request.exhaustive)
    return inputsIn(request.type, std::move(*ranges), request.count);
  if (request.type != DType::F32 || expression.operandCount() != 1)
    return invalid("all numbers can be walked for one f32 operand @0 only");
  return floatsIn(ranges->front());
}

Expected<Study> tools::study(const StudyRequest &request) {
  const auto expression = Expression::parse(request.expression);
  if (!expression)
    return expression.error();
  std::span<const unsigned> widths = request.widths;
  if (widths.empty())
    widths = hostWidths();
  Study study{request.expression, request.type, 0, {}, {}};
  for (Precision precision : request.precisions) {
    if (!study.sets.empty() && request.type == DType::F64)
      break; // it knows one precision
    auto set = compileKernels(*expression, request.type, precision, widths,
                              request.checkWidths);
    if (!set)
      return set.error();
    study.sets.push_back(std::move(*set));
  }
  if (expression->operandCount() == 0)
    return invalid("the expression has no operands to be measured at");
  const auto inputs = inputsOf(*expression, request);
  if (!inputs)
    return inputs.error();
  const Subject subject = expressionSubject(*expression, request.type);
  auto tallies = walk(subject, study.sets, *inputs, request.walk);
  if (!tallies)
    return tallies.error();
  study.outputs = subject.outputs;
  study.tallies = std::move(*tallies);
  return study;
}
