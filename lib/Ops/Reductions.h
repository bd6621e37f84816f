//===- Ops/Reductions.h - The list of all reductions --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_REDUCTIONS_H
#define KEXPR_OPS_REDUCTIONS_H

#include "Ops/Arithmetic.h"
#include "Ops/Conversion.h"
#include "Ops/Operators.h"
#include "Ops/Reduction.h"

#include <limits>

namespace kexpr::ops {

/// f32 is added in f64, f64 as a pair whose second part holds what the first
/// one's roundings lost (Knuth's TwoSum).
struct Sum {
  static constexpr ReductionInfo info{.name = "sum",
                                      .doc = "the sum",
                                      .ulp = {0.51, 0.5, 0.51},
                                      .ofSum = ReductionOfSum::Sum,
                                      .scan = "cumsum",
                                      .scanDoc = "the sums of the elements up "
                                                 "to each"};
  template <class T>
  using Element = std::conditional_t<std::is_same_v<T, float>, double, T>;
  template <class T>
  static constexpr unsigned parts = std::is_same_v<T, double> ? 2 : 1;
  static constexpr bool hasNeutralIdentity = true;

  template <class V> static V identity(unsigned, V index) {
    return index.like(0);
  }
  template <class V> static Several<V, 1> step(Several<V, 1> state, V x) {
    return {{state.each[0] + x}};
  }
  template <class V> static Several<V, 2> step(Several<V, 2> state, V x) {
    const auto [high, lost] = twoSum(state.each[0], x);
    return {{high, state.each[1] + lost}};
  }
  template <class V>
  static Several<V, 1> combine(Several<V, 1> a, Several<V, 1> b) {
    return {{a.each[0] + b.each[0]}};
  }
  template <class V>
  static Several<V, 2> combine(Several<V, 2> a, Several<V, 2> b) {
    const auto [high, lost] = twoSum(a.each[0], b.each[0]);
    return {{high, (a.each[1] + b.each[1]) + lost}};
  }
  template <class V> static V finish(Several<V, 1> state, V) {
    return state.each[0];
  }
  template <class V> static V finish(Several<V, 2> state, V) {
    V sum = state.each[0] + state.each[1];
    // Nothing is known to be lost of an infinity.
    return select(sum == sum, sum, state.each[0]);
  }

  template <class R> static R reference(std::span<const R> elements) {
    R sum = 0;
    for (R x : elements)
      sum += x;
    return sum;
  }

  template <class V> static typename V::Mask isFinite(V x) {
    return x - x == 0;
  }
  template <class V> struct Pair { V high, lost; };
  /// a + b = high + lost, exactly.
  template <class V> static Pair<V> twoSum(V a, V b) {
    V high = a + b, part = high - a;
    return {high, (a - (high - part)) + (b - part)};
  }
};

struct Mean : Sum {
  static constexpr ReductionInfo info{.name = "mean",
                                      .doc = "the sum over their number",
                                      .types = ReductionTypes::Floating,
                                      .ulp = {0.51, 0.5, 0.51},
                                      .ofSum = ReductionOfSum::Mean};

  template <class V> static V finish(Several<V, 1> state, V count) {
    return state.each[0] / count;
  }
  template <class V> static V finish(Several<V, 2> state, V count) {
    return parted(state, count).high;
  }

  /// The mean, and what it lost by rounding.
  template <class V> static Pair<V> parted(Several<V, 2> state, V count) {
    V high = Sum::finish(state, count), quotient = high / count;
    // What is left of the sum: of its rounding and of the division's.
    V rest = fma(-quotient, count, state.each[0]) + state.each[1];
    V mean = quotient + rest / count;
    auto isWhole = isFinite(quotient) & isFinite(rest);
    return {select(isWhole, mean, quotient),
            select(isWhole, rest / count - (mean - quotient), quotient)};
  }

  template <class R> static R reference(std::span<const R> elements) {
    return Sum::reference(elements) / static_cast<R>(elements.size());
  }
};

/// The significand of a product apart from its exponent, so that nothing
/// overflows on the way; f64 has the rounding errors of significands besides.
struct Prod {
  static constexpr ReductionInfo info{
      .name = "prod",
      .doc = "the product",
      .ulp = {0.51, 0.5, 0.51},
      .scan = "cumprod",
      .scanDoc = "the products of the elements up to each"};
  template <class T> using Element = Sum::Element<T>;
  template <class T>
  static constexpr unsigned parts = std::is_same_v<T, double>  ? 3
                                    : std::is_same_v<T, float> ? 2
                                                               : 1;

