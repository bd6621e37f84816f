//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/NpyHeader.h"

#include "Support/Text.h"

#include <charconv>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct TypeName {
  DType type;
  std::string_view name;
};
constexpr TypeName typeNames[] = {
    {DType::F32, "<f4"}, {DType::F64, "<f8"}, {DType::F16, "<f2"},
    {DType::I64, "<i8"}, {DType::I32, "<i4"}, {DType::I16, "<i2"},
    {DType::I8, "|i1"},  {DType::U8, "|u1"},  {DType::Bool, "|b1"}};

/// Reads a Python literal from the front. A member that does not find what it
/// wants sets `failed`, and nothing is read from then on.
class Cursor {
public:
  explicit Cursor(std::string_view text) : rest(text) {}

  bool failed = false;

  /// Whether `token` comes next; takes it if so.
  bool take(std::string_view token) {
    skipBlanks();
    if (failed || !rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) { failed |= !take(token); }

  std::string_view quoted() {
    const char quote = take("'") ? '\'' : '"';
    if (quote == '"')
      expect("\"");
    const std::size_t end = rest.find(quote);
    failed |= end == std::string_view::npos;
    if (failed)
      return {};
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return word;
  }

  std::int64_t integer() {
    skipBlanks();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    failed |= error != std::errc();
    if (failed)
      return 0;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  }

  bool boolean() {
    if (take("True"))
      return true;
    expect("False");
    return false;
  }

  bool atEnd() {
    skipBlanks();
    return rest.empty();
  }

private:
  void skipBlanks() {
    const std::size_t count = rest.find_first_not_of(" \t\n");
    rest.remove_prefix(std::min(count, rest.size()));
  }

  std::string_view rest;
};

/// The values of the three keys as they stand.
struct RawHeader {
  std::string_view type;
  bool hasType = false, hasOrder = false, hasShape = false;
  bool columnMajor = false;
  std::vector<std::int64_t> extents;
};
} // namespace

static std::vector<std::int64_t> parseTuple(Cursor &cursor) {
  std::vector<std::int64_t> values;
  cursor.expect("(");
  while (!cursor.failed && !cursor.take(")")) {
    values.push_back(cursor.integer());
    if (!cursor.take(",")) {
      cursor.expect(")");
      break;
    }
  }
  return values;
}

static void parseEntry(Cursor &cursor, RawHeader &raw) {
  const std::string_view key = cursor.quoted();
  cursor.expect(":");
  if (key == "descr") {
    raw.type = cursor.quoted();
    raw.hasType = true;
  } else if (key == "fortran_order") {
    raw.columnMajor = cursor.boolean();
    raw.hasOrder = true;
  } else if (key == "shape") {
    raw.extents = parseTuple(cursor);
    raw.hasShape = true;
  } else {
    cursor.failed = true;
  }
}

static Expected<RawHeader> parseDictionary(std::string_view text) {
  Cursor cursor(text);
  RawHeader raw;
  cursor.expect("{");
  while (!cursor.failed && !cursor.take("}")) {
    parseEntry(cursor, raw);
    if (!cursor.take(",")) {
      cursor.expect("}");
      break;
    }
  }
  if (cursor.failed || !cursor.atEnd() ||
      !(raw.hasType && raw.hasOrder && raw.hasShape))
    return Error(ErrorCode::Io, "its header is not that of a plain array");
  return raw;
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
  auto raw = parseDictionary(text);
  if (!raw)
    return raw.error();
  auto type = typeOf(raw->type);
  if (!type)
    return type.error();
  const Shape shape(raw->extents.data(), raw->extents.size());
  if (!shape.valid())
    return Error(ErrorCode::Unsupported,
                 concat("it has more than ", MaxRank, " axes"));
  // So many that their bytes still fit 64 bits.
  constexpr std::int64_t most = std::int64_t{1} << 56;
  if (shape.elementCount() < 0 || shape.elementCount() > most)
    return Error(ErrorCode::Io,
                 concat("its shape ", shape.str(), " is impossible"));
  return NpyHeader{*type, raw->columnMajor, shape};
}

std::string_view tools::npyTypeName(DType type) {
  for (const TypeName &known : typeNames)
    if (known.type == type)
      return known.name;
  return {};
}
