//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Operand.h"

#include "Common/Npy.h"
#include "Support/Text.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

using namespace kexpr;
using namespace kexpr::tools;

static Error bad(std::string_view text, std::string_view why) {
  return {ErrorCode::InvalidArgument,
          concat("cannot understand '", text, "': ", why)};
}

/// The whole text as a number.
template <class T> static bool parseNumber(std::string_view text, T &value) {
  const char *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last;
}

Expected<Shape> tools::parseExtents(std::string_view text, char separator) {
  std::int64_t extents[MaxRank];
  std::size_t rank = 0;
  for (std::string_view rest = text; !rest.empty(); ++rank) {
    if (rank == MaxRank)
      return bad(text, concat("more than ", MaxRank, " axes"));
    if (!parseNumber(takeField(rest, separator), extents[rank]) ||
        extents[rank] < 0 || text.ends_with(separator))
      return bad(text, "extents are whole numbers of at least 0");
  }
  return Shape(extents, rank);
}

Expected<TypedShape> tools::parseTypedShape(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  auto type = parseDType(text.substr(0, bracket));
  if (!type)
    return type.error();
  std::string_view extents = text.substr(bracket);
  if (!extents.empty()) {
    if (!extents.ends_with(']'))
      return bad(text, "the shape does not end in ']'");
    extents = extents.substr(1, extents.size() - 2);
  }
  auto shape = parseExtents(extents, ',');
  if (!shape)
    return shape.error();
  return TypedShape{*type, *shape};
}

/// A row-major array whose elements `next` gives one after the other.
static Expected<Array> fill(std::string_view typedShape,
                            const std::function<double()> &next) {
  auto parsed = parseTypedShape(typedShape);
  if (!parsed)
    return parsed.error();
  auto array = Array::make(parsed->type, parsed->shape);
  if (array)
    for (std::int64_t i = 0, count = array->count(); i < count; ++i)
      array->set(i, next());
  return array;
}

/// Standard normal numbers by Box and Muller's transform, written out because
/// std::normal_distribution differs between standard libraries. mt19937_64 is
/// exact everywhere; the functions of <cmath> are within an ulp of each other
/// in double, which rounding to f32 nearly always hides.
static std::function<double()> normals(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)]() mutable {
    constexpr double unit = 0x1p-53;
    const double radius = static_cast<double>((engine() >> 11) + 1) * unit;
    const double angle = static_cast<double>(engine() >> 11) * unit;
    return std::sqrt(-2 * std::log(radius)) *
           std::cos(2 * std::numbers::pi * angle);
  };
}

Expected<Array> tools::makeOperand(std::string_view text) {
  std::string_view rest = text;
  const std::string_view kind = takeField(rest, ':');
  if (kind == "arange")
    return fill(rest, [i = 0.0]() mutable { return i++; });
  if (kind == "full") {
    double value = 0;
    if (!parseNumber(takeField(rest, ':'), value))
      return bad(text, "write full:VALUE:TYPE[SHAPE]");
    return fill(rest, [value] { return value; });
  }
  if (kind == "rand") {
    std::uint64_t seed = 0;
    if (!parseNumber(takeField(rest, ':'), seed))
      return bad(text, "write rand:SEED:TYPE[SHAPE]");
    return fill(rest, normals(seed));
  }
  return readNpy(std::string(text));
}
