//===- Common/Operand.h - Operands as command lines write them ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_COMMON_OPERAND_H
#define KEXPR_TOOLS_COMMON_OPERAND_H

#include "Common/Array.h"
#include "Support/Text.h"

#include <string_view>

namespace kexpr::tools {

/// An element type and a shape, written `f32[3,224,224]`; `f32` and `f32[]`
/// are scalars.
struct TypedShape {
  DType type = DType::F32;
  Shape shape;
};
Expected<TypedShape> parseTypedShape(std::string_view text);

/// Extents between `separator`s: `3,224,224` or `3x224x224`. Empty text is
/// rank 0.
Expected<Shape> parseExtents(std::string_view text, char separator);

/// The array that operand text stands for; other text is the path of a .npy
/// file. Errors: InvalidArgument, OutOfMemory, and those of `readNpy`.
///
///   full:VALUE:TYPE[SHAPE]   VALUE everywhere
///   arange:TYPE[SHAPE]       0, 1, 2...
///   rand:SEED:TYPE[SHAPE]    standard normal, the same on every machine
Expected<Array> makeOperand(std::string_view text);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_OPERAND_H
