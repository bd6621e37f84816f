//===- Inspect/Subjects.h - Kernels to look at ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_INSPECT_SUBJECTS_H
#define KEXPR_UNITTESTS_INSPECT_SUBJECTS_H

#include "Semantics/Check.h"
#include "Semantics/Plan.h"

namespace kexpr::test {

/// The plan of an expression, contiguous, with its source.
inline semantics::Plan planOf(const std::string &text,
                              const std::vector<DType> &types = {},
                              const std::vector<std::uint32_t> &zeroDims = {}) {
  auto expression = *Expression::parse(text);
  semantics::Plan plan{.graph =
                           *semantics::check(expression, {types, zeroDims}),
                       .inputs = {},
                       .outputs = {}};
  plan.setContiguous();
  plan.source = std::make_shared<const semantics::Source>(
      semantics::Source{expression, types, zeroDims});
  return plan;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_INSPECT_SUBJECTS_H
