//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Tiers.h"

#include "Semantics/Promotion.h"

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;

namespace {
/// How long a loop is at most.
struct Bound {
  double operations;
  std::size_t slots;
};
} // namespace

// What takes the code generator some two seconds on one core (Emerald Rapids,
// 3 GHz). Slots count apart, since their pointers live through the whole loop.
static constexpr Bound OptimizedBound = {6000, 512};
static constexpr Bound BaselineBound = {20000, 1024};

/// Primitive operations, weighted by the instructions that they become: those
/// of integers are many where they divide or multiply repeatedly.
static double lengthOf(const semantics::Plan &plan) {
  constexpr double integers = 4;
  double length = 0;
  for (const semantics::Value &value : plan.graph.values) {
    if (plan.graph.args(value).empty())
      continue; // Inputs and numbers have no type that they are computed in.
    const double operations =
        plan.graph.workOf(value, plan.precision).operations;
    length += semantics::isFloatingPoint(plan.graph.computedType(value))
                  ? operations
                  : integers * operations;
  }
  return length;
}

OptLevel runtime::levelOf(Mode mode) {
  return mode == Mode::Baseline ? OptLevel::Baseline : OptLevel::Optimized;
}

std::optional<OptLevel> runtime::lastLevel(const semantics::Plan &plan,
                                           Mode mode) {
  if (mode == Mode::Interpret)
    return std::nullopt;
  const double length = lengthOf(plan);
  const auto isWithin = [&](const Bound &bound) {
    return length <= bound.operations && plan.slots() <= bound.slots;
  };
  if (levelOf(mode) == OptLevel::Optimized && isWithin(OptimizedBound))
    return OptLevel::Optimized;
  return isWithin(BaselineBound) ? std::optional(OptLevel::Baseline)
                                 : std::nullopt;
}
