//===- ZipReader.h - Stored entries of zip archives -------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_ZIPREADER_H
#define KEXPR_PNNX_ZIPREADER_H

#include "kexpr/Error.h"
#include "kexpr/Span.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kexpr::pnnx {

/// Bytes that are read from any place: a file, or memory.
class ByteSource {
public:
  static Expected<ByteSource> open(const std::string &path);
  /// The bytes must outlive the object.
  explicit ByteSource(Span<const unsigned char> bytes)
      : memory(bytes.data()), bytes(bytes.size()) {}
  ByteSource(ByteSource &&other) noexcept;
  ByteSource &operator=(ByteSource &&) = delete;
  ~ByteSource();

  std::uint64_t size() const { return bytes; }
  /// Whether all of them could be read.
  bool read(std::uint64_t offset, std::uint64_t count, void *to) const;

private:
  ByteSource(int file, std::uint64_t bytes) : file(file), bytes(bytes) {}

  int file = -1;
  const unsigned char *memory = nullptr;
  std::uint64_t bytes;
};

/// An archive of entries that are stored, as PNNX writes them: neither
/// compressed nor encrypted, in one file, with 32-bit or 64-bit sizes. By
/// APPNOTE.TXT 6.3.10 of PKWARE. Errors name the file, and the entry where it
/// is about one; InvalidSyntax is what is wrong in the file.
class ZipReader {
public:
  /// `name` stands for the file in messages.
  static Expected<ZipReader> open(ByteSource source, std::string_view name);

  /// Reads an entry of exactly so many bytes, and checks its CRC. All that are
  /// found (`find`), once each, have no more bytes than the file.
  struct Entry {
    std::uint64_t header = 0; ///< Where its local header is.
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
    std::uint16_t flags = 0, method = 0;
  };
  Expected<Entry> find(const std::string &name, std::uint64_t bytes);
  Status read(const Entry &entry, const std::string &name, void *to) const;

private:
  ZipReader(ByteSource source, std::string_view name)
      : source(std::move(source)), file(name), unclaimed(this->source.size()) {}
  Status readDirectory();
  Error fault(const std::string &entry, std::string_view message) const;
  Error damaged(std::string_view message) const;

  ByteSource source;
  std::string file;
  std::string directory;
  std::unordered_map<std::string_view, Entry> entries; ///< Of `directory`.
  /// Bytes of the file that belong to no entry found so far.
  std::uint64_t unclaimed;
};

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_ZIPREADER_H
