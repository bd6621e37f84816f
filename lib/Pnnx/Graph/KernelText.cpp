//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Plan.h"

#include <algorithm>
#include <map>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
/// Puts the texts of units into each other.
class KernelWriter {
public:
  explicit KernelWriter(const Draft &draft) : draft(draft) {}

  void add(const Unit &unit);
  KernelText finish(const std::vector<ValueId> &outputs);

private:
  std::string textOf(ValueId value);

  const Draft &draft;
  std::map<ValueId, std::string> inner; ///< Of values computed so far.
  std::vector<ValueId> operands;
};
} // namespace

/// A value inside the kernel is rounded as if it had been stored, so that bits
/// do not depend on what was merged.
std::string KernelWriter::textOf(ValueId value) {
  if (const auto found = inner.find(value); found != inner.end()) {
    const auto cast = roundingCast(draft.facts[value].tensor.type);
    return cast.empty() ? found->second
                        : std::string(cast) + "(" + found->second + ")";
  }
  auto operand = std::find(operands.begin(), operands.end(), value);
  const auto index = operand - operands.begin();
  if (operand == operands.end())
    operands.push_back(value);
  return "@" + std::to_string(index);
}

void KernelWriter::add(const Unit &unit) {
  std::string text;
  for (const Term &term : unit.terms)
    text += term.value ? textOf(*term.value) : term.text;
  inner[unit.outputs[0]] = std::move(text);
}

KernelText KernelWriter::finish(const std::vector<ValueId> &outputs) {
  if (outputs.size() == 1)
    return {inner[outputs[0]], operands};
  std::string list;
  for (const ValueId output : outputs)
    list += (list.empty() ? "[" : ",") + inner[output];
  return {list + "]", operands};
}

KernelText graph::writeKernel(const Draft &draft, const Region &region) {
  KernelWriter writer(draft);
  for (const UnitId unit : region.units)
    writer.add(draft.units[unit]);
  return writer.finish(region.outputs);
}
