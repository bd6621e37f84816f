//===- Code/Identity.h - What machine code depends on ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_IDENTITY_H
#define KEXPR_CODE_IDENTITY_H

#include <cstdint>
#include <string>

namespace kexpr::code {

/// This build of kexpr: version, sources, compiler and flags, LLVM's version.
/// Equal texts mean equal code generators, as far as they are ours.
const std::string &buildId();

/// This machine as far as code that is generated for it depends on it: the
/// architecture and what the processor says about itself, word by word, the
/// same from run to run. Found without LLVM.
const std::string &hostId();

/// A file as it was; another time or size means other contents.
struct FileStamp {
  std::string path;
  std::int64_t size = 0;
  std::int64_t modified = 0; ///< In nanoseconds.

  /// All 0 but the path for a file that is not there.
  static FileStamp of(std::string path);
  /// Whether the file is there and is another one now.
  bool isStale() const;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_IDENTITY_H
