//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"

using namespace kexpr;

/// The texts of `given`, kept in `all`.
static const char *const *namesOf(const std::vector<std::string> &given,
                                  std::vector<std::vector<const char *>> &all) {
  auto &names = all.emplace_back();
  for (const std::string &name : given)
    names.push_back(name.c_str());
  return names.data();
}

kexpr_steps::kexpr_steps(std::vector<GraphStep> given)
    : made(std::move(given)) {
  for (const GraphStep &step : made)
    steps.push_back({.expression = step.expression.c_str(),
                     .operators = namesOf(step.operators, names),
                     .types = namesOf(step.types, names),
                     .operator_count = step.operators.size(),
                     .inputs = namesOf(step.inputs, names),
                     .outputs = namesOf(step.outputs, names),
                     .input_count = step.inputs.size(),
                     .output_count = step.outputs.size(),
                     .elements = step.elements,
                     .bytes = step.bytes,
                     .time_ns = static_cast<uint64_t>(step.time.count())});
}

void kexpr_steps_free(kexpr_steps *steps) { delete steps; }

size_t kexpr_steps_count(const kexpr_steps *steps) {
  return steps ? steps->steps.size() : 0;
}

const kexpr_step *kexpr_steps_at(const kexpr_steps *steps, size_t index) {
  return index < kexpr_steps_count(steps) ? &steps->steps[index] : nullptr;
}