  template <class V> static V identity(unsigned part, V index) {
    return index.like(part == 0);
  }
  template <class V> static Several<V, 1> step(Several<V, 1> state, V x) {
    return {{state.each[0] * x}};
  }
  /// The product waits for nothing but itself. It stays below 2^260: no state
  /// takes more than ReductionBlock / ReductionLanes factors below 16 before it
  /// is combined or `normalized`.
  template <class V> static Several<V, 2> step(Several<V, 2> state, V x) {
    const Factor<V> factor = split(x); // No f32 is subnormal in f64.
    return {
        {state.each[0] * factor.significand, state.each[1] + factor.exponent}};
  }
  template <class V> static Several<V, 3> step(Several<V, 3> state, V x) {
    auto isSmall = abs(x) < 0x1p-1022;
    const Factor<V> factor = split(x * select(isSmall, 0x1p54, x.like(1)));
    V exponent = factor.exponent - select(isSmall, 54, x.like(0));
    V high = state.each[0] * factor.significand;
    V lost = fma(state.each[0], factor.significand, -high);
    return {{high, state.each[1] + exponent,
             lost + state.each[2] * factor.significand}};
  }
  template <class V>
  static Several<V, 1> combine(Several<V, 1> a, Several<V, 1> b) {
    return {{a.each[0] * b.each[0]}};
  }
  template <class V>
  static Several<V, 2> combine(Several<V, 2> a, Several<V, 2> b) {
    return normalized(
        Several<V, 2>{{a.each[0] * b.each[0], a.each[1] + b.each[1]}});
  }
  template <class V>
  static Several<V, 3> combine(Several<V, 3> a, Several<V, 3> b) {
    V high = a.each[0] * b.each[0];
    V lost = fma(a.each[0], b.each[0], -high);
    lost = fma(a.each[0], b.each[2], lost) + a.each[2] * b.each[0];
    return normalized(Several<V, 3>{{high, a.each[1] + b.each[1], lost}});
  }
  /// The same state, its product being below 16.
  template <class V, int N>
  static Several<V, N> normalized(Several<V, N> state) {
    if constexpr (N > 1) {
      const Factor<V> product = split(state.each[0]);
      state.each[0] = product.significand;
      state.each[1] = state.each[1] + product.exponent;
      if constexpr (N == 3)
        state.each[2] = state.each[2] * product.scale;
    }
    return state;
  }
  template <class V> static V finish(Several<V, 1> state, V) {
    return state.each[0];
  }
  /// For an f32, which is 0 or infinite where the exponent leaves the range of
  /// f64, whatever the product is.
  template <class V> static V finish(Several<V, 2> state, V) {
    return state.each[0] * power(clamped(state.each[1], -1022, 1023));
  }
  template <class V> static V finish(Several<V, 3> state, V) {
    V significand = state.each[0];
    V sum = copySign(significand + state.each[2], significand); // -0
    significand = select(Sum::isFinite(state.each[2]), sum, significand);
    // What ends far below the least number is 0 before that takes long.
    V n = state.each[1];
    significand =
        select((n < -1400) & Sum::isFinite(significand), significand * 0.0,
               significand);
    // The first factor is exact, or the result is infinite or 0 whatever the
    // second one is.
    n = clamped(n, -2040, 2040);
    V half = floor(n * 0.5);
    return significand * power(half) * power(n - half);
  }

