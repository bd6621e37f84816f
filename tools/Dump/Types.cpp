//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Types.h"

#include "Common/Operand.h"
#include "Semantics/Check.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::tools;
using semantics::Access;
using semantics::AccessPattern;

/// Ends the type of a 0-d operand.
static constexpr std::string_view ZeroDim = "[]";

static Expected<AccessPattern> parsePattern(std::string_view pattern,
                                            std::string_view text) {
  if (pattern.empty() || pattern == ZeroDim)
    return AccessPattern::Constant;
  if (pattern == "[n]")
    return AccessPattern::Contiguous;
  if (pattern == "[n:s]")
    return AccessPattern::Strided;
  return Error(ErrorCode::InvalidArgument,
               concat("cannot understand the access '", pattern, "' of '", text,
                      "'; write [n], [n:s], [] or nothing"));
}

static Expected<Access> parseAccess(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  auto type = parseDType(text.substr(0, bracket));
  if (!type)
    return type.error();
  auto pattern = parsePattern(text.substr(bracket), text);
  if (!pattern)
    return pattern.error();
  return Access{*type, *pattern};
}

Expected<Operands> tools::parseOperands(std::string_view text) {
  Operands operands;
  while (!text.empty()) {
    const std::string_view word = takeField(text, ',');
    auto access = parseAccess(word);
    if (!access)
      return access.error();
    if (word.ends_with(ZeroDim))
      operands.zeroDims.push_back(
          static_cast<std::uint32_t>(operands.accesses.size()));
    operands.accesses.push_back(*access);
  }
  return operands;
}

Expected<std::vector<AccessPattern>>
tools::parsePatterns(std::string_view text) {
  std::vector<AccessPattern> patterns;
  while (!text.empty()) {
    const std::string_view word = takeField(text, ',');
    auto pattern = parsePattern(word, word);
    if (!pattern)
      return pattern.error();
    if (*pattern == AccessPattern::Constant)
      return Error(ErrorCode::InvalidArgument,
                   concat("an output is [n] or [n:s], not '", word, "'"));
    patterns.push_back(*pattern);
  }
  return patterns;
}

Expected<Expression> tools::parseExpression(const std::string &text,
                                            std::optional<Syntax> syntax,
                                            const Operands &operands) {
  if (syntax != Syntax::Infix)
    return Expression::parse(text);
  const auto program = InfixProgram::parse(text);
  if (!program)
    return program.error();
  std::vector<InfixOperand> types;
  for (const Access &access : operands.accesses)
    types.push_back({access.type});
  return program->lower(types);
}

Expected<semantics::Plan> tools::makePlan(const Expression &expression,
                                          const Operands &operands,
                                          Precision precision) {
  std::vector<DType> types;
  for (const Access &access : operands.accesses)
    types.push_back(access.type);
  auto graph =
      semantics::check(expression, {types, operands.zeroDims, precision});
  if (!graph)
    return graph.error();
  semantics::Plan plan{.graph = std::move(*graph),
                       .inputs = {},
                       .outputs = {},
                       .precision = precision};
  plan.setContiguous();
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (plan.graph.inputs[i] < operands.accesses.size())
      plan.inputs[i] = operands.accesses[plan.graph.inputs[i]];
  for (std::size_t i = 0;
       i < std::min(plan.outputs.size(), operands.outputs.size()); ++i)
    plan.outputs[i].pattern = operands.outputs[i];
  return plan;
}
