//===- TestData.h - The listed expressions, read --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_TESTDATA_H
#define KEXPR_UNITTESTS_API_TESTDATA_H

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kexpr::test {

/// The lines of a file in unittests/Data, each split at tabs.
inline std::vector<std::vector<std::string>> readTable(const char *name) {
  std::ifstream file(std::string(KEXPR_TEST_DATA "/") + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line);
    auto &row = rows.emplace_back();
    for (std::string cell; std::getline(text, cell, '\t');)
      row.push_back(cell);
  }
  return rows;
}

/// The expressions of a class in expressions.tsv; all for an empty class.
inline std::vector<std::string> listed(const std::string &kind) {
  std::vector<std::string> result;
  auto rows = readTable("expressions.tsv");
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (kind.empty() || rows[i][0] == kind)
      result.push_back(rows[i][1]);
  return result;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_TESTDATA_H
