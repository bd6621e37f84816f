//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/NpyHeader.h"

#include "Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;
using nlohmann::json;

namespace {
struct TypeName {
  DType type;
  std::string_view name;
};
constexpr TypeName typeNames[] = {
    {DType::F32, "<f4"}, {DType::F64, "<f8"}, {DType::F16, "<f2"},
    {DType::I64, "<i8"}, {DType::I32, "<i4"}, {DType::I16, "<i2"},
    {DType::I8, "|i1"},  {DType::U8, "|u1"},  {DType::Bool, "|b1"}};
} // namespace

/// A literal of Python as JSON, as far as headers have it: lists for tuples,
/// double quotes, and no comma at an end. What is neither stays neither.
static std::string jsonOf(std::string_view text) {
  std::string json;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote || c == '\'' || c == '"') {
      quote = !quote ? c : c == quote ? 0 : quote;
      json += c == '\'' ? '"' : c;
    } else if (c == ',') {
      const std::size_t next = text.find_first_not_of(" \t\n", i + 1);
      const bool isLast =
          next != text.npos && (text[next] == ')' || text[next] == '}');
      if (!isLast || json.ends_with('[') || json.ends_with(','))
        json += c;
    } else if (c == 'T' || c == 'F') {
      json += c == 'T' ? 't' : 'f';
    } else {
      json += c == '(' ? '[' : c == ')' ? ']' : c;
    }
  }
  return json;
}

/// The three keys, with values of their types.
static Expected<json> parseDictionary(std::string_view text) {
  json header = json::parse(jsonOf(text), nullptr, /*allow_exceptions=*/false);
  const json shape = header.is_object() ? header["shape"] : json();
  if (!shape.is_array() || header.size() != 3 || !header["descr"].is_string() ||
      !header["fortran_order"].is_boolean() ||
      !std::all_of(shape.begin(), shape.end(), [](const json &extent) {
        return extent.is_number_integer() &&
               extent <= std::numeric_limits<std::int64_t>::max();
      }))
    return Error(ErrorCode::Io, "its header is not that of a plain array");
  return header;
}

static Expected<DType> typeOf(std::string_view name) {
  for (const TypeName &known : typeNames)
    if (name == known.name ||
        (name.size() == 3 && name.substr(1) == known.name.substr(1) &&
         (name[0] == '=' || known.name[0] == '|')))
      return known.type;
  return Error(ErrorCode::Unsupported,
               concat("its element type '", name.substr(0, 16),
                      "' is not one of little-endian f2, f4, f8, i1, i2, i4, "
                      "i8, u1 and b1"));
}

Expected<NpyHeader> tools::parseNpyHeader(std::string_view text) {
  auto header = parseDictionary(text);
  if (!header)
    return header.error();
  auto type = typeOf((*header)["descr"].get<std::string>());
  if (!type)
    return type.error();
  const auto extents = (*header)["shape"].get<std::vector<std::int64_t>>();
  const Shape shape(extents.data(), extents.size());
  if (!shape.valid())
    return Error(ErrorCode::Unsupported,
                 concat("it has more than ", MaxRank, " axes"));
  // So many that their bytes still fit 64 bits.
  constexpr std::int64_t most = std::int64_t{1} << 56;
  if (shape.elementCount() < 0 || shape.elementCount() > most)
    return Error(ErrorCode::Io,
                 concat("its shape ", shape.str(), " is impossible"));
  return NpyHeader{*type, (*header)["fortran_order"], shape};
}

std::string_view tools::npyTypeName(DType type) {
  for (const TypeName &known : typeNames)
    if (known.type == type)
      return known.name;
  return {};
}
