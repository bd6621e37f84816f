//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Inputs.h"

#include "Ulp/Verdict.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr double infinity = std::numeric_limits<double>::infinity();

// Not inline: where two adjacent numbers are rounded, GCC 12 makes a vector of
// them and forgets that float is the narrower type.
[[gnu::noinline]] double tools::roundTo(DType type, double x) {
  return type == DType::F32 ? static_cast<float>(x) : x;
}

/// Negative numbers have the sign bit and ascending magnitudes; this makes
/// their bits descend from -1, and undoes it.
static std::int64_t flipped(DType type, std::int64_t bits) {
  const std::int64_t least = type == DType::F32
                                 ? std::numeric_limits<std::int32_t>::min()
                                 : std::numeric_limits<std::int64_t>::min();
  return bits < 0 ? least - bits - 1 : bits;
}

std::int64_t tools::ordinalOf(DType type, double x) {
  return flipped(type, type == DType::F32
                           ? std::bit_cast<std::int32_t>(static_cast<float>(x))
                           : std::bit_cast<std::int64_t>(x));
}

double tools::numberAt(DType type, std::int64_t ordinal) {
  const std::int64_t bits = flipped(type, ordinal);
  return type == DType::F32
             ? std::bit_cast<float>(static_cast<std::int32_t>(bits))
             : std::bit_cast<double>(bits);
}

double tools::neighbour(DType type, double x, std::int64_t steps) {
  if (x != x)
    return x;
  return numberAt(type, std::clamp(ordinalOf(type, x) + steps,
                                   ordinalOf(type, -infinity),
                                   ordinalOf(type, infinity)));
}

namespace {
/// Steele, Lea and Flood's SplitMix64, one stream for each index: what is drawn
/// for an input depends neither on the thread nor on other inputs.
class Random {
public:
  explicit Random(std::uint64_t index) : state(index * 0xD1342543DE82EF95u) {
    state = next();
  }

  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  /// 0 to `limit` - 1.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  /// `x` or -`x`.
  double eitherSign(double x) { return below(2) ? x : -x; }
  /// `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto first = static_cast<std::uint64_t>(low);
    const std::uint64_t span = static_cast<std::uint64_t>(high) - first + 1;
    return static_cast<std::int64_t>(first + (span ? below(span) : next()));
  }
  /// In [low, high), also where their distance overflows.
  double uniform(double low, double high) {
    const double part = static_cast<double>(next() >> 11) * 0x1p-53;
    return low * (1 - part) + high * part;
  }

private:
  std::uint64_t state;
};
} // namespace

std::vector<double> tools::specialNumbers(DType type) {
  const double least = std::ldexp(1.0, formatOf(type).minExponent);
  std::vector<double> numbers;
  for (double x : {0.0, neighbour(type, 0, 1), neighbour(type, least, -1),
                   least, 1.0, neighbour(type, infinity, -1), infinity})
    numbers.insert(numbers.end(), {x, -x});
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  return numbers;
}

Inputs tools::steppedFloats(std::uint32_t step) {
  constexpr std::uint64_t patterns = std::uint64_t{1} << 32;
  const std::uint64_t cells = (patterns + step - 1) / step;
  std::vector<double> special;
  if (step != 1)
    special = specialNumbers(DType::F32);
  const std::uint64_t count = cells + special.size();
  auto at = [=](std::uint64_t index, std::span<double> arguments) {
    if (index >= cells) {
      arguments[0] = special[index - cells];
      return;
    }
    const std::uint64_t first = index * step;
    const std::uint64_t width = std::min<std::uint64_t>(step, patterns - first);
    const std::uint64_t offset = step == 1 ? 0 : Random(index).below(width);
    arguments[0] =
        std::bit_cast<float>(static_cast<std::uint32_t>(first + offset));
  };
  return {count, at};
}

Inputs tools::floatsIn(const Range &range) {
  const std::int64_t first = ordinalOf(DType::F32, range.low);
  const std::int64_t last = ordinalOf(DType::F32, range.high);
  return {static_cast<std::uint64_t>(last - first) + 1,
          [first](std::uint64_t index, std::span<double> arguments) {
            arguments[0] =
                numberAt(DType::F32, first + static_cast<std::int64_t>(index));
          }};
}

/// A number of the range, uniform over the exponents of magnitudes within
/// 2^-40 of the largest, so that few are next to nothing.
static double logUniform(const Range &range, Random &random) {
  const bool takeLow = range.low < 0 && (range.high <= 0 || random.below(2));
  const double most = takeLow ? -range.low : range.high;
  const double least =
      std::max({takeLow ? -range.high : range.low, 0.0, most * 0x1p-40});
  if (!(least > 0))
    return range.low;
  const double size =
      std::exp2(random.uniform(std::log2(least), std::log2(most)));
  return takeLow ? -size : size;
}

static double drawFrom(DType type, const Range &range, std::uint64_t kind,
                       Random &random) {
  const double x =
      kind == 0   ? random.uniform(range.low, range.high)
      : kind == 1 ? logUniform(range, random)
                  : numberAt(type, random.between(ordinalOf(type, range.low),
                                                  ordinalOf(type, range.high)));
  return std::clamp(roundTo(type, x), range.low, range.high);
}

Inputs tools::inputsIn(DType type, std::vector<Range> ranges,
                       std::uint64_t count) {
  // Of more operands than these the corners are too many.
  static constexpr std::size_t most = 12;
  const std::uint64_t corners = std::uint64_t{1}
                                << std::min(ranges.size(), most);
  auto at = [type, corners, ranges = std::move(ranges)](
                std::uint64_t index, std::span<double> arguments) {
    Random random(index);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const bool high = index >> std::min(k, most) & 1;
      arguments[k] = index < corners
                         ? (high ? ranges[k].high : ranges[k].low)
                         : drawFrom(type, ranges[k], index % 3, random);
    }
  };
  return {count, at};
}

