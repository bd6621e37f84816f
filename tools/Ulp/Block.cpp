//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Block.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

Status Block::compute(const Kernel &kernel, const Columns &inputs,
                      Columns &out) {
  out.resize(subject->type, subject->outputs, inputs.size());
  std::vector<TensorView> arguments, outputs;
  for (unsigned k = 0; k < subject->operands(); ++k)
    arguments.push_back(inputs.view(k));
  for (std::size_t i = 0; i < subject->outputs; ++i)
    outputs.push_back(out.view(i));
  return kernel.run(arguments, outputs, {.maxThreads = 1, .tileElements = 0});
}

Status Block::compute(const Columns &inputs) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (auto status = compute(set->kernels[i], inputs, results[i]); !status)
      return status;
  if (set->interpreter)
    if (auto status = compute(*set->interpreter, inputs, interpreted); !status)
      return status;
  isIdentical = std::all_of(
      results.begin(), results.end(),
      [this](const Columns &result) { return result.isIdentical(oracle()); });
  return {};
}
