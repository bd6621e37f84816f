//===- Semantics/Numpy.h - NumPy's rules of types -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_NUMPY_H
#define KEXPR_SEMANTICS_NUMPY_H

#include "Semantics/Promotion.h"

namespace kexpr::semantics::numpy {

/// The type that two arrays promote to; every two have one.
DType promote(DType a, DType b);
/// The type that arguments promote to by NEP 50. Those of weight Number are
/// Python's: Bool, I64 or F64. Other weights make no difference.
ArgumentType resultType(std::span<const ArgumentType> arguments);
/// The type that a function of floating point, as `sin`, computes in.
DType floatType(std::span<const ArgumentType> arguments);

} // namespace kexpr::semantics::numpy

#endif // KEXPR_SEMANTICS_NUMPY_H
