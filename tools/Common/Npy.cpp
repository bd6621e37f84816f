//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Npy.h"

#include "Support/Guarded.h"
#include "Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
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
    {DType::I8, "|i1"},  {DType::U8, "|u1"},  {DType::U16, "<u2"},
    {DType::U32, "<u4"}, {DType::U64, "<u8"}, {DType::Bool, "|b1"}};
} // namespace

/// A literal of Python as JSON, as far as headers have it: lists for tuples,
/// double quotes, and no comma at an end. Other text becomes no valid JSON.
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
  // The bytes of so many elements fit 64 bits.
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

static constexpr std::string_view magic = "\x93NUMPY";

/// A header is a line of text; NumPy itself refuses longer ones.
static constexpr std::size_t maxHeader = 64 * 1024;

static Error cannot(std::string_view what, const std::string &path,
                    const std::string &why, ErrorCode code = ErrorCode::Io) {
  return {code, concat("cannot ", what, " '", path, "': ", why)};
}

static bool readExactly(std::istream &file, void *to, std::size_t count) {
  file.read(static_cast<char *>(to), static_cast<std::streamsize>(count));
  return file.gcount() == static_cast<std::streamsize>(count);
}

/// The text of the header, from the start of the file.
static Expected<std::string> readHeaderText(std::istream &file) {
  unsigned char start[8];
  if (!readExactly(file, start, sizeof start) ||
      std::memcmp(start, magic.data(), magic.size()) != 0)
    return Error(ErrorCode::Io, "it is not a .npy file");
  const unsigned version = start[6];
  if (version < 1 || version > 3)
    return Error(ErrorCode::Unsupported,
                 concat("format version ", version, " is not known"));
  unsigned char length[4] = {};
  std::size_t size = 0;
  if (!readExactly(file, length, version == 1 ? 2 : 4))
    return Error(ErrorCode::Io, "it ends inside its header");
  for (int i = 3; i >= 0; --i)
    size = size << 8 | length[i];
  if (size > maxHeader)
    return Error(ErrorCode::Io,
                 concat("its header of ", size, " bytes is too long"));
  std::string text(size, '\0');
  if (!readExactly(file, text.data(), size))
    return Error(ErrorCode::Io, "it ends inside its header");
  return text;
}

/// The elements that the header announces. Reads in pieces, so that memory
/// grows no faster than bytes arrive.
static Expected<std::vector<char>> readElements(std::istream &file,
                                                std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::vector<char> elements;
  while (elements.size() < bytes) {
    const std::size_t done = elements.size();
    const std::size_t more = std::min(piece, bytes - done);
    elements.resize(done + more);
    if (!readExactly(file, elements.data() + done, more))
      return Error(ErrorCode::Io,
                   concat("it holds ", done + std::size_t(file.gcount()),
                          " bytes of elements; its header announces ", bytes));
  }
  return elements;
}

static Expected<Array> readArray(std::istream &file) {
  auto text = readHeaderText(file);
  if (!text)
    return text.error();
  auto header = parseNpyHeader(*text);
  if (!header)
    return header.error();
  auto elements = readElements(
      file, static_cast<std::size_t>(header->shape.elementCount()) *
                sizeOf(header->type));
  if (!elements)
    return elements.error();
  auto array = Array::make(header->type, header->shape);
  if (!array)
    return array;
  // A truth value of any other byte would be none.
  if (header->type == DType::Bool)
    for (char &element : *elements)
      element = element != 0;
  std::copy(elements->begin(), elements->end(),
            static_cast<char *>(array->data()));
  if (header->columnMajor)
    array->makeColumnMajor();
  return array;
}

Expected<Array> tools::readNpy(std::istream &file) {
  return guarded([&] { return readArray(file); });
}

Expected<Array> tools::readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return cannot("read", path, std::strerror(errno));
  auto array = readNpy(file);
  if (!array)
    return cannot("read", path, array.error().message(), array.error().code());
  return array;
}

/// The dictionary, padded so that the elements start at a multiple of 64.
static std::string headerText(const Array &array) {
  std::string text = concat("{'descr': '", npyTypeName(array.type()),
                            "', 'fortran_order': False, 'shape': (");
  for (std::int64_t extent : array.shape())
    text += concat(extent, ",");
  text += "), }";
  const std::size_t before = magic.size() + 4;
  while ((before + text.size() + 1) % 64 != 0)
    text += ' ';
  return text + '\n';
}

Status tools::writeNpy(const std::string &path, const Array &array) {
  if (npyTypeName(array.type()).empty())
    return cannot("write", path,
                  concat("NumPy has no type ", nameOf(array.type())),
                  ErrorCode::Unsupported);
  std::ofstream file(path, std::ios::binary);
  const std::string text = headerText(array);
  const char lead[] = {1, 0, static_cast<char>(text.size() & 255),
                       static_cast<char>(text.size() >> 8)};
  file << magic;
  file.write(lead, sizeof lead) << text;
  file.write(static_cast<const char *>(array.data()),
             static_cast<std::streamsize>(array.bytes()));
  file.close();
  if (!file)
    return cannot("write", path, std::strerror(errno));
  return {};
}
