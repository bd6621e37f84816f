//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/ExactSums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace kexpr;
using namespace kexpr::ops;

/// The widest sum of 2^63 elements, its sign, and the word before its digits.
template <class T> static constexpr unsigned wordsFor() {
  using Limits = std::numeric_limits<T>;
  constexpr int bits =
      Limits::max_exponent - Limits::min_exponent + Limits::digits + 63 + 1;
  return (bits + 31) / 32 + 1;
}
static_assert(wordsFor<double>() == ExactSums::MostWords);

/// Carries what digits have beyond 32 bits into the next one.
static void carry(std::int64_t *digits, unsigned count) {
  for (unsigned i = 0; i + 1 < count; ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= ExactSums::Digit;
  }
}

/// Adds +-significand * 2^place units, without a carry: of less than 2^53, at
/// most 2^52 to each of two digits.
static void takeAt(std::int64_t *state, std::uint64_t significand,
                   unsigned place, bool isNegative) {
  const unsigned shift = place % 32;
  const auto low =
      static_cast<std::int64_t>(significand << shift & ExactSums::Digit);
  const auto high = static_cast<std::int64_t>(significand >> (32 - shift));
  const std::int64_t sign = isNegative ? -1 : 0;
  std::int64_t *digits = state + 1 + place / 32;
  digits[0] += (low ^ sign) - sign;
  digits[1] += (high ^ sign) - sign;
}

/// Adds one element.
template <class T> static void take(std::int64_t *state, T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr unsigned fraction = std::numeric_limits<T>::digits - 1;
  constexpr unsigned last = 2 * std::numeric_limits<T>::max_exponent - 1;
  const auto bits = std::bit_cast<Bits>(x);
  const unsigned field = bits >> fraction & last;
  const Bits rest = bits & ((Bits{1} << fraction) - 1);
  if (field == last) {
    state[0] |= rest != 0         ? ExactSums::Nan
                : std::signbit(x) ? ExactSums::Minus
                                  : ExactSums::Plus;
    return;
  }
  const unsigned isNormal = field != 0;
  const std::uint64_t significand = rest | std::uint64_t{isNormal} << fraction;
  takeAt(state, significand, field - isNormal, std::signbit(x));
}

/// Adds a sum of elements, which is no NaN or infinity.
template <class T> static void takeDouble(std::int64_t *state, double x) {
  // The units of T are a multiple of those of double.
  constexpr int unit = std::numeric_limits<T>::min_exponent -
                       std::numeric_limits<T>::digits + 1074;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const bool isNormal = field != 0;
  std::uint64_t significand = (bits & 0xfffffffffffff) | std::uint64_t{isNormal}
                                                             << 52;
  int place = field - isNormal - unit;
  if (place < 0) {
    // A multiple of the unit, or 0.
    significand = place > -64 ? significand >> -place : 0;
    place = 0;
  }
  takeAt(state, significand, static_cast<unsigned>(place), std::signbit(x));
}

template <class T>
static void addOneByOne(std::size_t count, const T *elements,
                        std::int64_t *state) {
  constexpr std::size_t most = 1024; // Before digits could overflow.
  while (count > 0) {
    const std::size_t here = std::min(count, most);
    for (std::size_t i = 0; i < here; ++i)
      take(state, elements[i]);
    carry(state + 1, wordsFor<T>() - 1);
    elements += here;
    count -= here;
  }
}

template <class T>
static void addAll(std::size_t count, const void *from, std::int64_t *state) {
  const auto *elements = static_cast<const T *>(from);
  constexpr std::size_t most = ExactSums::MostOfBlock, fewest = 64;
  const ExactBlockFn block =
      exactBlock(sizeof(T) == 8 ? DType::F64 : DType::F32);
  while (count > 0) {
    const std::size_t here = std::min(count, most);
    double parts[3];
    const unsigned found = here < fewest ? 0 : block(here, elements, parts);
    for (unsigned i = 0; i < found; ++i)
      takeDouble<T>(state, parts[i]);
    if (found > 0)
      carry(state + 1, wordsFor<T>() - 1);
    else
      addOneByOne(here, elements, state);
    elements += here;
    count -= here;
  }
}

template <class T> static constexpr ExactSums sumsOf(DType element) {
  using Limits = std::numeric_limits<T>;
  return {&addAll<T>, element, wordsFor<T>(),
          Limits::min_exponent - Limits::digits};
}

const ExactSums &ExactSums::of(DType result) {
  static constexpr ExactSums single = sumsOf<float>(DType::F32),
                             wide = sumsOf<double>(DType::F64);
  return result == DType::F64 ? wide : single;
}

bool ExactSums::merge(std::int64_t *state, const std::int64_t *other) const {
  state[0] |= other[0];
  for (unsigned i = 1; i < words; ++i)
    state[i] += other[i];
  carry(state + 1, words - 1);
  const std::int64_t last = state[words - 1];
  return last == static_cast<std::int32_t>(last);
}

namespace {
/// The size of a sum, or a quotient of it, in digits from far below the unit
/// on.
class Magnitude {
public:
  Magnitude(const ExactSums &sums, const std::int64_t *state);
  void divide(std::uint64_t divisor);
  bool isZero() const { return top == 0; }
  /// Rounded to so many digits, none below 2^least.
  double rounded(int precision, int least) const;
  bool isNegative;

private:
  /// A quotient by less than 2^63 has more than 64 bits.
  static constexpr unsigned Below = 4;
  bool anyBelow(unsigned bit) const;

