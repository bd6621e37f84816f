//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What LLVM's static libraries ask the C library for that those before 2.36 do
/// not have, so that one binary serves them, too.
///
//===----------------------------------------------------------------------===//
#include <cerrno>
#include <cstdint>

#include <sys/random.h>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() {
  std::uint32_t number = 0;
  // Names of temporary files are made of it, which are tried until one is new.
  while (getrandom(&number, sizeof number, 0) < 0 && errno == EINTR) {
  }
  return number;
}
