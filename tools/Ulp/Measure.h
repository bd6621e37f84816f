//===- Ulp/Measure.h - The accuracy of operators and expressions ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_MEASURE_H
#define KEXPR_TOOLS_ULP_MEASURE_H

#include "Ulp/Sweep.h"
#include "kexpr/Precision.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// "default", "accurate" or "fast".
std::string_view nameOf(Precision precision);

/// Where operands without a range of their own are drawn from.
inline constexpr Range UsualRange{-10, 10};

/// What to measure, and how thoroughly.
struct MeasureRequest {
  /// For `measure`.
  ops::OpId op = 0;
  /// For `study`.
  std::string expression = {};
  DType type = DType::F32;
  /// f64 knows one precision only and takes the first.
  std::vector<Precision> precisions = {Precision::Default};
  /// Empty: each width this CPU has.
  std::vector<unsigned> widths = {};
  /// By operand of the expression.
  std::map<std::uint32_t, Range> ranges = {};
  /// Of f32 operators of one argument, one bit pattern out of `step` is an
  /// input.
  std::uint32_t step = 1;
  /// Of other operators and of expressions, so many inputs.
  std::uint64_t count = 1 << 18;
  /// All numbers of the range of the expression's only operand, which is f32.
  bool exhaustive = false;
  /// Whether results are also compared with the interpreter's.
  bool checkWidths = true;
  SweepOptions sweep = {};
};

/// The measurement of one kernel.
struct Accuracy {
  ops::OpId op = 0;
  DType type = DType::F32;
  Precision precision = Precision::Default;
  unsigned width = 0;
  /// What the operator table promises, in ulp.
  double bound = 0;
  Tally tally = {};

  bool isWithinBound() const {
    return tally.ulp.error <= bound && tally.wrongSigns == 0 &&
           tally.differing == 0;
  }
};

/// The results at one special number.
struct SpecialCase {
  double argument;
  /// The reference, rounded.
  double expected;
  /// For each precision, the result of its first kernel.
  std::vector<double> got;
};

/// Whether `got` is a number of another kind than `expected`: NaN, infinite,
/// zero, or of the other sign.
bool isOtherKind(double got, double expected);

struct Measured {
  /// By precision, then width.
  std::vector<Accuracy> kernels;
  /// Of operators of one argument.
  std::vector<SpecialCase> specials = {};

  bool isWithinBounds() const;
};

/// The bound that the table states for an operator.
double boundOf(ops::OpId op, DType type, Precision precision);
/// Whether an operator takes floats to floats, so that it has an error.
bool isMeasurable(ops::OpId op);

/// Measures a measurable operator through its compiled kernels. Errors: those
/// of Engine::compile and Kernel::run, and Unsupported for a width that this
/// CPU does not have.
Expected<Measured> measure(const MeasureRequest &request);
/// The same against another reference than the operator's own.
Expected<Measured> measure(const Subject &subject,
                           const MeasureRequest &request);

/// The measurement of an expression.
struct Study {
  std::string text;
  DType type;
  std::size_t outputs;
  std::vector<KernelSet> sets;
  Tallies tallies;

  /// Whether all widths and the interpreter gave the same bits.
  bool isConsistent() const;
};

/// A number as C writes it, decimal or hexadecimal, and nothing else.
std::optional<double> parseNumber(std::string_view text);
/// A whole number without sign.
std::optional<std::uint64_t> parseWhole(std::string_view text);

/// Reads `OPERAND=LOW:HIGH`, as `0=-10:10`, into `ranges`. Errors:
/// InvalidArgument for other text, for an empty or infinite range, and for a
/// second range of an operand.
Status addRange(std::string_view text, std::map<std::uint32_t, Range> &ranges);

/// Measures an expression through its compiled kernels. Errors: those of
/// Engine::compile and Kernel::run; InvalidArgument for ranges that do not fit
/// the expression or the type.
Expected<Study> study(const MeasureRequest &request);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_MEASURE_H
