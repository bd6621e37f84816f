//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls of a kernel whose outputs have different shapes: `[@0,@1]` of two
/// operands that have nothing to do with each other. No one loop can write
/// them, so those of each shape get a kernel of their own.
///
//===----------------------------------------------------------------------===//
#include "Runtime/Execution.h"
#include "Support/Text.h"

#include <algorithm>
#include <deque>

using namespace kexpr;
using namespace kexpr::runtime;

bool KernelImpl::needsParts(Span<const TensorView> outputs) const {
  if (asked.isUniform)
    return false;
  for (const TensorView &output : outputs)
    if (output.shape() != outputs[0].shape())
      return true;
  return false;
}

Expected<std::shared_ptr<const KernelImpl>>
KernelImpl::part(const std::vector<std::size_t> &kept) const {
  for (const Restriction *r = restrictions.load(); r; r = r->next)
    if (r->outputs == kept)
      return r->kernel;
  semantics::Plan plan = contiguousPlan.restrictedTo(kept);
  // What ranks decide is checked for the whole.
  plan.graph.mixesTypes = false;
  // What is not kept is made for each call, for which LLVM takes too long.
  const bool isKept = restrictionCount < MaxRestrictions;
  CompileOptions own = options;
  if (!isKept)
    own.mode = Mode::Interpret;
  auto loop = compiler->compile(plan, own.mode);
  if (!loop)
    return loop.error();
  auto made = std::make_shared<const KernelImpl>(
      compiler, text, std::move(own), std::move(plan), std::move(*loop),
      CompileTimes());
  if (!isKept)
    return made;
  // Of two threads that ask for it at once, both may keep one.
  push(restrictions, new Restriction{kept, made});
  ++restrictionCount;
  return made;
}

/// Which outputs have which shape.
static std::vector<std::vector<std::size_t>>
groupByShape(Span<const TensorView> outputs) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](auto &members) {
      return outputs[members.front()].shape() == outputs[i].shape();
    });
    if (group == groups.end())
      group = groups.insert(groups.end(), std::vector<std::size_t>());
    group->push_back(i);
  }
  return groups;
}

Expected<std::vector<KernelImpl::Part>>
KernelImpl::divide(Span<const TensorView> inputs,
                   Span<const TensorView> outputs, bool withMemory) const {
  const Arguments arguments{{inputs.data(), inputs.size()},
                            {outputs.data(), outputs.size()}};
  if (auto status = check(arguments, withMemory); !status)
    return status.error();
  std::vector<Part> result;
  for (const auto &group : groupByShape(outputs)) {
    auto kernel = part(group);
    if (!kernel)
      return kernel.error();
    result.push_back({std::move(*kernel), group});
  }
  if (!withMemory)
    return result;
  // An output may be an input, but then no part that runs later may read it.
  for (std::size_t later = 1; later < result.size(); ++later)
    for (std::size_t i = 0; i < later; ++i)
      for (std::size_t output : result[i].outputs)
        for (std::uint32_t operand : result[later].kernel->asked.operands)
          if (outputs[output].data() == inputs[operand].data() &&
              outputs[output].shape().elementCount() > 0 &&
              inputs[operand].shape().elementCount() > 0)
            return Error(ErrorCode::OverlappingOutput,
                         concat("an output is operand @", operand,
                                ", which an output of another shape needs"));
  return result;
}

Status KernelImpl::runParts(Span<const TensorView> inputs,
                            Span<const TensorView> outputs,
                            const RunOptions &options,
                            DefaultFloats &floats) const {
  auto all = divide(inputs, outputs);
  if (!all)
    return all.error();
  // What a part may still fail at, it fails at before any is written.
  std::deque<Invocation> calls;
  std::deque<Item> items;
  std::deque<Execution> executions;
  std::vector<TensorView> own;
  for (const Part &one : *all) {
    own.clear();
    for (std::size_t output : one.outputs)
      own.push_back(outputs[output]);
    if (auto status =
            one.kernel->prepare(calls.emplace_back(*one.kernel), inputs, own);
        !status)
      return status;
    items.push_back(calls.back().item());
    if (calls.back().count() > 0)
      executions.emplace_back(*one.kernel, std::span(&items.back(), 1),
                              options);
  }
  for (Execution &execution : executions)
    if (auto status = execution.run(floats); !status)
      return status;
  return {};
}
