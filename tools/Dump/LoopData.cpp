//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/LoopData.h"

#include "Semantics/Promotion.h"

#include <limits>
#include <random>

using namespace kexpr;
using namespace kexpr::tools;
using semantics::Walk;

/// Elements from one to the next of a strided operand.
static constexpr std::int64_t step = 2;

/// Numbers that take the usual way of every operator, the same in every run.
static void fill(Array &array) {
  // A prime number of them: enough, and quickly made.
  constexpr std::int64_t period = 4093;
  std::minstd_rand random(1);
  const bool isReal = semantics::isFloatingPoint(array.type());
  std::uniform_real_distribution<double> values(isReal ? 0.1 : 1.0,
                                                isReal ? 2.0 : 100.0);
  const std::size_t size = sizeOf(array.type());
  auto *bytes = static_cast<char *>(array.data());
  for (std::int64_t i = 0; i < std::min(period, array.count()); ++i)
    array.set(i, values(random));
  for (std::int64_t i = period; i < array.count(); i += period)
    std::copy_n(bytes,
                static_cast<std::size_t>(std::min(period, array.count() - i)) *
                    size,
                bytes + static_cast<std::size_t>(i) * size);
}

Status LoopData::addOperand(const semantics::Access &access) {
  const std::int64_t held = access.walk == Walk::Constant  ? 1
                            : access.walk == Walk::Strided ? count * step
                                                           : count;
  auto array = Array::make(access.type, {held});
  if (!array)
    return array.error();
  fill(*array);
  pointers.push_back(array->data());
  strides.push_back(step * static_cast<std::int64_t>(sizeOf(access.type)));
  arrays.push_back(std::move(*array));
  return {};
}

Status LoopData::addParameters(const semantics::Graph &graph) {
  const Shape shape = {1, 1, 1, count};
  const semantics::Shapes shapes{
      &shape, std::numeric_limits<std::size_t>::max(),
      [](const void *same, std::size_t) -> const Shape & {
        return *static_cast<const Shape *>(same);
      }};
  std::vector<semantics::Number> numbers(graph.parameters.size());
  if (auto status = graph.numbers.evaluate(graph.parameters, shapes, numbers);
      !status)
    return status;
  parameters.resize(graph.parameters.size());
  for (const semantics::Value &value : graph.values)
    if (value.kind == semantics::ValueKind::Parameter)
      parameters[value.input] = numbers[value.input].bitsAs(value.type);
  for (std::uint64_t &parameter : parameters)
    pointers.push_back(&parameter);
  return {};
}

Expected<LoopData> LoopData::make(const semantics::Plan &plan,
                                  std::int64_t count) {
  LoopData data(count);
  for (const auto *accesses : {&plan.outputs, &plan.inputs})
    for (const semantics::Access &access : *accesses)
      if (auto status = data.addOperand(access); !status)
        return status.error();
  if (auto status = data.addParameters(plan.graph); !status)
    return status.error();
  return data;
}
