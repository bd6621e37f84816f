//===- Syntax/Reading.h - Reading without the table of operators ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_SYNTAX_READING_H
#define KEXPR_UNITTESTS_SYNTAX_READING_H

#include "Syntax/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace kexpr::syntax {

/// How many arguments PNNX's functions take, as far as the tests name them.
inline unsigned arityOf(std::string_view name) {
  constexpr std::string_view unary[] = {"exp", "expm1", "log1p", "neg", "sin"};
  constexpr std::string_view binary[] = {"add", "div", "mul", "sub"};
  if (std::find(std::begin(unary), std::end(unary), name) != std::end(unary))
    return 1;
  return std::find(std::begin(binary), std::end(binary), name) !=
                 std::end(binary)
             ? 2
             : 0;
}

inline ExpressionPtr read(std::string_view text) {
  auto data = parse(text, {}, arityOf);
  EXPECT_TRUE(data) << data.error().render();
  return data ? *data : nullptr;
}

/// Whether a stack machine can run the reverse Polish order: it never pops what
/// is not there and ends with one value.
inline bool runsOnAStack(const detail::ExpressionData &data) {
  std::size_t depth = 0;
  for (const RpnEntry &entry : data.rpn) {
    if (entry.arity > depth)
      return false;
    depth = depth - entry.arity + 1;
  }
  return depth == 1;
}

/// The expressions of unittests/Data/expressions.tsv, without their classes.
inline std::vector<std::string> listedExpressions() {
  std::ifstream file(KEXPR_TEST_DATA "/expressions.tsv");
  std::vector<std::string> expressions;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const std::size_t begin = line.find('\t') + 1;
    expressions.push_back(line.substr(begin, line.find('\t', begin) - begin));
  }
  return expressions;
}

} // namespace kexpr::syntax

#endif // KEXPR_UNITTESTS_SYNTAX_READING_H
