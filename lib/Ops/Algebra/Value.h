//===- Ops/Algebra/Value.h - The vocabulary formulas are written in -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A formula is a template over a value `V`. `V` is a `Value<A, T>`: an element
/// type `T` read in an algebra `A`. What can be said in a formula is said here,
/// once; an algebra only answers the few primitives that `Value` asks of it:
///
///   A::Rep<T>                        what a value is
///   A::constant<T>(like, c)          c, in the context of the Rep `like`
///   A::apply<Prim, T>(a...)          one primitive operation, T in and T out
///   A::compare<Rel, T>(a, b)         a Rep<bool>
///   A::select<T>(mask, a, b)         a where mask, b elsewhere
///   A::convert<To, From>(a)          numeric conversion
///   A::bitcast<To, From>(a)          the same bits
///   A::rarely(mask, fast, slow)      fast, but slow() where mask; slow() is
///                                    off the hot path; both are Several values
///   A::scale<T>(a, shifted)          if it has one instruction for `scale`
///   A::hasExponents<T>(a), A::mantissa<T>(a), A::exponent<T>(a),
///   A::edges<T>(a, b)                if it may have instructions for these
///   A::takesGeneral<T>(mask)         if `mostly` may have no fast way
///   A::isOneValue<T>(a)              if there are loops
///   A::lookUp<T>(index, table)       if it has better than selections
///
/// Every primitive is a single correctly rounded IEEE operation (or an exact
/// one), so all algebras compute the same bits. NaN payloads are unspecified.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_ALGEBRA_VALUE_H
#define KEXPR_OPS_ALGEBRA_VALUE_H

#include <cstdint>
#include <type_traits>

