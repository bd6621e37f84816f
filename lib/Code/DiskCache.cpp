//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/DiskCache.h"

#include "Code/SymbolBytes.h"
#include "Support/Hash.h"

#include <bit>
#include <cstring>

using namespace kexpr;
using namespace kexpr::code;

/// Far more than any kernel has.
static constexpr std::size_t MostBytes = std::size_t{64} << 20;

/// The smallest page there is: more no image asks for.
static constexpr std::uint64_t MostAlignment = 4096;

namespace {
/// What a file starts with, in the byte order of the machine, which is part of
/// the key. Then come key, path of the maker, image and symbols, if any.
struct Header {
  char magic[8] = {'k', 'e', 'x', 'p', 'r', 'i', 'm', '2'};
  /// Of all bytes behind it.
  Digest checksum;
  std::uint64_t keySize = 0, makerSize = 0, imageSize = 0, symbolsSize = 0;
  std::int64_t makerBytes = 0, makerModified = 0;
  std::uint64_t alignment = 0, entry = 0;
};
static_assert(std::has_unique_object_representations_v<Header>);

constexpr std::size_t ChecksumEnd = offsetof(Header, checksum) + sizeof(Digest);
} // namespace

std::string DiskCache::fileName(std::string_view key) {
  // What LLVM's pruning takes for a file of the cache.
  return "llvmcache-" + Digest::of(key).str();
}

std::string DiskCache::encode(std::string_view key, const Image &image,
                              const FileStamp &maker) {
  Header header;
  header.keySize = key.size();
  header.makerSize = maker.path.size();
  header.imageSize = image.bytes.size();
  const std::string symbols = image.symbols ? bytesOf(*image.symbols) : "";
  header.symbolsSize = symbols.size();
  header.makerBytes = maker.size;
  header.makerModified = maker.modified;
  header.alignment = image.alignment;
  header.entry = image.entry;
  std::string contents(sizeof header, '\0');
  contents.append(key).append(maker.path);
  contents.append(image.bytes.data(), image.bytes.size()).append(symbols);
  std::memcpy(contents.data(), &header, sizeof header);
  header.checksum = Digest::of(std::string_view(contents).substr(ChecksumEnd));
  std::memcpy(contents.data(), &header, sizeof header);
  return contents;
}

/// Whether sizes add up, each by itself first: they may be anything.
static bool isWhole(const Header &header, std::size_t size) {
  return header.keySize <= size && header.makerSize <= size &&
         header.imageSize <= size && header.symbolsSize <= size &&
         sizeof header + header.keySize + header.makerSize + header.imageSize +
                 header.symbolsSize ==
             size;
}

std::optional<Image> DiskCache::decode(std::string_view key,
                                       std::string_view contents) {
  Header header;
  if (contents.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, contents.data(), sizeof header);
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 ||
      !isWhole(header, contents.size()) ||
      header.checksum != Digest::of(contents.substr(ChecksumEnd)))
    return std::nullopt;
  contents.remove_prefix(sizeof header);
  if (contents.substr(0, header.keySize) != key)
    return std::nullopt;
  contents.remove_prefix(header.keySize);
  const FileStamp maker{.path =
                            std::string(contents.substr(0, header.makerSize)),
                        .size = header.makerBytes,
                        .modified = header.makerModified};
  contents.remove_prefix(header.makerSize);
  if (maker.isStale() || header.entry >= header.imageSize ||
      !std::has_single_bit(header.alignment) ||
      header.alignment > MostAlignment)
    return std::nullopt;
  Image image{.bytes = {contents.begin(),
                        contents.begin() +
                            static_cast<std::ptrdiff_t>(header.imageSize)},
              .alignment = header.alignment,
              .entry = header.entry};
  if (header.symbolsSize == 0)
    return image;
  contents.remove_prefix(header.imageSize);
  auto symbols = symbolsOf(contents);
  if (!symbols)
    return std::nullopt;
  image.symbols = std::make_shared<const Symbols>(std::move(*symbols));
  return image;
}

std::optional<Image> DiskCache::find(std::string_view key) const {
  std::optional<Image> image;
  if (auto contents = directory->read(fileName(key), MostBytes))
    image = decode(key, *contents);
  ++(image ? hits : misses);
  return image;
}

std::size_t DiskCache::store(std::string_view key, const Image &image,
                             const FileStamp &maker) const {
  const std::string contents = encode(key, image, maker);
  if (contents.size() <= MostBytes &&
      directory->replace(fileName(key), contents)) {
    ++stored;
    return contents.size();
  }
  ++failed;
  return 0;
}

DiskCache::Counts DiskCache::counts() const {
  return {hits, misses, stored, failed};
}
