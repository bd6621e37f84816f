//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Types.h"

#include "Semantics/Check.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::tools;
using semantics::Access;
using semantics::Walk;

/// Ends the type of a 0-d operand.
static constexpr std::string_view ZeroDim = "[]";

static Expected<Walk> parseWalk(std::string_view walk, std::string_view text) {
  if (walk.empty() || walk == ZeroDim)
    return Walk::Constant;
  if (walk == "[n]")
    return Walk::Contiguous;
  if (walk == "[n:s]")
    return Walk::Strided;
  return Error(ErrorCode::InvalidArgument,
               concat("cannot understand the walk '", walk, "' of '", text,
                      "'; write [n], [n:s], [] or nothing"));
}

static Expected<Access> parseAccess(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  auto type = parseDType(text.substr(0, bracket));
  if (!type)
    return type.error();
  auto walk = parseWalk(text.substr(bracket), text);
  if (!walk)
    return walk.error();
  return Access{*type, *walk};
}

/// Cuts off the text before the first comma.
static std::string_view takeWord(std::string_view &text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view word = text.substr(0, comma);
  text.remove_prefix(std::min(comma + 1, text.size()));
  return word;
}

Expected<Operands> tools::parseOperands(std::string_view text) {
  Operands operands;
  while (!text.empty()) {
    const std::string_view word = takeWord(text);
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

Expected<std::vector<Walk>> tools::parseWalks(std::string_view text) {
  std::vector<Walk> walks;
  while (!text.empty()) {
    const std::string_view word = takeWord(text);
    auto walk = parseWalk(word, word);
    if (!walk)
      return walk.error();
    if (*walk == Walk::Constant)
      return Error(ErrorCode::InvalidArgument,
                   concat("an output is [n] or [n:s], not '", word, "'"));
    walks.push_back(*walk);
  }
  return walks;
}

Expected<semantics::Plan> tools::makePlan(const Expression &expression,
                                          const Operands &operands) {
  std::vector<DType> types;
  for (const Access &access : operands.accesses)
    types.push_back(access.type);
  auto graph = semantics::check(expression, {types, operands.zeroDims});
  if (!graph)
    return graph.error();
  semantics::Plan plan{.graph = std::move(*graph), .inputs = {}, .outputs = {}};
  plan.setContiguous();
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (plan.graph.inputs[i] < operands.accesses.size())
      plan.inputs[i] = operands.accesses[plan.graph.inputs[i]];
  for (std::size_t i = 0;
       i < std::min(plan.outputs.size(), operands.outputs.size()); ++i)
    plan.outputs[i].walk = operands.outputs[i];
  return plan;
}