namespace {
class OperatorInputs {
public:
  OperatorInputs(DType type, unsigned arity, const ops::Domain &domain)
      : type(type), format(formatOf(type)), domain(domain),
        listed(specialNumbers(type)) {
    listSmallNumbers();
    listThresholds();
    for (int e = format.minExponent - format.digits + 1;
         e <= format.maxExponent; ++e)
      addWithNeighbours(std::ldexp(1.0, e));
    constexpr std::uint64_t most[ops::MaxArity + 1] = {0, 0, 80, 15, 7};
    combined = arity == 1 ? listed.size() : most[arity];
    for (unsigned k = 0; k < arity; ++k)
      combinations *= combined;
  }

  void at(std::uint64_t index, std::span<double> arguments) const;

private:
  void listSmallNumbers();
  void listThresholds();
  void add(double x) {
    listed.insert(listed.end(), {roundTo(type, x), -roundTo(type, x)});
  }
  void addWithNeighbours(double x) {
    for (int steps : {0, -1, 1})
      add(neighbour(type, roundTo(type, x), steps));
  }

  double draw(Random &random) const;
  double relatedTo(double x, Random &random) const;

  DType type;
  Format format;
  ops::Domain domain;
  /// Numbers worth a look, the most important ones first.
  std::vector<double> listed;
  /// Where formulas change their ways.
  std::vector<double> thresholds;
  /// All combinations of so many of the listed numbers are inputs.
  std::uint64_t combined, combinations = 1;
};
} // namespace

void OperatorInputs::listSmallNumbers() {
  for (double x : {0.5, 1.5, 2.0, 2.5, 3.0, 0.1, 10.0, 7.0})
    addWithNeighbours(x);
  for (double x = 3.5; x <= 64; x += 0.5)
    add(x);
}

void OperatorInputs::listThresholds() {
  const double ln2 = std::numbers::ln2, pi = std::numbers::pi;
  // Where exponentials overflow, underflow and vanish beside 1.
  for (int exponent : {format.maxExponent + 1, format.minExponent,
                       format.minExponent - format.digits, -format.digits})
    for (double factor : {1.0, 0.5, 2.0})
      thresholds.push_back(std::abs(exponent) * ln2 * factor);
  // Where series take over from general formulas.
  for (int power : {-1, -2, -3, -4})
    thresholds.push_back(std::exp2(format.digits / power));
  thresholds.insert(thresholds.end(),
                    {domain.low, domain.high, 1.0, 20.0, ln2, std::numbers::e,
                     pi / 4, pi / 2, pi, 2 * pi, 100 * pi});
  for (double x : thresholds)
    addWithNeighbours(x);
}

double OperatorInputs::draw(Random &random) const {
  switch (random.below(8)) {
  case 0:
    return listed[random.below(listed.size())];
  case 1:
    return static_cast<double>(random.between(-4096, 4096)) / 2;
  case 2: {
    const double near = thresholds[random.below(thresholds.size())];
    const auto reach = std::int64_t{1} << random.below(format.digits);
    const std::int64_t steps = random.between(-reach, reach);
    return neighbour(type, random.eitherSign(near), steps);
  }
  case 3: {
    const double size = std::exp2(random.uniform(-40, 12));
    return random.eitherSign(size);
  }
  case 4:
    return type == DType::F32
               ? std::bit_cast<float>(static_cast<std::uint32_t>(random.next()))
               : std::bit_cast<double>(random.next());
  default:
    return random.uniform(domain.low, domain.high);
  }
}

/// A number that together with `x` asks for care.
double OperatorInputs::relatedTo(double x, Random &random) const {
  const double sign = random.eitherSign(1);
  switch (random.below(6)) {
  case 0:
    return sign * x;
  case 1:
    return sign * neighbour(type, x, random.between(-8, 8));
  case 2:
    return sign * x * random.uniform(0.5, 2);
  case 3: // As far apart as quotients and sums get.
    return std::ldexp(sign * x, static_cast<int>(random.between(-300, 300)));
  case 4: { // A whole or nearly whole quotient.
    const double n = static_cast<double>(random.between(1, 1000));
    const std::int64_t steps = random.between(-1, 1);
    return neighbour(type, roundTo(type, random.below(2) ? x * n : x / n),
                     steps);
  }
  default: // e^x and e^y add up to 1.
    return std::log(-std::expm1(-std::fabs(x)));
  }
}

void OperatorInputs::at(std::uint64_t index,
                        std::span<double> arguments) const {
  if (index % 2 == 0 && index / 2 < combinations) {
    index /= 2;
    for (double &argument : arguments) {
      argument = listed[index % combined];
      index /= combined;
    }
    return;
  }
  Random random(index);
  arguments[0] = roundTo(type, draw(random));
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    const bool isRelated = random.below(2);
    const double y =
        isRelated ? relatedTo(arguments[k - 1], random) : draw(random);
    arguments[k] = roundTo(type, y);
  }
}

Inputs tools::operatorInputs(DType type, unsigned arity,
                             const ops::Domain &domain, std::uint64_t count) {
  auto inputs = std::make_shared<const OperatorInputs>(type, arity, domain);
  return {count, [inputs](std::uint64_t index, std::span<double> arguments) {
            inputs->at(index, arguments);
          }};
}