  template <class R> static R reference(std::span<const R> elements) {
    R product = 1;
    for (R x : elements)
      product *= x;
    return product;
  }

private:
  template <class V> static V clamped(V n, double least, double most) {
    V above = select(n > least, n, n.like(least));
    return select(above < most, above, n.like(most));
  }
  /// 2^n for a whole number -1022 <= n <= 1023.
  template <class V> static V power(V n) {
    auto field = (n + (0x1p52 + 1023)).template bits<std::int64_t>() << 52;
    return field.template bits<double>();
  }
  /// significand * 2^exponent, and what makes a number its significand.
  template <class V> struct Factor { V significand, exponent, scale; };
  /// A normal number has a significand from 1 up, below 16; a zero, an infinity
  /// and NaN are their own, with any exponent. The two lowest bits of the
  /// exponent stay, so that no scale is 0 or infinite.
  template <class V> static Factor<V> split(V x) {
    auto field = x.template bits<std::int64_t>() & 0x7fc0000000000000;
    V scale = (field.like(0x7fe0000000000000) - field).template bits<double>();
    // A small integer in the low bits of 2^52 is 2^52 plus that integer.
    auto exponent = shiftRightLogical(field, 52) | 0x4330000000000000;
    return {x * scale, exponent.template bits<double>() - (0x1p52 + 1023),
            scale};
  }
};

/// States of one element, of which `combine` keeps one.
template <class Best> struct Choice {
  template <class T> using Element = T;
  template <class T> static constexpr unsigned parts = 1;
  static constexpr bool hasNeutralIdentity = true, chooses = true;

  template <class V>
  static Several<V, 1> combine(Several<V, 1> a, Several<V, 1> b) {
    return step(a, b.each[0]);
  }
  /// As Best, but what is asked of x alone need not wait for the state: that
  /// takes one instruction for the better one, which drops NaN, and one for it.
  template <class V> static Several<V, 1> step(Several<V, 1> state, V x) {
    V old = state.each[0], better;
    if constexpr (std::is_same_v<Best, Maximum>)
      better = select(x > old, x, old);
    else
      better = select(x < old, x, old);
    return {{select(x != x, x, better)}};
  }
  template <class V> static V finish(Several<V, 1> state, V) {
    return state.each[0];
  }
  template <class R> static R reference(std::span<const R> elements) {
    R best = elements[0];
    for (R x : elements.subspan(1))
      best = Best::reference(best, x);
    return best;
  }
};

/// The largest value of T, or of the other sign.
template <class T> consteval T farthest(bool isLow) {
  if constexpr (std::is_floating_point_v<T>)
    return isLow ? -std::numeric_limits<T>::infinity()
                 : std::numeric_limits<T>::infinity();
  else
    return isLow ? std::numeric_limits<T>::min()
                 : std::numeric_limits<T>::max();
}

struct Amax : Choice<Maximum> {
  static constexpr ReductionInfo info{.name = "amax",
                                      .doc = "the largest; NaN if one is",
                                      .types = ReductionTypes::Any,
                                      .takesNone = false,
                                      .ulp = Exact};
  template <class V> static V identity(unsigned, V index) {
    return index.like(farthest<ElementOf<V>>(true));
  }
};

struct Amin : Choice<Minimum> {
  static constexpr ReductionInfo info{.name = "amin",
                                      .doc = "the smallest; NaN if one is",
                                      .types = ReductionTypes::Any,
                                      .takesNone = false,
                                      .ulp = Exact};
  template <class V> static V identity(unsigned, V index) {
    return index.like(farthest<ElementOf<V>>(false));
  }
};

/// Of truth values, as 0 and 1.
struct Any : Choice<Maximum> {
  static constexpr ReductionInfo info{.name = "any",
                                      .doc = "whether one is true",
                                      .types = ReductionTypes::Truth,
                                      .ulp = Exact};
  template <class V> static V identity(unsigned, V index) {
    return index.like(0);
  }
};

struct All : Choice<Minimum> {
  static constexpr ReductionInfo info{.name = "all",
                                      .doc = "whether all are true",
                                      .types = ReductionTypes::Truth,
                                      .ulp = Exact};
  template <class V> static V identity(unsigned, V index) {
    return index.like(1);
  }
};

/// The index of the first element that is NaN or else the best. A state is the
/// best element so far, its index, which is negative before there is one, and
/// the index of the element that comes next. The elements of u64, which i64
/// does not hold, have indices of their own type.
template <bool IsLargest> struct ArgBest {
  template <class T>
  using Element = std::conditional_t<
      std::is_same_v<T, std::uint64_t>, std::uint64_t,
      std::conditional_t<std::is_integral_v<T>, std::int64_t, double>>;
  template <class T> static constexpr unsigned parts = 3;

  template <class V> static V identity(unsigned part, V index) {
    return part == 0   ? index.like(0)
           : part == 1 ? index.like(static_cast<ElementOf<V>>(-1))
                       : index;
  }
  template <class V> static Several<V, 3> step(Several<V, 3> state, V x) {
    const auto [best, index, next] = state.each;
    auto isBetter = beats(x, best) | isNone(index);
    constexpr auto lanes = static_cast<ElementOf<V>>(ReductionLanes);
    return {{select(isBetter, x, best), select(isBetter, next, index),
             next + lanes}};
  }
  template <class V>
  static Several<V, 3> combine(Several<V, 3> a, Several<V, 3> b) {
    const auto [best, index, next] = a.each;
    const auto [other, place, unused] = b.each;
    auto isEarlier = ~beats(best, other) & (place < index);
    auto isBetter =
        ~isNone(place) & (beats(other, best) | isEarlier | isNone(index));
    return {
        {select(isBetter, other, best), select(isBetter, place, index), next}};
  }
  template <class V> static V finish(Several<V, 3> state, V) {
    return state.each[1];
  }
  template <class R> static R reference(std::span<const R> elements) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < elements.size(); ++i) {
      const R x = elements[i], y = elements[best];
      if (y == y && (x != x || (IsLargest ? x > y : x < y)))
        best = i;
    }
    return static_cast<R>(best);
  }

