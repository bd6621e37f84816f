//===- kexpr-c/Infix.h - Expressions in Python's notation, for C *- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `a*x + b`: see docs/infix.md. To compile such a text, set `syntax` in
/// kexpr_compile_options; what is here reads one without an engine.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_INFIX_H
#define KEXPR_C_INFIX_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {                    ///< What a text is written in.
  KEXPR_SYNTAX_PNNX = 0,  ///< `add(mul(@0,@1),2)`.
  KEXPR_SYNTAX_INFIX = 1, ///< `a*x + b`.
};
enum {                         ///< Whose rules types follow.
  KEXPR_SEMANTICS_DEFAULT = 0, ///< PyTorch's for PNNX, NumPy's for infix.
  KEXPR_SEMANTICS_TORCH = 1,
  KEXPR_SEMANTICS_NUMPY = 2,
};
enum { ///< What an operand is to promotion.
  KEXPR_OPERAND_TENSOR = 0,
  KEXPR_OPERAND_ZERO_DIM = 1,
  KEXPR_OPERAND_NUMBER = 2, ///< A Python number: bool, i64 or f64.
};

typedef struct kexpr_infix_operand {
  kexpr_dtype type;
  int32_t kind; ///< KEXPR_OPERAND_TENSOR...
} kexpr_infix_operand;

/// A text that was read, before there are types.
typedef struct kexpr_infix kexpr_infix;
/// `names` are those of the operands, `name_count` of them; without names, the
/// operands are the names of the text as they appear.
KEXPR_API kexpr_code kexpr_infix_parse(const char *text,
                                       const kexpr_parse_limits *limits,
                                       const char *const *names,
                                       size_t name_count, kexpr_infix **program,
                                       kexpr_error **error);
KEXPR_API void kexpr_infix_free(kexpr_infix *program);
KEXPR_API const char *kexpr_infix_text(const kexpr_infix *program);
KEXPR_API size_t kexpr_infix_operand_count(const kexpr_infix *program);
/// The name of an operand; "" past the last.
KEXPR_API const char *kexpr_infix_operand_name(const kexpr_infix *program,
                                               size_t index);
KEXPR_API size_t kexpr_infix_output_count(const kexpr_infix *program);
/// Whether results were written as a list.
KEXPR_API bool kexpr_infix_is_list(const kexpr_infix *program);
/// The expression of the program for these operands; those past the end are
/// tensors of f32. All conversions are written out as casts.
KEXPR_API kexpr_code kexpr_infix_lower(const kexpr_infix *program,
                                       const kexpr_infix_operand *operands,
                                       size_t operand_count, int32_t semantics,
                                       kexpr_expression **expression,
                                       kexpr_error **error);
/// The integers, `least[i]` to `greatest[i]`, that operand i may be where it is
/// a Python number: those of every integer type that the expression casts it
/// to. Others are wrapped. Both arrays have kexpr_infix_operand_count elements.
KEXPR_API kexpr_code kexpr_infix_number_ranges(
    const kexpr_infix *program, const kexpr_infix_operand *operands,
    size_t operand_count, int32_t semantics, int64_t *least, int64_t *greatest,
    kexpr_error **error);
/// What compiling or calling that expression said, as an error of the text:
/// operands have their names, and a range is one in it. Errors of anything else
/// come out as they are. Gives the code of `*placed`, which the caller frees;
/// `operands` and `semantics` are those of `kexpr_infix_lower`.
KEXPR_API kexpr_code kexpr_infix_place(const kexpr_infix *program,
                                       const kexpr_error *error,
                                       const kexpr_infix_operand *operands,
                                       size_t operand_count, int32_t semantics,
                                       kexpr_error **placed);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_INFIX_H
