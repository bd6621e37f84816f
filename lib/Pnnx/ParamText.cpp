//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/ParamText.h"

#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <charconv>

using namespace kexpr;
using namespace kexpr::pnnx;

static constexpr std::string_view Blanks = " \t\r\v\f";

/// Errors of longer texts have no copy of the text.
static constexpr std::size_t MaxShownText = std::size_t{1} << 20;

bool ParamText::nextLine() {
  if (rest.empty())
    return false;
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  ++number;
  return true;
}

Word ParamText::word() {
  line.remove_prefix(std::min(line.find_first_not_of(Blanks), line.size()));
  const std::size_t end = std::min(line.find_first_of(Blanks), line.size());
  const Word word = {line.substr(0, end), number};
  line.remove_prefix(end);
  return word;
}

bool ParamText::endsHere() const {
  return line.find_first_not_of(Blanks) == line.npos &&
         rest.find_first_not_of(" \t\r\v\f\n") == rest.npos;
}

Error ParamText::fault(Word at, std::string_view message) const {
  std::string sentence = concat("line ", at.line, " of ", name, ": ", message);
  if (text.size() > MaxShownText)
    return {ErrorCode::InvalidSyntax, std::move(sentence)};
  const std::size_t begin = at.text.data() - text.data();
  return {ErrorCode::InvalidSyntax,
          std::move(sentence),
          std::string(text),
          {begin, begin + at.text.size()}};
}

/// Types of PNNX that kexpr does not have. The second half is from old files.
static constexpr std::string_view OtherTypes[] = {
    "", "null", "c64", "c128", "c32", "cp64", "cp128", "cp32"};

static Error fault(std::string message) {
  return {ErrorCode::InvalidSyntax, std::move(message)};
}

static Expected<std::int64_t> readExtent(std::string_view text) {
  if (text == "?" || (text.size() > 1 && text.front() == '%'))
    return -1;
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos)
    return fault(quote(text) + " is no extent; one is digits, ? or %name");
  std::int64_t extent = 0;
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), extent);
  if (result.ec != std::errc())
    return fault("extent " + quote(text) + " is too large");
  return extent;
}

/// Reads the text between the brackets.
static Expected<Shape> readExtents(std::string_view text) {
  std::int64_t extents[MaxRank];
  std::size_t rank = 0;
  for (bool more = !text.empty(); more; ++rank) {
    if (rank == MaxRank)
      return fault(concat("a shape has more than ", MaxRank, " axes"));
    const std::size_t end = std::min(text.find(','), text.size());
    auto extent = readExtent(text.substr(0, end));
    if (!extent)
      return extent.error();
    extents[rank] = *extent;
    more = end < text.size();
    text.remove_prefix(end + more);
  }
  return Shape(extents, rank);
}

Expected<ShapeText> pnnx::readShape(std::string_view text) {
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == text.npos)
    return fault(quote(text) + " is no shape; one is like (1,3,224)f32");
  auto shape = readExtents(text.substr(1, close - 1));
  if (!shape)
    return shape.error();
  const std::string_view name = text.substr(close + 1);
  if (std::find(std::begin(OtherTypes), std::end(OtherTypes), name) !=
      std::end(OtherTypes))
    return ShapeText{*shape, std::nullopt};
  auto type = parseDType(name);
  if (!type)
    return fault(quote(name) + " is no element type of PNNX");
  return ShapeText{*shape, *type};
}
