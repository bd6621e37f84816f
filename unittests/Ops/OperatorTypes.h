//===- Ops/OperatorTypes.h - The operators as lists for typed tests -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_OPS_OPERATORTYPES_H
#define KEXPR_UNITTESTS_OPS_OPERATORTYPES_H

#include "Ops/Algebra/Scalar.h"
#include "Ops/Operators.h"
#include "TestUtil/Floats.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace kexpr::test {

template <class Op, class T = float>
using Arguments = std::array<T, ops::arityOf<Op>>;

/// Calls visit(Arguments<Op>) for every combination of special values; of four
/// arguments all but the first take few of them.
template <class Op, class F> void forEachSpecial(F visit) {
  const auto specials = specialFloats();
  std::array<std::size_t, ops::arityOf<Op>> odometer{};
  for (;;) {
    Arguments<Op> arguments;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      arguments[k] = specials[odometer[k]];
    visit(arguments);
    const auto turn = [&](std::size_t wheel) {
      odometer[wheel] += wheel > 0 && ops::arityOf<Op> > 3 ? 7 : 1;
      return odometer[wheel] >= specials.size();
    };
    std::size_t wheel = 0;
    while (wheel < odometer.size() && turn(wheel))
      odometer[wheel++] = 0;
    if (wheel == odometer.size())
      return;
  }
}

/// Calls visit for `count` arguments drawn from the operator's domain.
template <class Op, class F> void forEachRandom(unsigned count, F visit) {
  std::mt19937 generator(2024);
  std::uniform_real_distribution<float> draw(
      static_cast<float>(Op::info.domain.low),
      static_cast<float>(Op::info.domain.high));
  for (unsigned i = 0; i < count; ++i) {
    Arguments<Op> arguments;
    for (float &argument : arguments)
      argument = draw(generator);
    visit(arguments);
  }
}

/// Calls visit for `count` arguments that together go over all bit patterns:
/// the first argument in even steps, the others in a random order of steps.
template <class Op, class F> void forEachStepped(unsigned count, F visit) {
  std::mt19937 generator(2025);
  const auto values = steppedFloats(count, 1);
  for (unsigned i = 0; i < count; ++i) {
    Arguments<Op> arguments{values[i]};
    for (std::size_t k = 1; k < arguments.size(); ++k)
      arguments[k] = values[generator() % count];
    visit(arguments);
  }
}

template <class Op> double referenceOf(const Arguments<Op> &arguments) {
  return std::apply(
      [](auto... x) {
        return static_cast<double>(Op::reference(static_cast<double>(x)...));
      },
      arguments);
}

/// An argument as a formula takes it: a condition holds where it is not 0.
template <class To, class T> ops::Scalar<To> readAs(T argument) {
  if constexpr (std::is_same_v<To, bool>)
    return {argument != 0};
  else
    return {argument};
}

/// The formula of an arithmetic, read as scalars.
template <class Op, ops::Arithmetic A = ops::Arithmetic::F32>
auto formulaOf(const Arguments<Op, ops::ElementIn<A>> &arguments) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return ops::applyFormula<Op, A>(
               readAs<ops::ArgumentIn<Op, A, K>>(arguments[K])...)
        .rep;
  }
  (std::make_index_sequence<ops::arityOf<Op>>{});
}

template <class Op> std::string describe(const Arguments<Op> &arguments) {
  std::string text(Op::info.name);
  for (float argument : arguments) {
    char number[64];
    std::snprintf(number, sizeof number, " %a (%g)", argument, argument);
    text += number;
  }
  return text;
}

namespace detail {
template <class... Ops>::testing::Types<Ops...> join(ops::OpList<Ops...>);

template <class... Left, class... Right>
ops::OpList<Left..., Right...> concat(ops::OpList<Left...>,
                                      ops::OpList<Right...>);
template <template <class> class Keep> ops::OpList<> filter(ops::OpList<>);
template <template <class> class Keep, class Op, class... Rest>
auto filter(ops::OpList<Op, Rest...>) {
  using Head =
      std::conditional_t<Keep<Op>::value, ops::OpList<Op>, ops::OpList<>>;
  using Tail = decltype(filter<Keep>(ops::OpList<Rest...>{}));
  return decltype(concat(Head{}, Tail{})){};
}

template <class Op>
struct FloatToFloat : std::bool_constant<ops::isFloatToFloat<Op>> {};
template <class Op>
struct Floating : std::bool_constant<!ops::isIntegral<Op>> {};
template <class Op>
struct Integral
    : std::bool_constant<ops::isIntegral<Op> &&
                         Op::info.types != ops::TypeRule::Composed> {};

template <template <class> class Keep>
using TypesOf = decltype(join(filter<Keep>(ops::Operators{})));
} // namespace detail

using FloatToFloatOperators = detail::TypesOf<detail::FloatToFloat>;
using FloatOperators = detail::TypesOf<detail::Floating>;
using IntegralOperators = detail::TypesOf<detail::Integral>;

/// Names typed tests after their operator.
struct OperatorNames {
  template <class Op> static std::string GetName(int) {
    return std::string(Op::info.name);
  }
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_OPS_OPERATORTYPES_H
