//===- CodeGen/KnownDivisors.h - Loops that divide by a literal -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODEGEN_KNOWNDIVISORS_H
#define KEXPR_UNITTESTS_CODEGEN_KNOWNDIVISORS_H

#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"
#include "TestUtil/Floats.h"

#include <algorithm>

namespace kexpr::test {

inline semantics::Plan planToDivideBy(float y) {
  char text[64];
  std::snprintf(text, sizeof text, "div(@0,%.9g)", y);
  return planFor(text);
}

/// By one value that the loop is given.
inline semantics::Plan planToDivideByOne() {
  constexpr auto contiguous = semantics::AccessPattern::Contiguous;
  return planFor("div(@0,@1)",
                 {contiguous, contiguous, semantics::AccessPattern::Constant});
}

/// Whether the loop, of y or given it, gives x / y for every x.
inline testing::AssertionResult dividesRight(const CompiledLoop &loop,
                                             const std::vector<float> &x,
                                             float y, bool isGiven = false) {
  std::vector<float> quotients(x.size());
  std::vector<const void *> pointers{quotients.data(), x.data()};
  if (isGiven)
    pointers.push_back(&y);
  loop.run(static_cast<std::int64_t>(x.size()), pointers);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!sameFloat(quotients[i], x[i] / y))
      return testing::AssertionFailure()
             << x[i] << " by " << y << " gave " << quotients[i];
  return testing::AssertionSuccess();
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODEGEN_KNOWNDIVISORS_H
