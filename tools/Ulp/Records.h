//===- Ulp/Records.h - Measurements that are kept -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_RECORDS_H
#define KEXPR_TOOLS_ULP_RECORDS_H

#include "Ulp/Measure.h"

#include <string>
#include <vector>

namespace kexpr::tools {

/// What was measured of many kernels, and how: a file's worth.
class Records {
public:
  Records(std::uint32_t step, std::uint64_t count) : step(step), count(count) {}

  /// In the order of the operator table; by type, precision and width.
  const std::vector<Accuracy> &rows() const { return kept; }
  bool isWithinBounds() const;
  /// Whether there is a row of that kernel.
  bool has(ops::OpId op, DType type, Precision precision, unsigned width) const;
  /// Puts a row in its place; a row of the same kernel goes.
  void add(const Accuracy &accuracy);

  /// Adds the rows of a text that `json` gave. Bounds are those that the table
  /// states now; rows of operators that are no more are left out. Errors: Io
  /// for a text that is no such thing, InvalidArgument for one that was
  /// measured with other numbers of inputs.
  Status addJson(const std::string &text);
  std::string json() const;
  /// docs/accuracy.md.
  std::string markdown() const;

private:
  std::uint32_t step;
  std::uint64_t count;
  std::vector<Accuracy> kept;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_RECORDS_H
