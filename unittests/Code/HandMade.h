//===- Code/HandMade.h - Machine code without a compiler ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODE_HANDMADE_H
#define KEXPR_UNITTESTS_CODE_HANDMADE_H

#include "Code/CodeMemory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace kexpr::test {

#if defined(__x86_64__)
inline constexpr bool HasHandMadeCode = true;
#else
inline constexpr bool HasHandMadeCode = false;
#endif

/// Leaves a test that runs code where none was written by hand.
#define KEXPR_NEEDS_HAND_MADE_CODE()                                           \
  if (!kexpr::test::HasHandMadeCode)                                           \
  GTEST_SKIP() << "the machine code here is that of x86-64"

/// Bytes of `mov eax, value; ret`.
inline constexpr std::size_t ReturningBytes = 6;

/// A function that returns `value`, at the end of an image of `bytes` bytes.
inline code::Image returning(std::int32_t value,
                             std::size_t bytes = ReturningBytes) {
  code::Image image;
  image.bytes.assign(bytes, '\xcc');
  image.entry = bytes - ReturningBytes;
  char *code = image.bytes.data() + image.entry;
  code[0] = '\xb8';
  std::memcpy(code + 1, &value, sizeof value);
  code[5] = '\xc3';
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
