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

static Expected<Access> parseAccess(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  auto type = parseDType(text.substr(0, bracket));
  if (!type)
    return type.error();
  const std::string_view walk = text.substr(bracket);
  if (walk.empty())
    return Access{*type, Walk::Constant};
  if (walk == "[n]")
    return Access{*type, Walk::Contiguous};
  if (walk == "[n:s]")
    return Access{*type, Walk::Strided};
  return Error(ErrorCode::InvalidArgument,
               concat("cannot understand the walk '", walk, "' of '", text,
                      "'; write [n], [n:s] or nothing"));
}

Expected<std::vector<Access>> tools::parseAccesses(std::string_view text) {
  std::vector<Access> accesses;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto access = parseAccess(text.substr(0, comma));
    if (!access)
      return access.error();
    accesses.push_back(*access);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return accesses;
}

Expected<semantics::Plan> tools::makePlan(const Expression &expression,
                                          const std::vector<Access> &operands) {
  std::vector<DType> types;
  for (const Access &operand : operands)
    types.push_back(operand.type);
  auto graph = semantics::check(expression, types);
  if (!graph)
    return graph.error();
  semantics::Plan plan{.graph = std::move(*graph), .inputs = {}, .outputs = {}};
  for (std::uint32_t operand : plan.graph.inputs)
    plan.inputs.push_back(operand < operands.size() ? operands[operand]
                                                    : Access());
  for (semantics::ValueId output : plan.graph.outputs)
    plan.outputs.push_back({plan.graph.values[output].type, Walk::Contiguous});
  return plan;
}
