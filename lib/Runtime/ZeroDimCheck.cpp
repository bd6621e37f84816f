//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/ZeroDimCheck.h"

#include "Runtime/Pipeline.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Operands;

static bool isZeroDim(const TensorView &view) {
  return view.shape().rank() == 0;
}

bool ZeroDimCheck::match(const Answer &answer, const Operands &inputs) const {
  auto next = answer.zeroDims.begin();
  for (std::uint32_t operand : operands) {
    const bool isListed = next != answer.zeroDims.end() && *next == operand;
    if (isListed != isZeroDim(inputs[operand]))
      return false;
    next += isListed;
  }
  return true;
}

/// Names the first operand that is 0-d and was not declared so, or the reverse.
static Error zeroDimError(const Operands &inputs,
                          const std::vector<std::uint32_t> &operands,
                          const std::vector<std::uint32_t> &declared) {
  const std::uint32_t changed = *std::find_if(
      operands.begin(), operands.end(), [&](std::uint32_t operand) {
        const auto found = std::find(declared.begin(), declared.end(), operand);
        return (found != declared.end()) != isZeroDim(inputs[operand]);
      });
  const bool is = isZeroDim(inputs[changed]);
  return Error(ErrorCode::TypeMismatch,
               concat("operand @", changed, " is ", is ? "" : "not ",
                      "0-d, but the kernel was compiled for one that is",
                      is ? " not" : "",
                      ", and the types of results depend on it"));
}

Status ZeroDimCheck::check(const Operands &inputs) const {
  if (!plan.graph.mixesTypes)
    return {};
  const auto answer = [&](bool isServed) {
    return isServed ? Status()
                    : zeroDimError(inputs, operands, options.zeroDimOperands);
  };
  for (const Answer &known : answers)
    if (match(known, inputs))
      return answer(known.isServed);
  CompileOptions actual = options;
  actual.zeroDimOperands.clear();
  for (std::uint32_t operand : operands)
    if (isZeroDim(inputs[operand]))
      actual.zeroDimOperands.push_back(operand);
  const auto needed = planOf(expression, actual);
  const bool isServed = needed && needed->key() == plan.key();
  if (answers.size() < MaxAnswers)
    answers.push(std::move(actual.zeroDimOperands), isServed);
  return answer(isServed);
}
