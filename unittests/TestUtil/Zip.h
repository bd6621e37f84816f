//===- TestUtil/Zip.h - Zip archives byte by byte -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_ZIP_H
#define KEXPR_TESTUTIL_ZIP_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::test {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// `count` bytes of a number, the lowest first.
inline std::string littleEndian(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += static_cast<char>(number >> 8 * i);
  return bytes;
}

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/// Archives as PNNX writes them: stored, no data descriptors. Since 2024 all
/// sizes and offsets are in zip64's fields, before that in those of old.
class ZipWriter {
public:
  explicit ZipWriter(bool zip64) : zip64(zip64) {}

  std::string write(const std::vector<ZipEntry> &entries) {
    for (const ZipEntry &entry : entries)
      add(entry);
    return bytes + directory + end(entries.size());
  }

private:
  /// What stands for a number that is said elsewhere.
  std::string field(std::uint64_t number, int count) const {
    return littleEndian(zip64 ? ~std::uint64_t{0} : number, count);
  }

  void add(const ZipEntry &entry) {
    const std::uint64_t size = entry.bytes.size(), offset = bytes.size();
    const std::string common =
        std::string(8, '\0') + littleEndian(crc32(entry.bytes), 4) +
        field(size, 4) + field(size, 4) + littleEndian(entry.name.size(), 2) +
        littleEndian(zip64 ? 32 : 0, 2);
    const std::string extra =
        zip64 ? littleEndian(1, 2) + littleEndian(28, 2) +
                    littleEndian(size, 8) + littleEndian(size, 8) +
                    littleEndian(offset, 8) + littleEndian(0, 4)
              : "";
    bytes += "PK\3\4" + std::string(2, '\0') + common + entry.name + extra +
             entry.bytes;
    directory += "PK\1\2" + std::string(4, '\0') + common + littleEndian(0, 2) +
                 field(0, 2) + std::string(6, '\0') + field(offset, 4) +
                 entry.name + extra;
  }

  std::string end(std::uint64_t count) const {
    const std::uint64_t start = bytes.size(), size = directory.size();
    std::string end64;
    if (zip64)
      end64 = "PK\6\6" + littleEndian(44, 8) + std::string(12, '\0') +
              littleEndian(count, 8) + littleEndian(count, 8) +
              littleEndian(size, 8) + littleEndian(start, 8) + "PK\6\7" +
              littleEndian(0, 4) + littleEndian(start + size, 8) +
              littleEndian(1, 4);
    return end64 + "PK\5\6" + field(0, 2) + field(0, 2) + field(count, 2) +
           field(count, 2) + field(size, 4) + field(start, 4) +
           littleEndian(0, 2);
  }

  const bool zip64;
  std::string bytes, directory;
};

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_ZIP_H
