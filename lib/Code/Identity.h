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
#include <string_view>

namespace kexpr::code {

/// This build of kexpr: version, sources, compiler and flags, LLVM's version.
/// Equal texts mean equal code generators, as far as they are ours.
const std::string &buildId();

/// The sources of kexpr alone: a build for another machine, or without LLVM,
/// has the same where plans, and what code is handed, are the same.
const std::string &sourceId();

/// This machine as far as code that is generated for it depends on it: the
/// architecture and what the processor says about itself, word by word, the
/// same from run to run. Found without LLVM.
const std::string &hostId();

/// The models of processor that an Arm system's /proc/cpuinfo tells of, each
/// once, whatever the number and the order of the cores.
std::string modelsIn(std::string_view cpuinfo);

/// A file as it was. One that the linker gave a build id is known by that
/// alone, wherever and whenever it was installed; of any other, another time or
/// size means other contents.
struct FileStamp {
  std::string path;
  std::int64_t size = 0;
  std::int64_t modified = 0; ///< In nanoseconds.
  std::string build = {};    ///< The bytes of the build id; empty without.
  bool isThere = false;      ///< Whether `of` found the file.

  /// Nothing but the path for a file that is not there.
  static FileStamp of(std::string path);
  /// Whether the file is there and is another one now.
  bool isStale() const;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_IDENTITY_H
