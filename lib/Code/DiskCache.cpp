//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/DiskCache.h"

#include "Support/Hash.h"
#include "Support/Text.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace kexpr;
using namespace kexpr::code;

/// Far more than any kernel has.
static constexpr std::size_t MostBytes = std::size_t{64} << 20;

/// The smallest page there is: more no image asks for.
static constexpr std::uint64_t MostAlignment = 4096;

namespace {
/// Parts that follow the header, in this order. Those after the image are its
/// symbols.
enum Part {
  KeyPart,
  MakerPart,
  BuildPart,
  BytesPart,
  NamePart,
  PathPart,
  LinesPart,
  ObjectPart,
  PartCount
};

/// Start of a file, in the byte order of the machine, which is part of the key.
struct Header {
  char magic[8] = {'k', 'e', 'x', 'p', 'r', 'i', 'm', '4'};
  /// Digest of all bytes after it.
  Digest checksum;
  std::uint64_t sizes[PartCount] = {};
  std::int64_t makerBytes = 0, makerModified = 0;
  std::uint64_t alignment = 0, entry = 0, hasSymbols = 0, functionBytes = 0;
};
static_assert(std::has_unique_object_representations_v<Header>);
static_assert(std::has_unique_object_representations_v<CodeLocation>);

constexpr std::size_t ChecksumEnd = offsetof(Header, checksum) + sizeof(Digest);
} // namespace

std::string DiskCache::fileName(std::string_view key, std::string_view prefix) {
  return std::string(prefix) + Digest::of(key).str();
}

template <class T>
static std::string_view bytesOf(const std::vector<T> &elements) {
  return {reinterpret_cast<const char *>(elements.data()),
          elements.size() * sizeof(T)};
}

std::string DiskCache::encode(std::string_view key, const Image &image,
                              const FileStamp &maker) {
  const Symbols none;
  const Symbols &symbols = image.symbols ? *image.symbols : none;
  const std::string_view parts[PartCount] = {key,
                                             maker.path,
                                             maker.build,
                                             bytesOf(image.bytes),
                                             symbols.name,
                                             symbols.path,
                                             bytesOf(symbols.lines),
                                             bytesOf(symbols.object)};
  Header header{.checksum = {},
                .makerBytes = maker.size,
                .makerModified = maker.modified,
                .alignment = image.alignment,
                .entry = image.entry,
                .hasSymbols = image.symbols != nullptr,
                .functionBytes = symbols.size};
  std::string contents(sizeof header, '\0');
  for (std::size_t i = 0; i < PartCount; ++i) {
    header.sizes[i] = parts[i].size();
    contents += parts[i];
  }
  std::memcpy(contents.data(), &header, sizeof header);
  header.checksum = Digest::of(std::string_view(contents).substr(ChecksumEnd));
  std::memcpy(contents.data(), &header, sizeof header);
  return contents;
}

std::optional<Image> DiskCache::decode(std::string_view key,
                                       std::string_view contents) {
  Header header;
  if (contents.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, contents.data(), sizeof header);
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 ||
      header.checksum != Digest::of(contents.substr(ChecksumEnd)))
    return std::nullopt;
  contents.remove_prefix(sizeof header);
  std::string_view parts[PartCount];
  for (std::size_t i = 0; i < PartCount; ++i) {
    if (header.sizes[i] > contents.size())
      return std::nullopt;
    parts[i] = contents.substr(0, header.sizes[i]);
    contents.remove_prefix(parts[i].size());
  }
  const FileStamp maker{.path = std::string(parts[MakerPart]),
                        .size = header.makerBytes,
                        .modified = header.makerModified,
                        .build = std::string(parts[BuildPart])};
  if (!contents.empty() || parts[KeyPart] != key || maker.isStale() ||
      header.entry >= parts[BytesPart].size() ||
      !std::has_single_bit(header.alignment) ||
      header.alignment > MostAlignment ||
      parts[LinesPart].size() % sizeof(CodeLocation) != 0)
    return std::nullopt;
  Image image{.bytes = {parts[BytesPart].begin(), parts[BytesPart].end()},
              .alignment = header.alignment,
              .entry = header.entry};
  if (!header.hasSymbols)
    return image;
  Symbols symbols{
      .name = std::string(parts[NamePart]),
      .size = header.functionBytes,
      .path = std::string(parts[PathPart]),
      .lines = std::vector<CodeLocation>(parts[LinesPart].size() /
                                         sizeof(CodeLocation)),
      .object = {parts[ObjectPart].begin(), parts[ObjectPart].end()}};
  std::copy(parts[LinesPart].begin(), parts[LinesPart].end(),
            reinterpret_cast<char *>(symbols.lines.data()));
  image.symbols = std::make_shared<const Symbols>(std::move(symbols));
  return image;
}

std::optional<Image> DiskCache::find(std::string_view key) const {
  std::optional<Image> image;
  if (auto contents = directory->read(fileName(key, prefix), MostBytes))
    image = decode(key, *contents);
  ++(image ? hits : misses);
  return image;
}

Expected<std::size_t> DiskCache::store(std::string_view key, const Image &image,
                                       const FileStamp &maker) const {
  const std::string contents = encode(key, image, maker);
  const Status status =
      contents.size() <= MostBytes
          ? directory->replace(fileName(key, prefix), contents)
          : Status(Error(ErrorCode::LimitExceeded,
                         concat("code of ", contents.size(),
                                " bytes is too long for a file")));
  ++(status ? stored : failed);
  if (!status)
    return status.error();
  return contents.size();
}

DiskCache::Counts DiskCache::counts() const {
  return {hits, misses, stored, failed};
}
