//===- TestUtil/Parameters.h - What a loop is handed ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_TESTUTIL_PARAMETERS_H
#define KEXPR_UNITTESTS_TESTUTIL_PARAMETERS_H

#include "Semantics/Plan.h"

#include <vector>

namespace kexpr::test {

/// The bits of a plan's parameters, which are literals; a `LoopFn` takes
/// pointers to them after those of its inputs.
inline std::vector<std::uint64_t> parametersOf(const semantics::Plan &plan) {
  std::vector<std::uint64_t> bits(plan.graph.parameters.size());
  for (const semantics::Value &value : plan.graph.values)
    if (value.kind == semantics::ValueKind::Parameter)
      bits[value.input] =
          plan.graph.numbers[plan.graph.parameters[value.input]].number.bitsAs(
              value.type);
  return bits;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_TESTUTIL_PARAMETERS_H
