//===- Ulp/Records.h - Measurements that are kept, as text and in files --===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_RECORDS_H
#define KEXPR_TOOLS_ULP_RECORDS_H

#include "Ulp/Measure.h"

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace kexpr::tools {

/// The measurements of many kernels, as one file holds them, and how many
/// inputs they took.
class Records {
public:
  Records(std::uint32_t step, std::uint64_t count) : step(step), count(count) {}

  /// In the order of the operator table; by type, precision and width.
  const std::vector<Accuracy> &rows() const { return kept; }
  /// Whether there is a row of that kernel.
  bool has(ops::OpId op, DType type, Precision precision, unsigned width) const;
  /// Adds a row in order, in place of a row of the same kernel.
  void add(const Accuracy &accuracy);

  /// Adds the rows of a text that `json` gave. Bounds are those that the table
  /// states now; rows of operators that the table lacks are left out. Errors:
  /// Io for another text, InvalidArgument for one that was measured with other
  /// numbers of inputs.
  Status addJson(const std::string &text);
  std::string json() const;
  /// docs/accuracy.md.
  std::string markdown() const;

private:
  std::uint32_t step;
  std::uint64_t count;
  std::vector<Accuracy> kept;
};

/// "0x1.8p+1", from which the same number can be read.
std::string hexText(double x);
/// The same of several, with a comma and a blank between them; "-" for none.
std::string hexText(std::span<const double> numbers);
/// An error in ulp, rounded up to four digits after the point, so that none
/// seems smaller than it is.
std::string ulpText(double error);
/// `part` of `whole` in percent, three digits: "0.0123 %".
std::string shareText(std::uint64_t part, std::uint64_t whole);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_RECORDS_H
