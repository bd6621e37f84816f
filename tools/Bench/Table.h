//===- Bench/Table.h - Text in columns ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_TABLE_H
#define KEXPR_TOOLS_BENCH_TABLE_H

#include "Support/Text.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace kexpr::tools {

/// Rows of text; the first column is left-aligned, the others right-aligned. No
/// row has more cells than the header.
class Table {
public:
  explicit Table(std::vector<std::string> header) {
    rows.push_back(std::move(header));
  }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(std::ostream &out) const;
  /// The header and all rows, as they came.
  const std::vector<std::vector<std::string>> &cells() const { return rows; }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_TABLE_H
