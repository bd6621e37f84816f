//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Draft.h"
#include "Graph/Faults.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

bool graph::fits(const Shape &shape, const Shape &declared) {
  return shape.rank() == declared.rank() &&
         std::equal(shape.begin(), shape.end(), declared.begin(),
                    [](std::int64_t is, std::int64_t says) {
                      return says == -1 || is == says;
                    });
}

// Far beyond any memory, and far from where counts of bytes overflow.
static constexpr std::int64_t MostElements = std::int64_t{1} << 48;

Status graph::checkSizes(const Flow &flow, const Draft &draft) {
  for (ValueId i = 0; i < draft.facts.size(); ++i) {
    const std::int64_t count = draft.facts[i].tensor.shape.elementCount();
    if (count < 0 || count > MostElements)
      return Error(ErrorCode::LimitExceeded,
                   "operand " + quote(flow.nameOf(i)) + " of shape " +
                       draft.facts[i].tensor.shape.str() +
                       " has more than 2^48 elements");
  }
  return {};
}

Status graph::checkDeclared(const Flow &flow, const Draft &draft) {
  for (std::size_t i = 0; i < flow.model.operands().size(); ++i) {
    const PnnxOperand &operand = flow.model.operands()[i];
    const Fact &fact = draft.facts[flow.resolve(static_cast<ValueId>(i))];
    if (fact.number || flow.values[i].isTuple)
      continue;
    if (operand.shape && !fits(fact.tensor.shape, *operand.shape))
      return Error(ErrorCode::ShapeMismatch,
                   "operand " + quote(operand.name) + " has shape " +
                       fact.tensor.shape.str() + ", and the file says " +
                       operand.shape->str());
    if (operand.type && fact.tensor.type != *operand.type)
      return Error(ErrorCode::TypeMismatch,
                   "operand " + quote(operand.name) + " is " +
                       std::string(nameOf(fact.tensor.type)) +
                       ", and the file says " +
                       std::string(nameOf(*operand.type)));
  }
  return {};
}
