//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Parameters.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Operands;
using semantics::Value;
using semantics::ValueKind;

Parameters::Parameters(const semantics::Graph &graph)
    : graph(graph), known(graph.parameters.size()) {
  for (const Value &value : graph.values) {
    if (value.kind != ValueKind::Parameter)
      continue;
    const semantics::NumberId number = graph.parameters[value.input];
    if (graph.numbers.isLiteral(number))
      known[value.input] = graph.numbers[number].number.bitsAs(value.type);
    else
      hasSizes = true;
  }
}

Status Parameters::find(const Operands &operands, std::uint64_t *bits) const {
  std::copy(known.begin(), known.end(), bits);
  if (!hasSizes)
    return {};
  const semantics::Shapes shapes{
      &operands, operands.count,
      [](const void *all, std::size_t operand) -> const Shape & {
        return (*static_cast<const Operands *>(all))[operand].shape();
      }};
  InlineBuffer<semantics::Number, 32> numbers(graph.parameters.size());
  if (auto status = graph.numbers.evaluate(graph.parameters, shapes,
                                           {numbers.data(), numbers.size()});
      !status)
    return status;
  for (const Value &value : graph.values)
    if (value.kind == ValueKind::Parameter)
      bits[value.input] = numbers[value.input].bitsAs(value.type);
  return {};
}
