//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Npy.h"

#include "Common/NpyHeader.h"
#include "Support/Guarded.h"
#include "Support/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

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
