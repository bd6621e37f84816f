//===- Code/HandMade.h - Machine code without a compiler ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODE_HANDMADE_H
#define KEXPR_UNITTESTS_CODE_HANDMADE_H

#include "Code/CodeMemory.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include <unistd.h>

namespace kexpr::test {

/// Images have pages of their own, or share them.
inline const std::size_t Page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
inline constexpr std::size_t Shared = 256;

/// Bytes of a function that returns a number, and what its place divides by.
#if defined(__x86_64__)
inline constexpr bool HasHandMadeCode = true;
inline constexpr std::size_t ReturningBytes = 6, CodeAlignment = 1;
#elif defined(__aarch64__)
inline constexpr bool HasHandMadeCode = true;
inline constexpr std::size_t ReturningBytes = 12, CodeAlignment = 4;
#else
inline constexpr bool HasHandMadeCode = false;
inline constexpr std::size_t ReturningBytes = 1, CodeAlignment = 1;
#endif

/// Leaves a test that runs code where none was written by hand.
#define KEXPR_NEEDS_HAND_MADE_CODE()                                           \
  if (!kexpr::test::HasHandMadeCode)                                           \
  GTEST_SKIP() << kexpr::test::skips::NoHandMadeCode

/// A function's size and name as profilers write them.
inline std::string sized(const std::string &name) {
  return (ReturningBytes == 6 ? " 6 " : " c ") + name;
}

/// A function that returns `value`, at the end of an image of `bytes` bytes.
inline code::Image returning(std::int32_t value,
                             std::size_t bytes = ReturningBytes) {
  code::Image image;
  image.bytes.assign(bytes, '\xcc');
  image.entry = (bytes - ReturningBytes) / CodeAlignment * CodeAlignment;
  [[maybe_unused]] char *code = image.bytes.data() + image.entry;
#if defined(__x86_64__)
  // mov eax, value; ret
  code[0] = '\xb8';
  std::memcpy(code + 1, &value, sizeof value);
  code[5] = '\xc3';
#elif defined(__aarch64__)
  // movz w0, its lower half; movk w0, its upper half, lsl 16; ret
  const auto number = static_cast<std::uint32_t>(value);
  const std::uint32_t words[] = {0x52800000 | (number & 0xffff) << 5,
                                 0x72a00000 | (number >> 16) << 5, 0xd65f03c0};
  std::memcpy(code, words, sizeof words);
#endif
  return image;
}

inline std::int32_t call(const code::LoadedCode &code) {
  return reinterpret_cast<std::int32_t (*)()>(code.address())();
}

/// `bytes` bytes that nobody runs.
inline code::Image filled(char byte, std::size_t bytes) {
  code::Image image;
  image.bytes.assign(bytes, byte);
  return image;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODE_HANDMADE_H