namespace kexpr::ops {

enum class Prim {
  Add,
  Sub,
  Mul,
  Div,
  Neg,
  // Floating point only.
  Abs,
  Sqrt,
  Fma,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  CopySign,
  // Integers and masks.
  And,
  Or,
  Xor,
  Not,
  Shl,
  ShrLogical,
  ShrArithmetic,
};

enum class Rel { Lt, Le, Gt, Ge, Eq, Ne };

/// The integer as wide as T.
template <class T>
using IntOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Added to a whole number n, |n| <= 254 in float and 2046 in double, it leaves
/// in the low bits what the exponent fields of two factors of 2^n add up to.
template <class T>
inline constexpr T PowerRounder = sizeof(T) == 4 ? 0x1.8p23 + 254
                                                 : 0x1.8p52 + 2046;

/// Values of one type that a formula computes together.
template <class V, int N> struct Several { V each[N]; };

/// One element, or one vector of elements, of type T in algebra A. Arithmetic
/// on integers wraps; no quotient of theirs may be undefined, by 0 or of the
/// least number by -1. Comparisons with NaN are false, except `!=`.
/// Arithmetic of bools is & | ^ and ~.
template <class A, class T> struct Value {
  using Algebra = A;
  using Element = T;
  using Mask = Value<A, bool>;
  /// The same algebra with another element type.
  template <class U> using As = Value<A, U>;

  typename A::template Rep<T> rep;

  /// The value itself, which dumps call by its operator and `step`, as
  /// `exp.poly`.
  Value named([[maybe_unused]] const char *step) const {
    if constexpr (requires { A::name(rep, step); })
      A::name(rep, step);
    return *this;
  }

  /// The constant c beside this value.
  Value like(T c) const { return {A::template constant<T>(rep, c)}; }
  template <class U> As<U> likeAs(U c) const {
    return {A::template constant<U>(rep, c)};
  }

  /// One primitive operation.
  template <Prim P, class... Values> static Value apply(Values... values) {
    return {A::template apply<P, T>(values.rep...)};
  }

#define KEXPR_OPS_BINARY(SYMBOL, PRIM)                                         \
  friend Value operator SYMBOL(Value a, Value b) {                             \
    return apply<Prim::PRIM>(a, b);                                            \
  }                                                                            \
  friend Value operator SYMBOL(Value a, std::type_identity_t<T> b) {           \
    return a SYMBOL a.like(b);                                                 \
  }                                                                            \
  friend Value operator SYMBOL(std::type_identity_t<T> a, Value b) {           \
    return b.like(a) SYMBOL b;                                                 \
  }
  KEXPR_OPS_BINARY(+, Add)
  KEXPR_OPS_BINARY(-, Sub)
  KEXPR_OPS_BINARY(*, Mul)
  KEXPR_OPS_BINARY(/, Div)
  KEXPR_OPS_BINARY(&, And)
  KEXPR_OPS_BINARY(|, Or)
  KEXPR_OPS_BINARY(^, Xor)
#undef KEXPR_OPS_BINARY

#define KEXPR_OPS_RELATION(SYMBOL, REL)                                        \
  friend Mask operator SYMBOL(Value a, Value b) {                              \
    return {A::template compare<Rel::REL, T>(a.rep, b.rep)};                   \
  }                                                                            \
  friend Mask operator SYMBOL(Value a, std::type_identity_t<T> b) {            \
    return a SYMBOL a.like(b);                                                 \
  }
  KEXPR_OPS_RELATION(<, Lt)
  KEXPR_OPS_RELATION(<=, Le)
  KEXPR_OPS_RELATION(>, Gt)
  KEXPR_OPS_RELATION(>=, Ge)
  KEXPR_OPS_RELATION(==, Eq)
  KEXPR_OPS_RELATION(!=, Ne)
#undef KEXPR_OPS_RELATION

  friend Value operator-(Value a) { return apply<Prim::Neg>(a); }
  /// Bitwise complement; of a mask, its negation.
  friend Value operator~(Value a) { return apply<Prim::Not>(a); }
  /// Shifts; the count must lie in [0, width).
  friend Value operator<<(Value a, Value count) {
    return apply<Prim::Shl>(a, count);
  }
  friend Value operator<<(Value a, int count) { return a << a.like(T(count)); }
  /// Arithmetic for signed T, logical for unsigned.
  friend Value operator>>(Value a, Value count) {
    return apply<Prim::ShrArithmetic>(a, count);
  }
  friend Value operator>>(Value a, int count) { return a >> a.like(T(count)); }
  friend Value shiftRightLogical(Value a, int count) {
    return apply<Prim::ShrLogical>(a, a.like(T(count)));
  }

  friend Value abs(Value a) { return apply<Prim::Abs>(a); }
  friend Value sqrt(Value a) { return apply<Prim::Sqrt>(a); }
  /// a * b + c, rounded once.
  friend Value fma(Value a, Value b, Value c) {
    return apply<Prim::Fma>(a, b, c);
  }
  friend Value fma(Value a, Value b, std::type_identity_t<T> c) {
    return fma(a, b, a.like(c));
  }
  friend Value fma(Value a, std::type_identity_t<T> b, Value c) {
    return fma(a, a.like(b), c);
  }
  friend Value fma(Value a, std::type_identity_t<T> b,
                   std::type_identity_t<T> c) {
    return fma(a, a.like(b), a.like(c));
  }
  friend Value floor(Value a) { return apply<Prim::Floor>(a); }
  friend Value ceil(Value a) { return apply<Prim::Ceil>(a); }
  friend Value trunc(Value a) { return apply<Prim::Trunc>(a); }
  /// To the nearest integer, ties to even, whatever the rounding mode.
  friend Value roundEven(Value a) { return apply<Prim::RoundEven>(a); }
  /// The magnitude of a with the sign bit of b.
  friend Value copySign(Value a, Value b) {
    return apply<Prim::CopySign>(a, b);
  }
  friend Value copySign(std::type_identity_t<T> a, Value b) {
    return copySign(b.like(a), b);
  }

  /// a * 2^n, rounded once, for an a that is neither negative nor subnormal and
  /// `shifted`, which is n + PowerRounder<T>; 0 for the least n.
  friend Value scale(Value a, Value shifted) {
    if constexpr (requires { A::template scale<T>(a.rep, shifted.rep); })
      return {A::template scale<T>(a.rep, shifted.rep)};
    else
      return scaleInTwoSteps(a, shifted);
  }
  /// The same for an a of either sign and a result that is no subnormal number,
  /// which would be slow.
  friend Value scaleNormal(Value a, Value shifted) {
    if constexpr (requires { A::template scaleNormal<T>(a.rep, shifted.rep); })
      return {A::template scaleNormal<T>(a.rep, shifted.rep)};
    else
      return scaleInTwoSteps(a, shifted);
  }
  /// The same by two multiplications, of which the first is exact.
  friend Value scaleInTwoSteps(Value a, Value shifted) {
    constexpr int digits = sizeof(T) == 4 ? 23 : 52;
    auto sum = shifted.template bits<IntOf<T>>();
    auto half = shiftRightLogical(sum, 1);
    return a * (half << digits).template bits<T>() *
           ((sum - half) << digits).template bits<T>();
  }

  /// Whether there are instructions for `mantissa`, `exponent` and
  /// `logarithmEdges`.
  bool hasExponents() const {
    if constexpr (requires { A::template hasExponents<T>(rep); })
      return A::template hasExponents<T>(rep);
    else
      return false;
  }
  /// x = mantissa * 2^exponent, 1 <= mantissa < 2, for x > 0; mantissas of 0
  /// and infinity are 1. Only where `hasExponents`.
  Value mantissa() const { return {A::template mantissa<T>(rep)}; }
  Value exponent() const { return {A::template exponent<T>(rep)}; }

  /// A logarithm that is `finite` where 0 < x < inf; its limits at both ends,
  /// and NaN elsewhere.
  friend Value logarithmEdges(Value x, Value finite) {
    if constexpr (requires { A::template edges<T>(x.rep, finite.rep); })
      return {A::template edges<T>(x.rep, finite.rep)};
    else
      return edgesBySelect(x, finite);
  }
  friend Value edgesBySelect(Value x, Value finite) {
    constexpr T infinity = __builtin_inf();
    Value low = select(x == T(0), -infinity, x.like(__builtin_nan("")));
    return select(x > T(0), select(x < infinity, finite, x), low);
  }

  friend Value select(Mask mask, Value a, Value b) {
    return {A::template select<T>(mask.rep, a.rep, b.rep)};
  }
  friend Value select(Mask mask, std::type_identity_t<T> a, Value b) {
    return select(mask, b.like(a), b);
  }
  friend Value select(Mask mask, Value a, std::type_identity_t<T> b) {
    return select(mask, a, a.like(b));
  }

  /// The entry of the table that the low bits of this integer say. Of 16 words
  /// and of 8 or 32 doubles vectors make few instructions.
  template <class U, int N> As<U> lookUp(const U (&table)[N]) const {
    static_assert(sizeof(U) == sizeof(T) && (N & (N - 1)) == 0);
    if constexpr (requires { A::template lookUp<U>(rep, table); })
      return {A::template lookUp<U>(rep, table)};
    else
      return lookUpBySelect(table);
  }
  template <class U, int N> As<U> lookUpBySelect(const U (&table)[N]) const {
    As<U> left[N];
    for (int i = 0; i < N; ++i)
      left[i] = likeAs(table[i]);
    int above = static_cast<int>(sizeof(T)) * 8;
    for (int i = N; i > 1; i /= 2)
      --above;
    for (int half = N / 2; half > 0; half /= 2) {
      Mask upper = (*this << above++) < 0;
      for (int i = 0; i < half; ++i)
        left[i] = select(upper, left[i + half], left[i]);
    }
    return left[0];
  }

  /// The same bits as another type of the same width.
  template <class U> As<U> bits() const {
    static_assert(sizeof(U) == sizeof(T));
    return {A::template bitcast<U, T>(rep)};
  }
  /// Numeric conversion. Floating point to integer truncates; where the value
  /// does not fit, the result is unspecified and may differ between algebras,
  /// so a formula must not let it show.
  template <class U> As<U> to() const {
    return {A::template convert<U, T>(rep)};
  }

  /// Whether it is the same for all elements of a loop, so that what a formula
  /// makes of it alone is computed once.
  bool isOneValue() const {
    if constexpr (requires { A::template isOneValue<T>(rep); })
      return A::template isOneValue<T>(rep);
    else
      return false;
  }

  /// `fast`, but `slow()` where `mask`. For the few inputs that need much more
  /// work: in vector code `slow` is a branch that is taken when any lane needs
  /// it. `slow` returns a Value and must be pure.
  template <class F> friend Value rarely(Mask mask, Value fast, F slow) {
    auto result = rarely(mask, Several<Value, 1>{{fast}},
                         [&] { return Several<Value, 1>{{slow()}}; });
    return result.each[0];
  }
  template <int N, class F>
  friend Several<Value, N> rarely(Mask mask, Several<Value, N> fast, F slow) {
    return A::rarely(mask.rep, fast, slow);
  }
  /// The same for a `general` that serves all inputs: it is `fast` where no
  /// mask is set.
  template <class F> friend Value mostly(Mask mask, Value fast, F general) {
    if constexpr (requires { A::template takesGeneral<T>(mask.rep); })
      if (A::template takesGeneral<T>(mask.rep))
        return general();
    return rarely(mask, fast, general);
  }
};

/// The element type of V.
template <class V> using ElementOf = typename V::Element;

} // namespace kexpr::ops

#endif // KEXPR_OPS_ALGEBRA_VALUE_H
