//===- kexpr-c/Operators.h - The operator table, for C ----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_OPERATORS_H
#define KEXPR_C_OPERATORS_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One operator. All text lives as long as the process.
typedef struct kexpr_operator {
  const char *name;
  const char *aliases; ///< Other spellings, parted by blanks; often "".
  const char *doc;     ///< The meaning as a formula over x, y, z.
  const char *types;   ///< "float", "numeric", "integral"...
  uint32_t arity;
  uint32_t overload_arity; ///< A second one (`add(x,y,alpha)`); 0 if none.
  /// Largest errors in units in the last place, 0.5 is correctly rounded: in
  /// f32, in f32 at KEXPR_PRECISION_ACCURATE, and in f64; infinite where terms
  /// may cancel.
  double max_ulp, max_ulp_accurate, max_ulp_f64;
  uint32_t operations; ///< Primitive ones of one f32 element.
  bool pnnx;           ///< Whether PNNX writes it in expression strings.
  double max_ulp_fast; ///< Largest error in f32 at KEXPR_PRECISION_FAST.
  uint32_t defaults;   ///< How many of the last arguments may be left out.
} kexpr_operator;

/// How many there are.
KEXPR_API size_t kexpr_operator_count(void);
/// Those of docs/operators.md, in its order; NULL past the last.
KEXPR_API const kexpr_operator *kexpr_operator_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_OPERATORS_H
