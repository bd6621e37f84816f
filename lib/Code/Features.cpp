//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Features.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

using namespace kexpr;
using namespace kexpr::code;

namespace {
/// The words of cpuid that tell of extensions.
enum X86Word : std::uint8_t {
  BasicC,
  ExtendedC,
  MoreB,
  MoreC,
  MoreD,
  NextA,
  NextD,
  X86Words
};
/// Those that Linux hands to a program.
enum ArmWord : std::uint8_t { Hwcap, Hwcap2, ArmWords };
} // namespace

// Intel's manual, volume 2, CPUID; AMD's, volume 3, appendix D.
static constexpr Feature X86Features[] = {{"sse3", BasicC, 0},
                                          {"ssse3", BasicC, 9},
                                          {"fma", BasicC, 12},
                                          {"sse4.1", BasicC, 19},
                                          {"sse4.2", BasicC, 20},
                                          {"movbe", BasicC, 22},
                                          {"popcnt", BasicC, 23},
                                          {"avx", BasicC, 28},
                                          {"f16c", BasicC, 29},
                                          {"lzcnt", ExtendedC, 5},
                                          {"sse4a", ExtendedC, 6},
                                          {"xop", ExtendedC, 11},
                                          {"fma4", ExtendedC, 16},
                                          {"tbm", ExtendedC, 21},
                                          {"bmi", MoreB, 3},
                                          {"avx2", MoreB, 5},
                                          {"bmi2", MoreB, 8},
                                          {"avx512f", MoreB, 16},
                                          {"avx512dq", MoreB, 17},
                                          {"avx512ifma", MoreB, 21},
                                          {"avx512cd", MoreB, 28},
                                          {"avx512bw", MoreB, 30},
                                          {"avx512vl", MoreB, 31},
                                          {"avx512vbmi", MoreC, 1},
                                          {"avx512vbmi2", MoreC, 6},
                                          {"gfni", MoreC, 8},
                                          {"avx512vnni", MoreC, 11},
                                          {"avx512bitalg", MoreC, 12},
                                          {"avx512vpopcntdq", MoreC, 14},
                                          {"avx512fp16", MoreD, 23},
                                          {"avxvnni", NextA, 4},
                                          {"avxifma", NextA, 23},
                                          {"avx512bf16", NextA, 5},
                                          {"avxvnniint8", NextD, 4},
                                          {"avxneconvert", NextD, 5},
                                          {"avxvnniint16", NextD, 10},
                                          {"egpr", NextD, 21},
                                          {"ndd", NextD, 21},
                                          {"ccmp", NextD, 21},
                                          {"nf", NextD, 21},
                                          {"ppx", NextD, 21},
                                          {"push2pop2", NextD, 21}};

// Linux, Documentation/arch/arm64/elf_hwcaps.rst.
static constexpr Feature ArmFeatures[] = {
    {"neon", Hwcap, 1},       {"crc", Hwcap, 7},      {"lse", Hwcap, 8},
    {"fullfp16", Hwcap, 10},  {"rdm", Hwcap, 12},     {"jsconv", Hwcap, 13},
    {"complxnum", Hwcap, 14}, {"sha3", Hwcap, 17},    {"dotprod", Hwcap, 20},
    {"sve", Hwcap, 22},       {"fp16fml", Hwcap, 23}, {"flagm", Hwcap, 27},
    {"sve2", Hwcap2, 1},      {"altnzcv", Hwcap2, 7}, {"fptoint", Hwcap2, 8},
    {"i8mm", Hwcap2, 13},     {"cssc", Hwcap2, 34},   {"sve2p1", Hwcap2, 36},
    {"mops", Hwcap2, 43}};

std::string_view code::ownArchitecture() {
#if defined(__x86_64__)
  return X86;
#elif defined(__aarch64__)
  return Arm;
#else
  return {};
#endif
}

std::span<const Feature> code::featuresOf(std::string_view architecture) {
  if (architecture == X86)
    return X86Features;
  if (architecture == Arm)
    return ArmFeatures;
  return {};
}

#if defined(__x86_64__)
using Words = std::array<std::uint64_t, X86Words>;

/// Bits of features whose registers the system does not save.
static void clearUnsaved(Words &words, unsigned osxsave) {
  unsigned low = 0, high = 0;
  if (osxsave)
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned avxState = 0x6, avx512State = 0xe6, apxState = 1u << 19;
  const auto clear = [&](std::string_view first, bool isSaved) {
    for (const Feature &feature : X86Features)
      if (!isSaved && feature.name.starts_with(first))
        words[feature.word] &= ~(std::uint64_t{1} << feature.bit);
  };
  for (std::string_view first : {"avx", "fma", "f16c", "xop"})
    clear(first, (low & avxState) == avxState);
  clear("avx512", (low & avx512State) == avx512State);
  for (std::string_view first : {"egpr", "ndd", "ccmp", "nf", "ppx", "push2"})
    clear(first, low & apxState);
}

static Words wordsHere() {
  Words words = {};
  unsigned a = 0, b = 0, c = 0, d = 0, osxsave = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    words[BasicC] = c;
    osxsave = c & bit_OSXSAVE;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d))
    words[ExtendedC] = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words[MoreB] = b;
    words[MoreC] = c;
    words[MoreD] = d;
    if (a > 0 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
      words[NextA] = a;
      words[NextD] = d;
    }
  }
  clearUnsaved(words, osxsave);
  return words;
}
#elif defined(__aarch64__)
static std::array<std::uint64_t, ArmWords> wordsHere() {
  return {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
}
#else
static std::array<std::uint64_t, 1> wordsHere() { return {}; }
#endif

std::vector<std::string> code::presentHere(std::span<const Feature> features) {
  const auto words = wordsHere();
  std::vector<std::string> names;
  for (const Feature &feature : features)
    if (words[feature.word] >> feature.bit & 1)
      names.emplace_back(feature.name);
  return names;
}

unsigned code::scalableBitsHere() {
#if defined(__aarch64__)
  constexpr int getVectorLength = 51; // PR_SVE_GET_VL
  constexpr int lengthMask = 0xffff;  // In bytes.
  const int length = prctl(getVectorLength);
  return length < 0 ? 0 : 8 * static_cast<unsigned>(length & lengthMask);
#else
  return 0;
#endif
}

std::string_view code::missingHere(std::span<const std::string> features) {
  const auto words = wordsHere();
  const auto known = featuresOf(ownArchitecture());
  for (const std::string &name : features) {
    const auto found = std::ranges::find(known, name, &Feature::name);
    if (found == known.end() || !(words[found->word] >> found->bit & 1))
      return name;
  }
  return {};
}
