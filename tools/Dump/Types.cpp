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

static Expected<Access> parseAccess(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  auto type = parseDType(text.substr(0, bracket));
  if (!type)
    return type.error();
  const std::string_view walk = text.substr(bracket);
  if (walk.empty() || walk == ZeroDim)
    return Access{*type, Walk::Constant};
  if (walk == "[n]")
    return Access{*type, Walk::Contiguous};
  if (walk == "[n:s]")
    return Access{*type, Walk::Strided};
  return Error(ErrorCode::InvalidArgument,
               concat("cannot understand the walk '", walk, "' of '", text,
                      "'; write [n], [n:s], [] or nothing"));
}

Expected<Operands> tools::parseOperands(std::string_view text) {
  Operands operands;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    auto access = parseAccess(word);
    if (!access)
      return access.error();
    if (word.ends_with(ZeroDim))
      operands.zeroDims.push_back(
          static_cast<std::uint32_t>(operands.accesses.size()));
    operands.accesses.push_back(*access);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return operands;
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
  return plan;
}
