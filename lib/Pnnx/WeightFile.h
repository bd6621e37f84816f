//===- Pnnx/WeightFile.h - A .bin file ------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_WEIGHTFILE_H
#define KEXPR_PNNX_WEIGHTFILE_H

#include "kexpr/Error.h"
#include "kexpr/Span.h"

#include <cstdint>
#include <memory>
#include <string>

struct zip;
struct zip_source;

namespace kexpr::pnnx {

/// A zip archive of constants, open for reading. Errors name the file, and the
/// entry where it is about one; InvalidSyntax is what is wrong in the file.
class WeightFile {
public:
  static Expected<WeightFile> open(const std::string &path);
  /// The bytes must outlive the object; `name` stands for the file.
  static Expected<WeightFile> open(Span<const unsigned char> bytes,
                                   std::string_view name);

  /// The position of an entry that is as long as it must be. All that is found
  /// in a file, once each, is bounded by a multiple of the file's own size.
  Expected<std::uint64_t> find(const std::string &entry, std::uint64_t bytes);
  /// The whole of what was found. Checks its CRC.
  Status read(std::uint64_t position, const std::string &entry,
              unsigned char *to, std::uint64_t bytes) const;

private:
  struct Close {
    void operator()(zip *archive) const;
  };
  WeightFile(zip *archive, std::string_view name, std::uint64_t bytes)
      : archive(archive), name(name), unclaimed(bytes) {}
  static Expected<WeightFile> open(zip_source *source, std::string_view name);
  Error fault(const std::string &entry, const std::string &message) const;

  std::unique_ptr<zip, Close> archive;
  std::string name;
  /// Bytes of the file that belong to no entry found so far.
  std::uint64_t unclaimed;
};

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_WEIGHTFILE_H
