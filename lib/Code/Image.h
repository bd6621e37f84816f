//===- Code/Image.h - Machine code as bytes -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_IMAGE_H
#define KEXPR_CODE_IMAGE_H

#include "Support/SourceLocation.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kexpr::code {

/// From a byte of an image on, up to the next entry, code is of a place.
struct LineEntry {
  std::uint32_t offset = 0;
  SourceLocation location;
};

/// What profilers and debuggers may know of an image.
struct Symbols {
  /// The name of the function: any text of one line.
  std::string name;
  /// Bytes of the function, from the image's entry.
  std::size_t size = 0;
  /// The text that places are in, and the file that debuggers look for it in.
  std::string listing, path;
  /// In ascending order.
  std::vector<LineEntry> lines;
  /// DWARF's `.debug_frame` of the function as if it were at address 0.
  std::vector<char> frames;
};

/// One function with its constants, linked, as bytes that run wherever they
/// lie: what they refer to is in them, at a distance. So an image can be kept
/// in a file, and loading it is copying it.
struct Image {
  std::vector<char> bytes;
  /// A power of two, at most a page.
  std::size_t alignment = 1;
  /// Where in `bytes` the function starts.
  std::size_t entry = 0;
  /// Null where nobody asked for it.
  std::shared_ptr<const Symbols> symbols = nullptr;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_IMAGE_H
