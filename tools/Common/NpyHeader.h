//===- Common/NpyHeader.h - The header of a .npy file -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_COMMON_NPYHEADER_H
#define KEXPR_TOOLS_COMMON_NPYHEADER_H

#include "kexpr/Tensor.h"

#include <string>
#include <string_view>

namespace kexpr::tools {

/// What the header of a .npy file says.
struct NpyHeader {
  DType type = DType::F32;
  bool columnMajor = false;
  Shape shape;
};

/// Reads the dictionary literal of a header, its keys in any order. Errors:
/// Io for text that is no such literal, Unsupported for types and shapes that
/// kexpr has none of.
Expected<NpyHeader> parseNpyHeader(std::string_view text);

/// NumPy's name of an element type, "<f4"; empty for bf16.
std::string_view npyTypeName(DType type);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_NPYHEADER_H
