//===- Ops/Operator.h - What an operator says of itself -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An operator is a struct with three members, and nothing outside lib/Ops
/// knows any operator by name:
///
///   static constexpr OpInfo info        what it is
///   static double reference(double...)  what it means, by independent means
///   template <class V> static V formula(V...)   how it is computed
///
/// and, where it has one, a fourth:
///
///   static constexpr LiteralForm withLiteral(int argument, double literal)
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_OPERATOR_H
#define KEXPR_OPS_OPERATOR_H

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace kexpr::ops {

/// Which element types an operator computes in.
enum class TypeRule : std::uint8_t {
  Float,    ///< Floating point; integers and bools are made f32 first.
  Numeric,  ///< The promoted type of its arguments.
  Integral, ///< Integers and bools; floating point is an error.
};

enum class ResultRule : std::uint8_t {
  Same, ///< The type computed in.
  Bool, ///< A truth value.
};

/// Where random arguments are drawn from in tests and benchmarks.
struct Domain {
  double low = -100;
  double high = 100;
};

/// The other meaning of a name, with one argument more: `expansion` is written
/// in the call grammar over the arguments @0, @1...
struct Overload {
  unsigned arity = 0; ///< 0: there is none.
  std::string_view expansion = {};
};

struct OpInfo {
  std::string_view name;
  /// Other spellings of the same operator.
  std::array<std::string_view, 2> aliases = {};
  /// One line: the meaning as a formula over x, y, z.
  std::string_view doc;
  TypeRule types = TypeRule::Float;
  ResultRule result = ResultRule::Same;
  /// Largest error in f32, in units in the last place of the exact result, over
  /// the whole domain of the type. 0.5 is correct rounding, 0 exactness.
  double maxUlp = 0.5;
  Domain domain = {};
  /// Whether PNNX writes it in expression strings.
  bool pnnx = true;
  Overload overload = {};
};

/// What a call with a literal argument is, bit for bit: an expression over @0,
/// the argument that is not the literal, and @1, which stands for `value`.
/// Empty: nothing simpler.
struct LiteralForm {
  std::string_view expansion = {};
  double value = 0;
};

namespace detail {
template <class F> struct Signature;
template <class R, class... Args> struct Signature<R (*)(Args...)> {
  static constexpr unsigned arity = sizeof...(Args);
  using Result = R;
  using Arguments = std::tuple<Args...>;
};
} // namespace detail

/// How many arguments Op takes: those of its reference.
template <class Op>
inline constexpr unsigned arityOf =
    detail::Signature<decltype(&Op::reference)>::arity;

/// Whether Op works on integers: its reference takes std::int64_t, its formula
/// is for values of an integer type or bool.
template <class Op>
inline constexpr bool isIntegral = Op::info.types == TypeRule::Integral;

/// Whether Op takes floats to floats. Comparisons do not: their formulas return
/// a mask.
template <class Op>
inline constexpr bool isFloatToFloat =
    !isIntegral<Op> && Op::info.result == ResultRule::Same;

template <class Op>
concept HasLiteralForm = requires {
  Op::withLiteral(0, 0.0);
};

/// Most arguments an operator has.
inline constexpr unsigned MaxArity = 4;

} // namespace kexpr::ops

#endif // KEXPR_OPS_OPERATOR_H
