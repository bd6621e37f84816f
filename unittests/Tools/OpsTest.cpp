//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tools/Command.h"
#include "kexpr/Operators.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

using namespace kexpr;
using test::run;

static const std::string opsTool = KEXPR_OPS;

TEST(Ops, HelpAndUsage) {
  EXPECT_EQ(run({opsTool, "--help"}).code, 0);
  EXPECT_EQ(run({opsTool, "--no-such-option"}).code, 2);
  EXPECT_EQ(run({opsTool, "--json", "--markdown"}).code, 2);
}

TEST(Ops, JsonHoldsTheTable) {
  const auto result = run({opsTool, "--json"});
  ASSERT_EQ(result.code, 0);
  const auto list = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), operators().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i]["name"], operators()[i].name);
    EXPECT_EQ(list[i]["arity"], operators()[i].arity);
    EXPECT_EQ(list[i]["maxUlp"].is_null(), std::isinf(operators()[i].maxUlp));
    if (!list[i]["maxUlp"].is_null()) {
      EXPECT_EQ(list[i]["maxUlp"], operators()[i].maxUlp);
    }
  }
}

TEST(Ops, MarkdownRowsHaveAsManyCellsAsTheHeader) {
  const auto result = run({opsTool, "--markdown"});
  ASSERT_EQ(result.code, 0);
  std::istringstream lines(result.out);
  std::size_t rows = 0, cells = 0; // of the first row of a table
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) {
      cells = 0;
      continue;
    }
    ++rows;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    cells = cells ? cells : bars;
    EXPECT_EQ(bars, cells) << line;
  }
  EXPECT_EQ(rows, operators().size() + rowFunctions().size() + 4);
}

TEST(Ops, TextHasALineAnOperator) {
  const auto result = run({opsTool});
  ASSERT_EQ(result.code, 0);
  for (const OperatorInfo &op : operators())
    EXPECT_NE(result.out.find("\n" + std::string(op.name) + " "),
              std::string::npos)
        << op.name;
}
