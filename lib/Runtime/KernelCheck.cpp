//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a kernel looks at in a call besides elements: sizes, and which operands
/// are 0-d.
///
//===----------------------------------------------------------------------===//
#include "Runtime/Compile.h"
#include "Support/InlineBuffer.h"
#include "Support/Text.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;

Status KernelImpl::findParameters(const semantics::Operands &inputs,
                                  std::uint64_t *bits) const {
  std::copy(literals.begin(), literals.end(), bits);
  if (!hasSizes)
    return {};
  const semantics::Graph &graph = contiguousPlan.graph;
  const semantics::Shapes shapes{
      &inputs, inputs.count,
      [](const void *all, std::size_t operand) -> const Shape & {
        return (*static_cast<const semantics::Operands *>(all))[operand]
            .shape();
      }};
  InlineBuffer<semantics::Number, 32> numbers(graph.parameters.size());
  if (auto status = graph.numbers.evaluate(graph.parameters, shapes,
                                           {numbers.data(), numbers.size()});
      !status) {
    const Error &error = status.error();
    return Error(error.code(), error.message(), std::string(text.text()),
                 error.range());
  }
  for (const semantics::Value &value : graph.values)
    if (value.kind == semantics::ValueKind::Parameter)
      bits[value.input] = numbers[value.input].bitsAs(value.type);
  return {};
}

bool KernelImpl::Ranks::match(
    const semantics::Operands &inputs,
    const std::vector<std::uint32_t> &operands) const {
  auto next = zeroDim.begin();
  for (std::uint32_t operand : operands) {
    const bool isListed = next != zeroDim.end() && *next == operand;
    if (isListed != (inputs[operand].shape().rank() == 0))
      return false;
    next += isListed;
  }
  return true;
}

/// What becomes of a call whose 0-d operands are not those the kernel was told:
/// another plan, or the same.
KernelImpl::Ranks KernelImpl::ranksOf(const semantics::Operands &inputs) const {
  CompileOptions actual = options;
  actual.zeroDimOperands.clear();
  for (std::uint32_t operand : asked.operands)
    if (inputs[operand].shape().rank() == 0)
      actual.zeroDimOperands.push_back(operand);
  auto plan = planOf(text, actual);
  const bool isServed = plan && plan->key() == contiguousPlan.key();
  return {std::move(actual.zeroDimOperands), isServed};
}

Error KernelImpl::ranksError(const semantics::Operands &inputs) const {
  const auto &declared = options.zeroDimOperands;
  const auto changed = std::find_if(
      asked.operands.begin(), asked.operands.end(), [&](std::uint32_t operand) {
        const auto found = std::find(declared.begin(), declared.end(), operand);
        return (found != declared.end()) !=
               (inputs[operand].shape().rank() == 0);
      });
  const bool isZeroDim = inputs[*changed].shape().rank() == 0;
  return Error(ErrorCode::TypeMismatch,
               concat("operand @", *changed, " is ", isZeroDim ? "" : "not ",
                      "0-d, but the kernel was compiled for one that is",
                      isZeroDim ? " not" : "",
                      ", and the types of results depend on it"));
}

/// Whether 0-d operands are where the kernel was told, as far as it matters.
Status KernelImpl::checkRanks(const semantics::Operands &inputs) const {
  if (!contiguousPlan.graph.mixesTypes)
    return {};
  const Ranks *known = ranks;
  while (known && !known->match(inputs, asked.operands))
    known = known->next;
  std::unique_ptr<Ranks> found;
  if (!known) {
    known = (found = std::make_unique<Ranks>(ranksOf(inputs))).get();
    if (ranksCount.fetch_add(1) < MaxRanks)
      push(ranks, found.release());
  }
  return known->isServed ? Status() : Status(ranksError(inputs));
}

Status KernelImpl::check(const Arguments &arguments, bool withMemory) const {
  if (auto status = checkArguments(arguments, asked, withMemory); !status)
    return status;
  return checkRanks(arguments.inputs);
}
