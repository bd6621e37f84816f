//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one file that reads all references at Real.
//
//===----------------------------------------------------------------------===//
#include "Ulp/References.h"

#include "Ops/Operators.h"

#include <array>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

template <class Op> static Real referenceOver(const Real *arguments) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Real(Op::reference(arguments[I]...));
  }
  (std::make_index_sequence<ops::arityOf<Op>>{});
}

static std::array<RealReference, ops::Operators::size> makeReferences() {
  std::array<RealReference, ops::Operators::size> references{};
  std::size_t id = 0;
  ops::Operators::forEach([&]<class Op>() {
    if constexpr (!ops::isIntegral<Op>)
      references[id] = &referenceOver<Op>;
    ++id;
  });
  return references;
}

RealReference tools::realReference(ops::OpId op) {
  static const auto references = makeReferences();
  return references[op];
}

/// Whether a result at a lower precision says that `x` is right.
static bool agree(const Real &lower, const Real &x) {
  // A zero or NaN that rounding had a part in may be what cancelling left.
  if (isnan(x) || x.isZero())
    return mpfr_underflow_p() && lower == x;
  return lower == x || fabs(lower - x) <= fabs(x).scaled(-90);
}

static bool agree(std::span<const Real> lower, std::span<const Real> results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!agree(lower[i], results[i]))
      return false;
  return true;
}

void tools::settle(const std::function<void(std::span<Real>)> &evaluate,
                   std::span<Real> results) {
  std::vector<Real> lower;
  for (long bits : {128, 256, 1024, 4096}) {
    const Real::WithBits precision(bits);
    mpfr_clear_flags();
    evaluate(results);
    const bool isExact = !mpfr_inexflag_p();
    if (isExact || (!lower.empty() && agree(lower, results)))
      return;
    lower.assign(results.begin(), results.end());
  }
}