  /// Those above the last are 0, and there are two of them at least.
  std::uint32_t digits[Below + ExactSums::MostWords + 3] = {};
  unsigned top = 0; ///< How many there are up to the last that is not 0.
  int unit;         ///< The exponent of the first.
  bool hasRest = false;
};
} // namespace

Magnitude::Magnitude(const ExactSums &sums, const std::int64_t *state)
    : unit(sums.unit - 32 * static_cast<int>(Below)) {
  const std::int64_t last = state[sums.words - 1];
  isNegative = last < 0;
  const std::uint64_t flip = isNegative ? ~std::uint64_t{0} : 0;
  std::uint64_t next = isNegative; // Of two's complement.
  for (unsigned i = 1; i < sums.words; ++i) {
    const auto digit = static_cast<std::uint64_t>(state[i]) ^ flip;
    const bool isLast = i + 1 == sums.words;
    next += isLast ? digit : digit & ExactSums::Digit;
    digits[Below + i - 1] = static_cast<std::uint32_t>(next);
    next >>= 32;
  }
  digits[Below + sums.words - 1] = static_cast<std::uint32_t>(next);
  for (top = Below + sums.words; top > 0 && digits[top - 1] == 0;)
    --top;
}

void Magnitude::divide(std::uint64_t divisor) {
  std::uint64_t rest = 0; // Less than the divisor.
  for (unsigned i = top; i-- > 0;) {
    std::uint32_t quotient = 0;
    if (divisor >> 32 == 0) {
      const std::uint64_t dividend = rest << 32 | digits[i];
      quotient = static_cast<std::uint32_t>(dividend / divisor);
      rest = dividend % divisor;
    } else {
      // Bit by bit: the divisor is below 2^63, so that nothing is lost.
      for (unsigned bit = 32; bit-- > 0;) {
        rest = rest << 1 | (digits[i] >> bit & 1);
        const bool fits = rest >= divisor;
        rest -= fits ? divisor : 0;
        quotient = quotient << 1 | fits;
      }
    }
    digits[i] = quotient;
  }
  hasRest = rest != 0;
  while (top > 0 && digits[top - 1] == 0)
    --top;
}

bool Magnitude::anyBelow(unsigned bit) const {
  const unsigned whole = bit / 32;
  return hasRest ||
         std::any_of(digits, digits + whole,
                     [](std::uint32_t digit) { return digit != 0; }) ||
         (digits[whole] & ((std::uint32_t{1} << bit % 32) - 1)) != 0;
}

double Magnitude::rounded(int precision, int least) const {
  const int width =
      static_cast<int>(32 * top) - std::countl_zero(digits[top - 1]);
  const int lowest = std::max(width - precision, least - unit);
  if (lowest > width)
    return 0; // Less than half of the least.
  const auto bit = static_cast<unsigned>(lowest), from = bit / 32;
  const std::uint64_t low = digits[from] | std::uint64_t{digits[from + 1]}
                                               << 32;
  std::uint64_t significand = low >> bit % 32;
  if (bit % 32 != 0)
    significand |= std::uint64_t{digits[from + 2]} << (64 - bit % 32);
  const bool isHalf = digits[(bit - 1) / 32] >> (bit - 1) % 32 & 1;
  if (isHalf && (anyBelow(bit - 1) || significand % 2 == 1))
    ++significand;
  return std::ldexp(static_cast<double>(significand), lowest + unit);
}

/// A type's numbers, of which f32 and f64 have elements.
struct ResultType {
  int precision, least;
  double largest;
};

static ResultType resultType(DType type) {
  switch (type) {
  case DType::F16:
    return {11, -24, 65504};
  case DType::BF16:
    return {8, -133, 0x1.FEp127};
  case DType::F32:
    return {24, -149, std::numeric_limits<float>::max()};
  default:
    return {53, -1074, std::numeric_limits<double>::max()};
  }
}

static double valueOf(const ExactSums &sums, const std::int64_t *state,
                      std::int64_t divisor, DType result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::int64_t kinds = state[0];
  if (divisor == 0 || (kinds != ExactSums::None && kinds != ExactSums::Plus &&
                       kinds != ExactSums::Minus))
    return std::numeric_limits<double>::quiet_NaN();
  if (kinds != ExactSums::None)
    return kinds == ExactSums::Plus ? infinity : -infinity;
  Magnitude magnitude(sums, state);
  if (magnitude.isZero())
    return 0;
  if (divisor > 1)
    magnitude.divide(static_cast<std::uint64_t>(divisor));
  const auto [precision, least, largest] = resultType(result);
  const double size = magnitude.rounded(precision, least);
  return std::copysign(size > largest ? infinity : size,
                       magnitude.isNegative ? -1.0 : 1.0);
}

void ExactSums::round(const std::int64_t *state, std::int64_t divisor,
                      DType result, void *to) const {
  const double value = valueOf(*this, state, divisor, result);
  if (element == DType::F64)
    *static_cast<double *>(to) = value;
  else
    *static_cast<float *>(to) = static_cast<float>(value);
}
