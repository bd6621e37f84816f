//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/ZipReader.h"

#include "Support/Quote.h"
#include "Support/SystemText.h"
#include "Support/Text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::pnnx;

//===-- Bytes -------------------------------------------------------------===//

Expected<ByteSource> ByteSource::open(const std::string &path) {
  const auto fault = [&path](int error) {
    return Error(ErrorCode::Io, concat(path, ": ", errorText(error)));
  };
  // A pipe must not make the open wait.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return fault(errno);
  struct stat status = {};
  ByteSource source(file, 0);
  if (fstat(file, &status) != 0)
    return fault(errno);
  if (!S_ISREG(status.st_mode))
    return fault(S_ISDIR(status.st_mode) ? EISDIR : ESPIPE);
  source.bytes = static_cast<std::uint64_t>(status.st_size);
  return source;
}

ByteSource::ByteSource(ByteSource &&other) noexcept
    : file(std::exchange(other.file, -1)), memory(other.memory),
      bytes(other.bytes) {}

ByteSource::~ByteSource() {
  if (file >= 0)
    close(file);
}

bool ByteSource::read(std::uint64_t offset, std::uint64_t count,
                      void *to) const {
  if (offset > bytes || count > bytes - offset)
    return false;
  if (file < 0) {
    if (count > 0)
      std::memcpy(to, memory + offset, count);
    return true;
  }
  auto *next = static_cast<char *>(to);
  while (count > 0) {
    const ssize_t done = pread(file, next, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    next += done;
    offset += static_cast<std::uint64_t>(done);
    count -= static_cast<std::uint64_t>(done);
  }
  return true;
}

/// A number of an archive, the lowest byte first.
template <class T> static T numberAt(std::string_view text, std::size_t at) {
  T number = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    number = static_cast<T>(std::uint64_t{number} << 8 |
                            static_cast<unsigned char>(text[at + i]));
  return number;
}

//===-- Checksums ---------------------------------------------------------===//

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Tables for eight bytes at once: table k has what a byte does k bytes later.
static constexpr CrcTables makeCrcTables() {
  CrcTables tables = {};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] =
          tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xff];
  return tables;
}

/// The checksum of zip: CRC-32 of ISO 3309.
static std::uint32_t crcOf(const unsigned char *bytes, std::uint64_t count) {
  static constexpr CrcTables tables = makeCrcTables();
  std::uint32_t crc = ~std::uint32_t{0};
  for (; count >= 8; count -= 8, bytes += 8) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < 4; ++k)
      next ^= tables[7 - k][(crc >> (8 * k) & 0xff) ^ bytes[k]] ^
              tables[3 - k][bytes[4 + k]];
    crc = next;
  }
  for (; count > 0; --count, ++bytes)
    crc = crc >> 8 ^ tables[0][(crc & 0xff) ^ *bytes];
  return ~crc;
}

//===-- Archives ----------------------------------------------------------===//

namespace {
/// Sizes and marks of the records, and where their fields are.
constexpr std::uint32_t EndMark = 0x06054b50, End64Mark = 0x06064b50,
                        Locator64Mark = 0x07064b50, EntryMark = 0x02014b50,
                        LocalMark = 0x04034b50;
constexpr std::size_t EndBytes = 22, End64Bytes = 56, Locator64Bytes = 20,
                      EntryBytes = 46, LocalBytes = 30;
/// The comment that may follow the end record.
constexpr std::size_t MostComment = 65535;
constexpr std::uint32_t In64 = 0xffffffff;

/// Where the directory is.
struct Directory {
  std::uint64_t offset = 0, bytes = 0;
};
} // namespace

Error ZipReader::damaged(std::string_view message) const {
  return {ErrorCode::InvalidSyntax, concat(file, ": ", message)};
}

Error ZipReader::fault(const std::string &entry,
                       std::string_view message) const {
  return {ErrorCode::InvalidSyntax,
          concat("entry ", quote(entry), " of ", file, message)};
}

Expected<ZipReader> ZipReader::open(ByteSource source, std::string_view name) {
  ZipReader reader(std::move(source), name);
  if (auto status = reader.readDirectory(); !status)
    return status.error();
  return reader;
}

/// The position of the end record in the last bytes of a file; npos if there is
/// none that is followed by its comment alone.
static std::size_t findEnd(std::string_view tail) {
  for (std::size_t at = tail.size(); at-- > 0;)
    if (tail.size() - at >= EndBytes &&
        numberAt<std::uint32_t>(tail, at) == EndMark &&
        numberAt<std::uint16_t>(tail, at + 20) == tail.size() - at - EndBytes)
      return at;
  return std::string_view::npos;
}

/// What the 64-bit end record says of the directory, if a locator of it stands
/// at `locator`.
static Directory directory64(const ByteSource &source, std::uint64_t locator,
                             Directory otherwise) {
  char bytes[End64Bytes];
  if (!source.read(locator, Locator64Bytes, bytes) ||
      numberAt<std::uint32_t>({bytes, Locator64Bytes}, 0) != Locator64Mark)
    return otherwise;
  const auto at = numberAt<std::uint64_t>({bytes, Locator64Bytes}, 8);
  if (!source.read(at, End64Bytes, bytes) ||
      numberAt<std::uint32_t>({bytes, End64Bytes}, 0) != End64Mark)
    return otherwise;
  return {numberAt<std::uint64_t>({bytes, End64Bytes}, 48),
          numberAt<std::uint64_t>({bytes, End64Bytes}, 40)};
}

