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
#include "Runtime/Invocation.h"
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
  std::lock_guard lock(growing);
  auto &known = parts[kept];
  if (known)
    return known;
  semantics::Plan plan = contiguousPlan.restrictedTo(kept);
  // What ranks decide is checked for the whole.
  plan.graph.mixesTypes = false;
  auto loop = compiler->compile(plan, options.mode);
  if (!loop)
    return loop.error();
  known = std::make_shared<const KernelImpl>(compiler, text, options,
                                             std::move(plan), std::move(*loop),
                                             CompileTimes());
  return known;
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
                   Span<const TensorView> outputs) const {
  const Arguments arguments{{inputs.data(), inputs.size()},
                            {outputs.data(), outputs.size()}};
  if (auto status = check(arguments); !status)
    return status.error();
  std::vector<Part> result;
  for (const auto &group : groupByShape(outputs)) {
    auto kernel = part(group);
    if (!kernel)
      return kernel.error();
    Part &made = result.emplace_back(Part{*kernel, {}});
    for (std::size_t output : group)
      made.outputs.push_back(outputs[output]);
  }
  // An output may be an input, but then no part that runs later may read it.
  for (std::size_t later = 1; later < result.size(); ++later)
    for (std::size_t i = 0; i < later; ++i)
      for (const TensorView &written : result[i].outputs)
        for (std::uint32_t operand : result[later].kernel->asked.operands)
          if (written.data() == inputs[operand].data() &&
              written.shape().elementCount() > 0)
            return Error(ErrorCode::OverlappingOutput,
                         concat("an output is operand @", operand,
                                ", which an output of another shape needs"));
  return result;
}

Status KernelImpl::runParts(Span<const TensorView> inputs,
                            Span<const TensorView> outputs,
                            const RunOptions &options) const {
  auto all = divide(inputs, outputs);
  if (!all)
    return all.error();
  // What a part may still fail at, it fails at before any is written.
  std::deque<Invocation> calls;
  for (const Part &one : *all)
    if (auto status =
            one.kernel->prepare(calls.emplace_back(*one.kernel), inputs,
                                {one.outputs.data(), one.outputs.size()});
        !status)
      return status;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Item item = calls[i].item();
    if (calls[i].count() > 0)
      (*all)[i].kernel->execute({&item, 1}, options);
  }
  return {};
}
