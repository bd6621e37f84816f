//===- Ulp/Measure.h - The accuracy of an operator ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_MEASURE_H
#define KEXPR_TOOLS_ULP_MEASURE_H

#include "Ops/Table.h"
#include "Ulp/Tally.h"
#include "Ulp/Walk.h"
#include "kexpr/Precision.h"

#include <cstdint>
#include <vector>

namespace kexpr::tools {

/// "default" or "accurate".
std::string_view nameOf(Precision precision);

/// What to measure, and how thoroughly.
struct MeasureRequest {
  ops::OpId op = 0;
  DType type = DType::F32;
  /// f64 knows one precision only and does not look at this.
  std::vector<Precision> precisions = {Precision::Default};
  /// Empty: each width this CPU has.
  std::vector<unsigned> widths = {};
  /// Of f32 and one argument, one bit pattern out of `step` is an input.
  std::uint32_t step = 1;
  /// Of other operators, so many inputs.
  std::uint64_t count = 1 << 18;
  /// Whether results are also compared with the interpreter's.
  bool checkWidths = true;
  WalkOptions walk = {};
};

/// What was measured of one kernel.
struct Accuracy {
  ops::OpId op = 0;
  DType type = DType::F32;
  Precision precision = Precision::Default;
  unsigned width = 0;
  /// What the operator table promises, in ulp.
  double bound = 0;
  /// The largest error, and where it is; no arguments if there is none.
  double worst = 0;
  std::vector<double> arguments = {};
  std::uint64_t misrounded = 0, wrongSigns = 0, differing = 0, walked = 0;
  /// The first arguments of those; not kept in files.
  std::vector<double> wrongSignAt = {}, differingAt = {};

  bool isWithinBound() const {
    return worst <= bound && wrongSigns == 0 && differing == 0;
  }
};

/// What becomes of one special number.
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

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_MEASURE_H
