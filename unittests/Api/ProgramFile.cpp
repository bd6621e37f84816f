//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/ProgramFile.h"

#include "Support/Text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

using namespace kexpr;
using namespace kexpr::test;

/// The largest extent or stride: products of two can be added up.
static constexpr std::int64_t MaxNumber = 1 << 20;

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      return parts;
    begin = end + 1;
  }
}

static Error malformed(const std::string &what) {
  return {ErrorCode::InvalidArgument, what};
}

static Expected<Shape> parseNumbers(const std::string &text) {
  std::vector<std::int64_t> numbers;
  if (!text.empty())
    for (const std::string &part : split(text, ',')) {
      const char *end = part.data() + part.size();
      auto [stop, fault] =
          std::from_chars(part.data(), end, numbers.emplace_back());
      if (fault != std::errc() || stop != end || numbers.back() < 0 ||
          numbers.back() > MaxNumber)
        return malformed(concat("'", text, "' is no list of extents"));
    }
  Shape shape(numbers.data(), numbers.size());
  if (!shape.valid())
    return malformed(concat(numbers.size(), " axes are too many"));
  return shape;
}

static Expected<std::vector<unsigned char>> parseBytes(const std::string &text,
                                                       std::int64_t count) {
  if (text.size() != static_cast<std::size_t>(2 * count))
    return malformed(concat("there are ", text.size(),
                            " hexadecimal digits, not ", 2 * count));
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char *digits = text.data() + 2 * i;
    auto [stop, fault] = std::from_chars(digits, digits + 2, bytes[i], 16);
    if (fault != std::errc() || stop != digits + 2)
      return malformed(
          concat("'", text.substr(2 * i, 2), "' is no hexadecimal byte"));
  }
  return bytes;
}

/// f64 numbers of which `kept` leading bytes are given.
static std::vector<double> leading(const std::vector<unsigned char> &bytes,
                                   std::size_t kept) {
  std::vector<double> values(bytes.size() / kept);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t k = kept; k-- > 0;)
      bits = bits << 8 | bytes[i * kept + k];
    values[i] = std::bit_cast<double>(bits << 8 * (8 - kept));
  }
  return values;
}

static Expected<ProgramOperand> parseOperand(const std::string &text) {
  const auto cells = split(text, ':');
  if (cells.size() != 4)
    return malformed(concat("an operand has ", cells.size(), " parts, not 4"));
  auto type = parseDType(cells[0]);
  if (!type)
    return type.error();
  auto shape = parseNumbers(cells[1]), strides = parseNumbers(cells[2]);
  if (!shape || !strides)
    return !shape ? shape.error() : strides.error();
  if (shape->rank() != strides->rank() || shape->elementCount() < 0)
    return malformed(
        concat("strides ", strides->str(), " do not fit ", shape->str()));
  std::int64_t reach = shape->elementCount() ? 1 : 0;
  for (std::size_t axis = 0; reach && axis < shape->rank(); ++axis)
    reach += ((*shape)[axis] - 1) * (*strides)[axis];
  auto bytes = parseBytes(cells[3], reach * sizeOf(*type));
  if (!bytes)
    return bytes.error();
  return ProgramOperand{*type, *shape, *strides, std::move(*bytes)};
}

static Expected<ProgramOutput> parseOutput(const std::string &text,
                                           bool exact) {
  const auto cells = split(text, ':');
  if (cells.size() != (exact ? 3 : 4))
    return malformed(
        concat("an output has ", cells.size(), " parts, not ", exact ? 3 : 4));
  auto type = parseDType(cells[0]);
  if (!type)
    return type.error();
  auto shape = parseNumbers(cells[1]);
  if (!shape)
    return shape.error();
  const std::int64_t count = shape->elementCount();
  if (count < 0)
    return malformed(concat("no tensor is of shape ", shape->str()));
  const bool wide = !exact && isFloat(*type);
  const std::size_t size = !wide ? sizeOf(*type) : *type == DType::F64 ? 8 : 6;
  auto bytes = parseBytes(cells[2], count * size);
  if (!bytes)
    return bytes.error();
  ProgramOutput output{*type, *shape, {}, {}, {}};
  if (wide)
    output.values = leading(*bytes, size);
  else
    output.bytes = std::move(*bytes);
  if (exact)
    return output;
  auto tolerances = parseBytes(cells[3], count * 2);
  if (!tolerances)
    return tolerances.error();
  output.tolerances = leading(*tolerances, 2);
  return output;
}

static Expected<Program> parseCells(const std::vector<std::string> &cells) {
  if (cells.size() != 4)
    return malformed(concat("there are ", cells.size(), " cells, not 4"));
  if (cells[0] != "exact" && cells[0] != "approximate")
    return malformed(concat("unknown class '", cells[0], "'"));
  Program program{0, cells[0] == "exact", cells[1], {}, {}};
  for (const std::string &text : split(cells[2], ' ')) {
    auto operand = parseOperand(text);
    if (!operand)
      return operand.error();
    program.operands.push_back(std::move(*operand));
  }
  for (const std::string &text : split(cells[3], ' ')) {
    auto output = parseOutput(text, program.exact);
    if (!output)
      return output.error();
    program.outputs.push_back(std::move(*output));
  }
  return program;
}

Expected<Program> test::parseProgram(const std::string &text,
                                     std::size_t line) {
  auto program = parseCells(split(text, '\t'));
  if (!program)
    return malformed(concat("line ", line, ": ", program.error().message()));
  program->line = line;
  return program;
}

Expected<std::vector<Program>> test::readPrograms(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Error(ErrorCode::Io, concat("cannot read '", path, "'"));
  std::vector<Program> programs;
  std::size_t line = 0;
  for (std::string text; std::getline(file, text);) {
    ++line;
    if (text.starts_with('#'))
      continue;
    auto program = parseProgram(text, line);
    if (!program)
      return program.error();
    programs.push_back(std::move(*program));
  }
  return programs;
}

bool test::isFloat(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 ||
         type == DType::BF16;
}

static double halfValue(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = std::ldexp(fraction, -24);
  if (exponent == 31)
    size = fraction ? NAN : INFINITY;
  else if (exponent)
    size = std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

template <class T> static T load(const unsigned char *element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

double test::floatAt(const unsigned char *element, DType type) {
  switch (type) {
  case DType::F64:
    return load<double>(element);
  case DType::F16:
    return halfValue(load<std::uint16_t>(element));
  case DType::BF16:
    return std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(element)}
                                << 16);
  default:
    return load<float>(element);
  }
}
