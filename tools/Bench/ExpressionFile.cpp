//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/ExpressionFile.h"

#include "Common/Files.h"
#include "Common/Operand.h"
#include "Support/Text.h"
using namespace kexpr;
using namespace kexpr::tools;

static std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size())
      return parts;
    text.remove_prefix(end + 1);
  }
}

static Expected<BenchCase> parseLine(std::string_view line) {
  const auto fields = split(line, '\t');
  if (fields.size() < 2 || fields.size() > 3 || fields[0].empty())
    return Error(ErrorCode::Io,
                 "a line is name, expression and shapes between tabs");
  BenchCase result{std::string(fields[0]), std::string(fields[1]), {}};
  if (fields.size() == 2 || fields[2].empty())
    return result;
  for (std::string_view text : split(fields[2], ';')) {
    auto shape = parseExtents(text, 'x');
    if (!shape)
      return shape.error();
    result.shapes.push_back(*shape);
  }
  return result;
}

Expected<std::vector<BenchCase>>
tools::readExpressionFile(const std::string &path) {
  const auto text = readFile(path);
  if (!text)
    return text.error();
  std::vector<BenchCase> cases;
  std::size_t number = 0;
  for (std::string_view line : split(*text, '\n')) {
    ++number;
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.empty() || line[0] == '#')
      continue;
    auto parsed = parseLine(line);
    if (!parsed)
      return Error(parsed.error().code(),
                   concat(path, ":", number, ": ", parsed.error().message()));
    cases.push_back(std::move(*parsed));
  }
  return cases;
}

const std::vector<BenchCase> &tools::workset() {
  static const std::vector<BenchCase> cases = {
      {"E1", "add(@0,@1)", {}},
      {"E2", "add(mul(@0,@1),@2)", {}},
      {"E3", "mul(@0,sigmoid(@0))", {}},
      {"E4", "sqrt(div(add(mul(@0,2),@1),12))", {}},
      {"E5", "add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)", {}},
      {"E6",
       "mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),"
       "0.79788456)),1))",
       {}},
      {"E7", "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))", {}},
  };
  return cases;
}
