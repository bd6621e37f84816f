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

using namespace kexpr;
using namespace kexpr::tools;

std::vector<double> tools::specialNumbers(DType type) {
  const Format format = formatOf(type);
  const double infinity = std::numeric_limits<double>::infinity();
  const double least = std::ldexp(1.0, format.minExponent);
  std::vector<double> numbers;
  for (double x : {0.0, neighbour(type, 0, 1), neighbour(type, least, -1),
                   least, 1.0, neighbour(type, infinity, -1), infinity}) {
    numbers.push_back(x);
    numbers.push_back(-x);
  }
  numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  return numbers;
}

Inputs tools::steppedFloats(std::uint32_t step) {
  constexpr std::uint64_t patterns = std::uint64_t{1} << 32;
  const std::uint64_t cells = (patterns + step - 1) / step;
  std::vector<double> special;
  if (step != 1)
    special = specialNumbers(DType::F32);
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
  return {cells + special.size(), at};
}

Inputs tools::floatsIn(const Range &range) {
  const std::int64_t first = placeOf(DType::F32, range.low);
  const std::int64_t last = placeOf(DType::F32, range.high);
  return {static_cast<std::uint64_t>(last - first) + 1,
          [first](std::uint64_t index, std::span<double> arguments) {
            arguments[0] =
                numberAt(DType::F32, first + static_cast<std::int64_t>(index));
          }};
}

/// A number of the range whose exponent is as likely as any other's: of those
/// within 2^-40 of the largest magnitude, so that few are next to nothing.
static double logUniform(const Range &range, Random &random) {
  const bool takeLow = range.low < 0 && (range.high <= 0 || random.below(2));
  const double most = takeLow ? -range.low : range.high;
  double least =
      takeLow ? std::max(-range.high, 0.0) : std::max(range.low, 0.0);
  least = std::max(least, most * 0x1p-40);
  if (!(least > 0))
    return range.low;
  const double size =
      std::exp2(random.uniform(std::log2(least), std::log2(most)));
  return takeLow ? -size : size;
}

static double drawFrom(DType type, const Range &range, std::uint64_t kind,
                       Random &random) {
  double x;
  if (kind == 0)
    x = random.uniform(range.low, range.high);
  else if (kind == 1)
    x = logUniform(range, random);
  else
    x = numberAt(type, random.between(placeOf(type, range.low),
                                      placeOf(type, range.high)));
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
