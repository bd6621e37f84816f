//===- Common/Npy.h - NumPy's .npy files ---------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes format versions 1 to 3 of
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
///
/// No library in reach is fit for files from strangers: cnpy asserts, and
/// xtensor's reader takes `back()` of empty strings, recurses over the header
/// with std::regex and allocates whatever the header claims.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_COMMON_NPY_H
#define KEXPR_TOOLS_COMMON_NPY_H

#include "Common/Array.h"
#include "kexpr/Tensor.h"

#include <istream>
#include <string>
#include <string_view>

namespace kexpr::tools {

/// The header of a .npy file.
struct NpyHeader {
  DType type = DType::F32;
  bool columnMajor = false;
  Shape shape;
};

/// Reads the dictionary literal of a header, its keys in any order. Errors:
/// Io for other text, Unsupported for types and shapes that kexpr lacks.
Expected<NpyHeader> parseNpyHeader(std::string_view text);

/// NumPy's name of an element type, "<f4"; empty for bf16.
std::string_view npyTypeName(DType type);

/// Reads an array of little-endian bool, integers or floats, in either memory
/// order. Memory is allocated as bytes arrive, so a header cannot claim more
/// than the file has. Errors, which name the file: Io, Unsupported,
/// OutOfMemory.
Expected<Array> readNpy(const std::string &path);
/// The same from a stream; errors do not name it.
Expected<Array> readNpy(std::istream &file);

/// Writes a row-major array. Errors: Io, and Unsupported for bf16, which NumPy
/// does not have.
Status writeNpy(const std::string &path, const Array &array);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_NPY_H
