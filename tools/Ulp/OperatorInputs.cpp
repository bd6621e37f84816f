//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Inputs.h"
#include "Ulp/Order.h"
#include "Ulp/Random.h"
#include "Ulp/Verdict.h"

#include <cmath>
#include <memory>
#include <numbers>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
class OperatorInputs {
public:
  OperatorInputs(DType type, unsigned arity, const ops::Domain &domain);

  void at(std::uint64_t index, std::span<double> arguments) const;

private:
  void listPowersOfTwo();
  void listSmallNumbers();
  void listThresholds();
  void add(double x) {
    listed.push_back(roundTo(type, x));
    listed.push_back(-roundTo(type, x));
  }
  void addWithNeighbours(double x) {
    for (int steps : {0, -1, 1})
      add(neighbour(type, roundTo(type, x), steps));
  }

  double draw(Random &random) const;
  double drawBits(Random &random) const;
  double relatedTo(double x, Random &random) const;

  DType type;
  ops::Domain domain;
  /// Numbers worth a look, the most important ones first.
  std::vector<double> listed;
  /// Where formulas change their ways.
  std::vector<double> thresholds;
  /// All combinations of so many of the listed numbers are inputs.
  std::uint64_t combined, combinations = 1;
};
} // namespace

OperatorInputs::OperatorInputs(DType type, unsigned arity,
                               const ops::Domain &domain)
    : type(type), domain(domain) {
  listed = specialNumbers(type);
  listSmallNumbers();
  listThresholds();
  listPowersOfTwo();
  constexpr std::uint64_t most[ops::MaxArity + 1] = {0, 0, 80, 15, 7};
  combined = arity == 1 ? listed.size() : most[arity];
  for (unsigned k = 0; k < arity; ++k)
    combinations *= combined;
}

void OperatorInputs::listSmallNumbers() {
  for (double x : {0.5, 1.5, 2.0, 2.5, 3.0, 0.1, 10.0, 7.0})
    addWithNeighbours(x);
  for (double x = 3.5; x <= 64; x += 0.5)
    add(x);
}

void OperatorInputs::listThresholds() {
  const Format format = formatOf(type);
  const double ln2 = std::numbers::ln2, pi = std::numbers::pi;
  // Where exponentials overflow, underflow and vanish beside 1.
  for (int exponent : {format.maxExponent + 1, format.minExponent,
                       format.minExponent - format.digits, -format.digits})
    for (double factor : {1.0, 0.5, 2.0})
      thresholds.push_back(std::abs(exponent) * ln2 * factor);
  // Where series take over from general formulas.
  for (int power : {-1, -2, -3, -4})
    thresholds.push_back(std::exp2(format.digits / power));
  for (double x : {domain.low, domain.high, 1.0, 20.0, ln2, std::numbers::e,
                   pi / 4, pi / 2, pi, 2 * pi, 100 * pi})
    thresholds.push_back(x);
  for (double x : thresholds)
    addWithNeighbours(x);
}

void OperatorInputs::listPowersOfTwo() {
  const Format format = formatOf(type);
  for (int e = format.minExponent - format.digits + 1; e <= format.maxExponent;
       ++e)
    addWithNeighbours(std::ldexp(1.0, e));
}

double OperatorInputs::drawBits(Random &random) const {
  if (type == DType::F32)
    return std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
  return std::bit_cast<double>(random.next());
}

double OperatorInputs::draw(Random &random) const {
  switch (random.below(8)) {
  case 0:
    return listed[random.below(listed.size())];
  case 1:
    return static_cast<double>(random.between(-4096, 4096)) / 2;
  case 2: {
    const double near = thresholds[random.below(thresholds.size())];
    const auto reach = std::int64_t{1} << random.below(formatOf(type).digits);
    return neighbour(type, random.below(2) ? near : -near,
                     random.between(-reach, reach));
  }
  case 3: {
    const double size = std::exp2(random.uniform(-40, 12));
    return random.below(2) ? size : -size;
  }
  case 4:
    return drawBits(random);
  default:
    return random.uniform(domain.low, domain.high);
  }
}

/// A number that together with `x` asks for care.
double OperatorInputs::relatedTo(double x, Random &random) const {
  const double sign = random.below(2) ? 1 : -1;
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
    return neighbour(type, roundTo(type, random.below(2) ? x * n : x / n),
                     random.between(-1, 1));
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