/// Replaces what a record of the directory has no room for by the 64-bit
/// numbers among its extra fields.
static void read64(std::string_view extra, std::uint64_t &bytes,
                   std::uint64_t &stored, std::uint64_t &header) {
  while (extra.size() >= 4) {
    const auto kind = numberAt<std::uint16_t>(extra, 0);
    const std::size_t size = std::min<std::size_t>(
        numberAt<std::uint16_t>(extra, 2), extra.size() - 4);
    std::string_view field = extra.substr(4, size);
    if (kind == 1)
      for (std::uint64_t *number : {&bytes, &stored, &header})
        if (*number == In64 && field.size() >= 8) {
          *number = numberAt<std::uint64_t>(field, 0);
          field.remove_prefix(8);
        }
    extra.remove_prefix(4 + size);
  }
}

Status ZipReader::readDirectory() {
  const std::uint64_t size = source.size();
  std::string tail(std::min<std::uint64_t>(size, EndBytes + MostComment), '\0');
  if (!source.read(size - tail.size(), tail.size(), tail.data()))
    return Error(ErrorCode::Io, concat(file, ": cannot be read"));
  const std::size_t end = findEnd(tail);
  if (end == std::string_view::npos)
    return damaged("is no zip archive");
  const std::uint64_t endAt = size - tail.size() + end;
  Directory where{numberAt<std::uint32_t>(tail, end + 16),
                  numberAt<std::uint32_t>(tail, end + 12)};
  if (endAt >= Locator64Bytes)
    where = directory64(source, endAt - Locator64Bytes, where);
  if (where.offset > endAt || where.bytes > endAt - where.offset)
    return damaged("has no directory where its end says");
  // What a sparse file says costs nothing until it is read.
  constexpr std::uint64_t mostBytes = std::uint64_t{1} << 28;
  if (where.bytes > mostBytes)
    return damaged(concat("has a directory of ", where.bytes,
                          " bytes; the most are ", mostBytes));
  directory.resize(where.bytes);
  if (!source.read(where.offset, where.bytes, directory.data()))
    return Error(ErrorCode::Io, concat(file, ": cannot be read"));

  std::string_view rest = directory;
  while (rest.size() >= EntryBytes &&
         numberAt<std::uint32_t>(rest, 0) == EntryMark) {
    const std::size_t name = numberAt<std::uint16_t>(rest, 28),
                      extra = numberAt<std::uint16_t>(rest, 30),
                      comment = numberAt<std::uint16_t>(rest, 32);
    if (rest.size() - EntryBytes < name + extra + comment)
      return damaged("has a damaged directory");
    Entry entry{.header = numberAt<std::uint32_t>(rest, 42),
                .bytes = numberAt<std::uint32_t>(rest, 24),
                .crc = numberAt<std::uint32_t>(rest, 16),
                .flags = numberAt<std::uint16_t>(rest, 8),
                .method = numberAt<std::uint16_t>(rest, 10)};
    std::uint64_t stored = numberAt<std::uint32_t>(rest, 20);
    read64(rest.substr(EntryBytes + name, extra), entry.bytes, stored,
           entry.header);
    if (stored != entry.bytes && entry.method == 0)
      return damaged("has a damaged directory");
    entries.emplace(rest.substr(EntryBytes, name), entry);
    rest.remove_prefix(EntryBytes + name + extra + comment);
  }
  return rest.empty() ? Status() : damaged("has a damaged directory");
}

Expected<ZipReader::Entry> ZipReader::find(const std::string &name,
                                           std::uint64_t bytes) {
  const auto found = entries.find(name);
  if (found == entries.end())
    return fault(name, " is missing");
  const Entry &entry = found->second;
  if (entry.flags & 1)
    return fault(name, " is encrypted");
  if (entry.method != 0)
    return fault(name, " is compressed; PNNX stores entries as they are");
  if (entry.bytes != bytes)
    return fault(
        name, concat(" has ", entry.bytes, " bytes; its shape needs ", bytes));
  if (entry.bytes > unclaimed)
    return fault(name, " is longer than what the file has for it");
  unclaimed -= entry.bytes;
  return entry;
}

Status ZipReader::read(const Entry &entry, const std::string &name,
                       void *to) const {
  char local[LocalBytes];
  if (!source.read(entry.header, LocalBytes, local) ||
      numberAt<std::uint32_t>({local, LocalBytes}, 0) != LocalMark)
    return fault(name, " is not where the directory says");
  const std::uint64_t begin = entry.header + LocalBytes +
                              numberAt<std::uint16_t>({local, LocalBytes}, 26) +
                              numberAt<std::uint16_t>({local, LocalBytes}, 28);
  if (!source.read(begin, entry.bytes, to))
    return fault(name, " is longer than what the file has for it");
  if (crcOf(static_cast<const unsigned char *>(to), entry.bytes) != entry.crc)
    return fault(name, ": CRC error");
  return {};
}
