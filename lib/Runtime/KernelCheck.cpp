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
  auto numbers = graph.numbers.evaluate(graph.parameters, shapes);
  if (!numbers) {
    const Error &error = numbers.error();
    return Error(error.code(), error.message(), std::string(text.text()),
                 error.range());
  }
  for (const semantics::Value &value : graph.values)
    if (value.kind == semantics::ValueKind::Parameter)
      bits[value.input] = (*numbers)[value.input].bitsAs(value.type);
  return {};
}

/// Whether 0-d operands are where the kernel was told, as far as it matters.
Status KernelImpl::checkRanks(const semantics::Operands &inputs) const {
  if (!contiguousPlan.graph.mixesTypes)
    return {};
  const auto &declared = options.zeroDimOperands;
  CompileOptions actual = options;
  actual.zeroDimOperands.clear();
  std::uint32_t changed = 0;
  bool hasChanged = false;
  for (std::uint32_t operand : asked.operands) {
    const bool isZeroDim = inputs[operand].shape().rank() == 0;
    const bool wasZeroDim =
        std::find(declared.begin(), declared.end(), operand) != declared.end();
    if (isZeroDim)
      actual.zeroDimOperands.push_back(operand);
    if (isZeroDim != wasZeroDim && !std::exchange(hasChanged, true))
      changed = operand;
  }
  if (!hasChanged)
    return {};
  auto plan = planOf(text, actual);
  if (plan && plan->key() == contiguousPlan.key())
    return {};
  const bool isZeroDim = inputs[changed].shape().rank() == 0;
  return Error(ErrorCode::TypeMismatch,
               concat("operand @", changed, " is ", isZeroDim ? "" : "not ",
                      "0-d, but the kernel was compiled for one that is",
                      isZeroDim ? " not" : "",
                      ", and the types of results depend on it"));
}

Status KernelImpl::check(const Arguments &arguments) const {
  if (auto status = checkArguments(arguments, asked); !status)
    return status;
  return checkRanks(arguments.inputs);
}
