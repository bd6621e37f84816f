//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Table.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

using namespace kexpr;
using namespace kexpr::tools;

void Table::print(std::ostream &out) const {
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto &row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out << (i == 0 ? "" : "  ") << (i == 0 ? std::left : std::right)
          << std::setw(static_cast<int>(widths[i])) << row[i];
    out << '\n';
  }
}
