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
///   template <class R> static R reference(R...)  what it means, by independent
///                                                means, in a wider type R
///   template <class V> static V formula(V...)    how it is computed
///
/// and, where it has them,
///
///   template <class V> static V accurate(V...)   how it is computed in f32 at
///                                                Precision::Accurate, where
///                                                formula does not serve
///   template <class V> static V fast(V...)       the same at Precision::Fast,
///                                                where formula takes longer
///   static constexpr LiteralForm withLiteral(int argument, double literal)
///
/// A reference is read at double, at MPFR's numbers, and at std::int64_t where
/// the operator takes integers alone; it calls <math.h>'s functions without a
/// name space, so that those of R are found.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_OPERATOR_H
#define KEXPR_OPS_OPERATOR_H

#include "kexpr/Precision.h"
#include "kexpr/Tensor.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace kexpr::ops {

/// Which element types an operator computes in, given the promoted type of its
/// arguments.
enum class TypeRule : std::uint8_t {
  Float,    ///< Floating point; integers and bools are made f32 first.
  Floating, ///< Floating point; integers and bools are an error.
  Numeric,  ///< Any type.
  Number,   ///< Any type but bool, which is an error.
  Counting, ///< Any type; bools are made i64 first.
  Integral, ///< Integers and bools; floating point is an error.
  Integer,  ///< Integers; floating point and bools are an error.
  Truth,    ///< Any type; each argument is made bool first, by itself.
  Single,   ///< f32, f16 and bf16; f64, integers and bools are an error.
  Composed, ///< Floating point, by `ofFloats` and no formula; others are
            ///< errors.
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

/// An expression over arguments @0, @1... that a call is replaced by. Its text,
/// in the call grammar without blanks, is parsed when kexpr is compiled;
/// literals are digits with a point or none.
class Expansion {
public:
  constexpr Expansion() = default;
  consteval Expansion(const char *source) : text(source) {
    std::array<Term, MaxTerms> open;
    std::size_t depth = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find_first_of("(),", begin), text.size());
      const Term word{static_cast<std::uint8_t>(begin),
                      static_cast<std::uint8_t>(end - begin)};
      const char next = end < text.size() ? text[end] : ',';
      if (next == '(')
        open[depth++] = word;
      else if (word.length)
        postfix[count++] = word;
      if (next == ')')
        postfix[count++] = open[--depth];
      begin = end + 1;
    }
  }

  constexpr bool empty() const { return count == 0; }
  constexpr std::string_view str() const { return text; }
  /// Arguments, as `@0`, literals and names of operators, in reverse Polish
  /// order.
  constexpr std::size_t size() const { return count; }
  constexpr std::string_view operator[](std::size_t term) const {
    return text.substr(postfix[term].begin, postfix[term].length);
  }

  /// Most terms of an expansion.
  static constexpr std::size_t MaxTerms = 20;

private:
  /// Where a term stands in the text.
  struct Term {
    std::uint8_t begin = 0, length = 0;
  };

  std::string_view text = {};
  std::array<Term, MaxTerms> postfix = {};
  std::uint8_t count = 0;
};

/// The other meaning of a name, with one argument more.
struct Overload {
  unsigned arity = 0; ///< 0: there is none.
  Expansion expansion = {};
};

/// The largest finite number of the type of a call, as a default argument.
inline constexpr double Largest = std::numeric_limits<double>::max();

/// What the last arguments are where a call leaves them out.
struct Defaults {
  unsigned count = 0;
  std::array<double, 3> values = {};
};

/// Largest errors, in units in the last place of the exact result, over the
/// whole domain of the type; `kexpr-ulp` measures them. 0.5 is correct
/// rounding.
struct Bounds {
  double f32 = 0.5;      ///< At Precision::Default.
  double accurate = 0.5; ///< In f32 at Precision::Accurate.
  double f64 = 0.5;
  double fast = f32; ///< In f32 at Precision::Fast.
};

/// Of operators whose results need no rounding.
inline constexpr Bounds Exact{0, 0, 0};
/// Of those with terms that may cancel.
inline constexpr Bounds Unbounded{std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::infinity()};

struct OpInfo {
  std::string_view name;
  /// Other spellings of the same operator.
  std::array<std::string_view, 2> aliases = {};
  /// One line: the meaning as a formula over x, y, z.
  std::string_view doc;
  TypeRule types = TypeRule::Float;
  ResultRule result = ResultRule::Same;
  Bounds ulp = {};
  /// In f64, where a result cancels to less than this part of the largest
  /// argument, the bound is on units in the last place of that part.
  double cancellation = 0;
  Domain domain = {};
  /// Whether PNNX writes it in expression strings.
  bool pnnx = true;
  Overload overload = {};
  Defaults defaults = {};
  /// What a call of floating point is, its arguments converted to one type
  /// first, of an operator that has formulas for integers alone, or none: it
  /// rounds where the type does, which no reference in a wider type can tell.
  Expansion ofFloats = {};
  /// What a call in f16 and in bf16 is, of an operator whose result depends on
  /// the type. Its arguments are rounded to that first.
  Expansion ofF16 = {}, ofBF16 = {};
  /// Whether a literal argument makes better integer code when the code knows
  /// it: otherwise literals are parameters of a kernel, so that expressions
  /// that differ in them alone share machine code.
  bool bakesLiterals = false;
  /// Whether the formula gives the same bits for signed and unsigned integers
  /// of one width, which then share loops and the code that emits them.
  bool isSignless = false;
  /// Whether the first argument is a bool that has no say in the type of the
  /// others, a `V::Mask` of the formula.
  bool takesCondition = false;
  /// Whether the second argument is a least result and the third a largest one:
  /// of integers, literals there are the nearest that the type has.
  bool takesLimits = false;
};

