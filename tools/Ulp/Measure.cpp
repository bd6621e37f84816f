//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Measure.h"

#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <tuple>

using namespace kexpr;
using namespace kexpr::tools;

std::string_view tools::nameOf(Precision precision) {
  return ops::nameOf(precision);
}

double tools::boundOf(ops::OpId op, DType type, Precision precision) {
  const ops::Bounds &bounds = ops::table()[op].info.ulp;
  if (type == DType::F64)
    return bounds.f64;
  return precision == Precision::Default ? bounds.f32
         : precision == Precision::Fast  ? bounds.fast
                                         : bounds.accurate;
}

bool tools::isMeasurable(ops::OpId op) {
  return ops::table()[op].isFloatToFloat();
}

bool tools::isOtherKind(double got, double expected) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) != std::isnan(expected);
  return std::isinf(got) != std::isinf(expected) ||
         (got == 0) != (expected == 0) ||
         std::signbit(got) != std::signbit(expected);
}

bool Measured::isWithinBounds() const {
  return std::ranges::all_of(kernels, &Accuracy::isWithinBound);
}

static Status addSpecials(Measured &measured, const Subject &subject,
                          std::span<const KernelSet> sets) {
  const auto numbers = specialNumbers(subject.type);
  Columns columns;
  columns.resize(subject.type, 1, numbers.size());
  Real exact;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    columns.set(0, i, numbers[i]);
    settle(subject, {&numbers[i], 1}, {&exact, 1});
    measured.specials.push_back({numbers[i], exact.roundTo(subject.type), {}});
  }
  for (const KernelSet &set : sets) {
    Block block(set, subject);
    if (auto status = block.compute(columns); !status)
      return status;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      measured.specials[i].got.push_back(block[0].at(0, i));
  }
  return {};
}

Expected<Measured> tools::measure(const Subject &subject,
                                  const MeasureRequest &request) {
  const auto &[op, type] = std::tie(request.op, request.type);
  auto sets =
      compileKernels(subject.expression, subject.type, request.precisions,
                     request.widths, request.checkWidths);
  if (!sets)
    return sets.error();
  const ops::OpEntry &entry = ops::table()[op];
  const auto tallies = sweep(
      subject, *sets,
      type == DType::F32 && entry.arity == 1
          ? steppedFloats(request.step)
          : operatorInputs(type, entry.arity, entry.info.domain, request.count),
      request.sweep);
  if (!tallies)
    return tallies.error();
  Measured measured;
  for (std::size_t s = 0; s < sets->size(); ++s)
    for (std::size_t k = 0; k < (*sets)[s].kernels.size(); ++k) {
      const Precision precision = (*sets)[s].precision;
      measured.kernels.push_back({op, type, precision, (*sets)[s].widths[k],
                                  boundOf(op, type, precision),
                                  (*tallies)[s][0][k]});
    }
  if (subject.operands() == 1)
    if (auto status = addSpecials(measured, subject, *sets); !status)
      return status.error();
  return measured;
}

Expected<Measured> tools::measure(const MeasureRequest &request) {
  return measure(operatorSubject(request.op, request.type), request);
}

bool Study::isConsistent() const {
  for (const auto &outputs : tallies)
    for (const auto &kernels : outputs)
      for (const Tally &tally : kernels)
        if (tally.differing)
          return false;
  return true;
}

std::optional<double> tools::parseNumber(std::string_view text) {
  const std::string copy(text);
  char *end = nullptr;
  // strtod passes over blanks; a number does not start with one.
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy.front())))
    return std::nullopt;
  const double x = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size() ? std::optional(x) : std::nullopt;
}

std::optional<std::uint64_t> tools::parseWhole(std::string_view text) {
  std::uint64_t value = 0;
  const char *last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, value);
  return fault == std::errc() && end == last ? std::optional(value)
                                             : std::nullopt;
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

static Expected<Inputs> inputsOf(const Expression &expression,
                                 const MeasureRequest &request) {
  // A range for each operand slot, its ends numbers of the type.
  std::vector<Range> ranges(expression.operandCount(), UsualRange);
  const auto used = expression.usedOperands();
  for (const auto &[operand, range] : request.ranges) {
    if (!std::binary_search(used.begin(), used.end(), operand))
      return invalid("there is a range for @", operand,
                     ", which the expression does not use");
    ranges[operand] = {roundTo(request.type, range.low),
                       roundTo(request.type, range.high)};
    if (!std::isfinite(ranges[operand].low) ||
        !std::isfinite(ranges[operand].high))
      return invalid("the range of @", operand, " is too wide for ",
                     nameOf(request.type));
  }
  if (!request.exhaustive)
    return inputsIn(request.type, std::move(ranges), request.count);
  if (request.type != DType::F32 || ranges.size() != 1)
    return invalid("all numbers can be enumerated for one f32 operand @0 only");
  return floatsIn(ranges.front());
}

Expected<Study> tools::study(const MeasureRequest &request) {
  const auto expression = Expression::parse(request.expression);
  if (!expression)
    return expression.error();
  auto sets = compileKernels(*expression, request.type, request.precisions,
                             request.widths, request.checkWidths);
  if (!sets)
    return sets.error();
  for (const Node &node : expression->nodes())
    if (node.kind == NodeKind::Call && !ops::find(node.name))
      return invalid(concat("only operators are measured, and ",
                            quote(node.name), " is none"));
  if (expression->operandCount() == 0)
    return invalid("the expression has no operands to be measured at");
  const auto inputs = inputsOf(*expression, request);
  if (!inputs)
    return inputs.error();
  const Subject subject = expressionSubject(*expression, request.type);
  auto tallies = sweep(subject, *sets, *inputs, request.sweep);
  if (!tallies)
    return tallies.error();
  return Study{request.expression, request.type, subject.outputs,
               std::move(*sets), std::move(*tallies)};
}
