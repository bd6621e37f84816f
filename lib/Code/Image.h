//===- Code/Image.h - Machine code as bytes -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_IMAGE_H
#define KEXPR_CODE_IMAGE_H

#include <cstddef>
#include <vector>

namespace kexpr::code {

/// One function with its constants, linked, as bytes that run wherever they
/// lie: what they refer to is in them, at a distance. So an image can be kept
/// in a file, and loading it is copying it.
struct Image {
  std::vector<char> bytes;
  /// A power of two, at most a page.
  std::size_t alignment = 1;
  /// Where in `bytes` the function starts.
  std::size_t entry = 0;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_IMAGE_H