private:
  template <class V> static auto isNone(V index) {
    if constexpr (std::is_unsigned_v<ElementOf<V>>)
      return index.template bits<std::int64_t>() < 0;
    else
      return index < 0;
  }
  template <class V> static auto beats(V x, V y) {
    auto isNan = (x != x) & (y == y);
    if constexpr (IsLargest)
      return (x > y) | isNan;
    else
      return (x < y) | isNan;
  }
};

struct Argmax : ArgBest<true> {
  static constexpr ReductionInfo info{
      .name = "argmax",
      .doc = "the index of the first of the largest; of the first NaN",
      .types = ReductionTypes::Number,
      .result = ReductionResult::Index,
      .takesNone = false,
      .ulp = Exact};
};

struct Argmin : ArgBest<false> {
  static constexpr ReductionInfo info{
      .name = "argmin",
      .doc = "the index of the first of the smallest; of the first NaN",
      .types = ReductionTypes::Number,
      .result = ReductionResult::Index,
      .takesNone = false,
      .ulp = Exact};
};

/// Hidden: the largest for a sum of what is less, which says itself that there
/// is a NaN.
struct LargestNumber : Amax {
  static constexpr ReductionInfo info{.name = "largest",
                                      .doc = "the largest that is no NaN",
                                      .types = ReductionTypes::Floating,
                                      .ulp = Exact};
  static constexpr bool hasNeutralIdentity = false; // It drops a NaN.

  template <class V> static Several<V, 1> step(Several<V, 1> state, V x) {
    return {{select(x > state.each[0], x, state.each[0])}};
  }
  template <class V>
  static Several<V, 1> combine(Several<V, 1> a, Several<V, 1> b) {
    return step(a, b.each[0]);
  }
};

/// Hidden: what a mean of f64 lost by rounding.
struct RestOfMean : Mean {
  static constexpr ReductionInfo info{.name = "rest_of_mean",
                                      .doc = "what the mean lacks",
                                      .types = ReductionTypes::Floating,
                                      .ulp = Unbounded};

  template <class V> static V finish(Several<V, 1> state, V count) {
    return fma(-(state.each[0] / count), count, state.each[0]) / count;
  }
  template <class V> static V finish(Several<V, 2> state, V count) {
    return parted(state, count).lost;
  }
  template <class R> static R reference(std::span<const R>) { return 0; }
};

/// Hidden: how many elements there are, whichever they are.
struct Count : Sum {
  static constexpr ReductionInfo info{.name = "count",
                                      .doc = "the number of elements",
                                      .types = ReductionTypes::Floating,
                                      .ulp = Exact};
  template <class T> static constexpr unsigned parts = 1;

  template <class V> static Several<V, 1> step(Several<V, 1> state, V) {
    return state;
  }
  template <class V>
  static Several<V, 1> combine(Several<V, 1> a, Several<V, 1>) {
    return a;
  }
  template <class V> static V finish(Several<V, 1>, V count) { return count; }
  template <class R> static R reference(std::span<const R> elements) {
    return static_cast<R>(elements.size());
  }
};

/// Hidden: of ones, which need no wider type: up to 2^24 of them the sum is
/// exact, and of more its error does not show in a logarithm.
struct Tally : Sum {
  static constexpr ReductionInfo info{.name = "tally",
                                      .doc = "the sum, in the type itself",
                                      .types = ReductionTypes::Floating,
                                      .ulp = Unbounded};
  template <class T> using Element = T;
  template <class T> static constexpr unsigned parts = 1;
};

/// Every reduction that expressions name.
using Reductions =
    OpList<Sum, Mean, Prod, Amax, Amin, Any, All, Argmax, Argmin>;

/// These and the hidden ones.
using AllReductions = Reductions::With<LargestNumber, RestOfMean, Count, Tally>;

/// The computed types that a reduction has a form for.
constexpr bool worksIn(ReductionTypes types, DType form) {
  const bool isFloat = form == DType::F32 || form == DType::F64;
  switch (types) {
  case ReductionTypes::Sums:
    return isFloat || form == DType::I64;
  case ReductionTypes::Floating:
    return isFloat;
  case ReductionTypes::Truth:
    return form == DType::U8;
  default:
    return isFloat ||
           (form != DType::Bool && form != DType::F16 && form != DType::BF16);
  }
}

/// The form whose loops and code serve another: i64 where elements are made
/// that first.
template <class R, DType Form>
inline constexpr DType servingForm =
    std::is_same_v<typename R::template Element<Element<Form>>, std::int64_t>
        ? DType::I64
        : Form;

} // namespace kexpr::ops

#endif // KEXPR_OPS_REDUCTIONS_H
