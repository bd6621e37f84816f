//===- Pnnx/ShapeText.h - "(1,?,224)f32" ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_SHAPETEXT_H
#define KEXPR_PNNX_SHAPETEXT_H

#include "kexpr/Tensor.h"

#include <optional>

namespace kexpr::pnnx {

/// Extents and element type as PNNX writes them.
struct ShapeText {
  Shape shape; ///< -1 where the file says `?` or the name of an extent.
  std::optional<DType> type; ///< Empty for null, complex numbers and no text.
};

/// Errors are InvalidSyntax without a place.
Expected<ShapeText> readShape(std::string_view text);

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_SHAPETEXT_H
