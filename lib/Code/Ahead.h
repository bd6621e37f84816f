//===- Code/Ahead.h - Code made before it is needed -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_AHEAD_H
#define KEXPR_CODE_AHEAD_H

#include "Code/DiskCache.h"

namespace kexpr::code {

/// A kind of machine that code was made for, without what only LLVM knows.
struct AheadTarget {
  std::string architecture; ///< `X86` or `Arm`.
  /// The widths of vectors in bits: of short loops, of long ones, and of short
  /// ones that convert what they read.
  unsigned vectorBits = 0, heavyVectorBits = 0, convertingVectorBits = 0;
  /// What vectors of any length must have, for code that uses such; else 0.
  unsigned scalableBits = 0;
  /// What a machine must have to run the code, as `featuresOf` orders it.
  std::vector<std::string> features = {};
  /// The model that it runs fastest on; one word.
  std::string cpu = {};

  /// "aarch64 128,128,128,0 neon,crc cortex-a53"
  std::string str() const;
  /// None for a text that `str` does not write.
  static std::optional<AheadTarget> parse(std::string_view text);
  /// Success, or what this machine lacks.
  Status runsHere() const;
};

/// Code made ahead of time, in a directory that may have it for several kinds
/// of machine, and a cache of images besides: the file `targets` lists them, a
/// line each. An entry is known by its plan, its target and the sources of
/// kexpr, and not by the build: the one that made it has LLVM. The same
/// directory serves any number of processes, and any number of writers.
class AheadCache {
public:
  /// What the directory has for this machine, most features first. Null if no
  /// code was made for any. An error for code that this machine, or this
  /// version, can use none of.
  static Expected<std::unique_ptr<const AheadCache>>
  open(const std::shared_ptr<const Directory> &directory);
  /// To write code for one target, which the list gets if it lacks it. Errors:
  /// Io.
  static Expected<std::unique_ptr<const AheadCache>>
  create(const std::shared_ptr<const Directory> &directory,
         const AheadTarget &target);

  std::optional<Image> find(std::string_view planKey) const;
  /// Bytes written. Errors: Io, LimitExceeded.
  Expected<std::size_t> store(std::string_view planKey,
                              const Image &image) const;
  DiskCache::Counts counts() const;

private:
  AheadCache(const std::shared_ptr<const Directory> &directory,
             std::vector<std::string> targets)
      : cache(directory, "ahead-"), targets(std::move(targets)) {}

  const DiskCache cache;
  const std::vector<std::string> targets;
  mutable std::atomic<std::uint64_t> hits = 0, misses = 0;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_AHEAD_H
