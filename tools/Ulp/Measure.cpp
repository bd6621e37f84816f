//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Measure.h"

#include "Ulp/Block.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

std::string_view tools::nameOf(Precision precision) {
  return precision == Precision::Default ? "default" : "accurate";
}

double tools::boundOf(ops::OpId op, DType type, Precision precision) {
  const ops::Bounds &bounds = ops::table()[op].info.ulp;
  if (type == DType::F64)
    return bounds.f64;
  return precision == Precision::Default ? bounds.f32 : bounds.accurate;
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
  return std::all_of(
      kernels.begin(), kernels.end(),
      [](const Accuracy &accuracy) { return accuracy.isWithinBound(); });
}

static Inputs inputsOf(const MeasureRequest &request) {
  const ops::OpEntry &entry = ops::table()[request.op];
  if (request.type == DType::F32 && entry.arity == 1)
    return steppedFloats(request.step);
  return operatorInputs(request.type, entry.arity, entry.info.domain,
                        request.count);
}

static Expected<std::vector<KernelSet>> compile(const Subject &subject,
                                                const MeasureRequest &request) {
  auto precisions = request.precisions;
  if (request.type == DType::F64)
    precisions = {Precision::Default};
  std::span<const unsigned> widths = request.widths;
  if (widths.empty())
    widths = hostWidths();
  std::vector<KernelSet> sets;
  for (Precision precision : precisions) {
    auto set = compileKernels(subject.expression, subject.type, precision,
                              widths, request.checkWidths);
    if (!set)
      return set.error();
    sets.push_back(std::move(*set));
  }
  return sets;
}

static Expected<std::vector<SpecialCase>>
specialCases(const Subject &subject, std::span<const KernelSet> sets) {
  const auto numbers = specialNumbers(subject.type);
  Columns columns;
  columns.resize(subject.type, 1, numbers.size());
  std::vector<SpecialCase> cases;
  Real exact;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    columns.set(0, i, numbers[i]);
    settle(subject, {&numbers[i], 1}, {&exact, 1});
    cases.push_back({numbers[i], exact.roundTo(subject.type), {}});
  }
  for (const KernelSet &set : sets) {
    Block block(set, subject);
    if (auto status = block.compute(columns); !status)
      return status.error();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      cases[i].got.push_back(block.at(0, 0, i));
  }
  return cases;
}

static Accuracy accuracyOf(const MeasureRequest &request, const KernelSet &set,
                           std::size_t kernel, const Tally &tally) {
  return {.op = request.op,
          .type = request.type,
          .precision = set.precision,
          .width = set.widths[kernel],
          .bound = boundOf(request.op, request.type, set.precision),
          .worst = tally.ulp.error,
          .arguments = tally.ulp.arguments,
          .misrounded = tally.misrounded,
          .wrongSigns = tally.wrongSigns,
          .differing = tally.differing,
          .walked = tally.walked,
          .wrongSignAt = tally.wrongSign.arguments,
          .differingAt = tally.different.arguments};
}

Expected<Measured> tools::measure(const Subject &subject,
                                  const MeasureRequest &request) {
  auto sets = compile(subject, request);
  if (!sets)
    return sets.error();
  auto tallies = walk(subject, *sets, inputsOf(request), request.walk);
  if (!tallies)
    return tallies.error();
  Measured measured;
  for (std::size_t s = 0; s < sets->size(); ++s)
    for (std::size_t k = 0; k < (*sets)[s].kernels.size(); ++k)
      measured.kernels.push_back(
          accuracyOf(request, (*sets)[s], k, (*tallies)[s][0][k]));
  if (subject.operands() == 1) {
    auto specials = specialCases(subject, *sets);
    if (!specials)
      return specials.error();
    measured.specials = std::move(*specials);
  }
  return measured;
}

Expected<Measured> tools::measure(const MeasureRequest &request) {
  return measure(operatorSubject(request.op, request.type), request);
}
