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

/// Description of an image's function for profilers and debuggers.
struct Symbols {
  /// Any text of one line.
  std::string name;
  /// Bytes of the function.
  std::size_t size = 0;
  /// The file with the text that source locations are in.
  std::string path;
  /// In ascending order of offsets.
  std::vector<CodeLocation> lines;
  /// The relocatable object file that the image was linked from, with its
  /// DWARF: name, lines, and how to unwind.
  std::vector<char> object;
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
  /// Null without listeners.
  std::shared_ptr<const Symbols> symbols = nullptr;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_IMAGE_H