/// What a call with a literal argument is, bit for bit: an expression over @0,
/// the argument that is not the literal, and @1, @2... for the `values`. It may
/// name hidden operators. Empty: nothing simpler.
struct LiteralForm {
  Expansion expansion = {};
  std::array<double, 3> values = {};
};

/// What a formula is read for: an element type and, in f32, a precision.
enum class Arithmetic : std::uint8_t {
  F32,
  F32Accurate,
  F32Fast,
  F64,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  Bool,
};
inline constexpr std::size_t ArithmeticCount = 13;

/// The element type that an arithmetic computes in.
template <Arithmetic A>
using ElementIn = std::tuple_element_t<
    static_cast<std::size_t>(A),
    std::tuple<float, float, float, double, std::int8_t, std::uint8_t,
               std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
               std::int64_t, std::uint64_t, bool>>;

constexpr bool isFloatingPoint(Arithmetic arithmetic) {
  return arithmetic <= Arithmetic::F64;
}

namespace detail {
/// By arithmetic.
inline constexpr DType TypesComputedIn[] = {
    DType::F32, DType::F32, DType::F32, DType::F64, DType::I8,
    DType::U8,  DType::I16, DType::U16, DType::I32, DType::U32,
    DType::I64, DType::U64, DType::Bool};
static_assert(std::size(TypesComputedIn) == ArithmeticCount);
} // namespace detail

/// The element type that an arithmetic computes in.
constexpr DType typeOf(Arithmetic arithmetic) {
  return detail::TypesComputedIn[static_cast<std::size_t>(arithmetic)];
}

/// That of the signed integers of the same width, for an arithmetic of unsigned
/// ones; the arithmetic itself otherwise.
constexpr Arithmetic signedOf(Arithmetic arithmetic) {
  const DType type = typeOf(arithmetic);
  const bool isUnsigned = type == DType::U8 || type == DType::U16 ||
                          type == DType::U32 || type == DType::U64;
  return isUnsigned ? static_cast<Arithmetic>(static_cast<int>(arithmetic) - 1)
                    : arithmetic;
}
static_assert(typeOf(signedOf(Arithmetic::U64)) == DType::I64);

/// What a rule says.
struct TypeRuleInfo {
  /// Categories of types that it computes in.
  bool bools, integers, singles, doubles;
  /// What other types are converted to; none if they are an error.
  std::optional<Arithmetic> otherwise;
  /// "integers and bools": what an operator of the rule takes.
  std::string_view takes;
};

namespace detail {
inline constexpr std::string_view AnyType = "any type";
/// By rule.
inline constexpr TypeRuleInfo TypeRules[] = {
    {false, false, true, true, Arithmetic::F32, AnyType},
    {false, false, true, true, {}, "floating point"},
    {true, true, true, true, {}, AnyType},
    {false, true, true, true, {}, "integers and floating point"},
    {false, true, true, true, Arithmetic::I64, AnyType},
    {true, true, false, false, {}, "integers and bools"},
    {false, true, false, false, {}, "integers"},
    {true, false, false, false, Arithmetic::Bool, AnyType},
    {false, false, true, false, {}, "f32, f16 and bf16"},
    {false, false, false, false, {}, "floating point"}};
} // namespace detail

constexpr const TypeRuleInfo &infoOf(TypeRule rule) {
  return detail::TypeRules[static_cast<std::size_t>(rule)];
}

/// Whether an operator of a rule has a formula for an arithmetic.
constexpr bool worksIn(TypeRule rule, Arithmetic arithmetic) {
  const TypeRuleInfo &info = infoOf(rule);
  return arithmetic == Arithmetic::Bool  ? info.bools
         : !isFloatingPoint(arithmetic)  ? info.integers
         : arithmetic == Arithmetic::F64 ? info.doubles
                                         : info.singles;
}

/// Whether Op works on nothing but integers and bools: its reference takes
/// std::int64_t, its formula is for values of an integer type or bool.
template <class Op>
inline constexpr bool isIntegral = !worksIn(Op::info.types, Arithmetic::F32);

namespace detail {
template <class R, class... Args>
consteval unsigned countArguments(R (*)(Args...)) {
  return sizeof...(Args);
}
} // namespace detail

/// How many arguments Op takes: those of its reference.
template <class Op>
inline constexpr unsigned arityOf = detail::countArguments(
    &Op::template reference<
        std::conditional_t<isIntegral<Op>, std::int64_t, double>>);

/// The type of argument I of Op in an arithmetic.
template <class Op, Arithmetic A, std::size_t I>
using ArgumentIn =
    std::conditional_t<Op::info.takesCondition && I == 0, bool, ElementIn<A>>;

/// Whether an operator takes floats, and nothing else, to floats. Comparisons
/// do not: their formulas return a mask.
constexpr bool takesFloatsToFloats(const OpInfo &info) {
  return worksIn(info.types, Arithmetic::F32) &&
         info.result == ResultRule::Same && !info.takesCondition;
}
template <class Op>
inline constexpr bool isFloatToFloat = takesFloatsToFloats(Op::info);

template <class Op>
concept HasLiteralForm = requires {
  Op::withLiteral(0, 0.0);
};

/// Values of double, for formulas that have a way of their own for it; and
/// those of integers, of bool and of either.
template <class V>
concept IsDouble = std::is_same_v<typename V::Element, double>;
template <class V>
concept IsBool = std::is_same_v<typename V::Element, bool>;
template <class V>
concept IsInteger = std::is_integral_v<typename V::Element> && !IsBool<V>;
template <class V>
concept IsWhole = IsInteger<V> || IsBool<V>;

/// Most arguments an operator has.
inline constexpr unsigned MaxArity = 4;

} // namespace kexpr::ops

#endif // KEXPR_OPS_OPERATOR_H
