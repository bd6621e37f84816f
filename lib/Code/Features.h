//===- Code/Features.h - Instruction sets that code may need --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_FEATURES_H
#define KEXPR_CODE_FEATURES_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::code {

/// The architectures there are code for, as triples begin.
inline constexpr std::string_view X86 = "x86_64", Arm = "aarch64";

/// That of this process; empty for one that there is no code for.
std::string_view ownArchitecture();

/// An extension that code for a kernel may use, under LLVM's name. A CPU has
/// others, for operating systems and cryptography, that its host may well hide.
struct Feature {
  std::string_view name;
  /// Where the processor, or on Arm the system, tells of it: a word of those
  /// that Features.cpp reads, and the bit in it.
  std::uint8_t word, bit;
};

/// Those of an architecture; none for others.
std::span<const Feature> featuresOf(std::string_view architecture);

/// The first of these that this machine lacks, which may also be one that the
/// table does not have; empty if there is none.
std::string_view missingHere(std::span<const std::string> features);

/// Those of a list that this machine has.
std::vector<std::string> presentHere(std::span<const Feature> features);

/// Bits of the calling thread's vectors of no fixed length, which on Arm a
/// system chooses for its processes (SVE); 0 for a machine without.
unsigned scalableBitsHere();

} // namespace kexpr::code

#endif // KEXPR_CODE_FEATURES_H
