//===- kexpr-c/Expression.h - Texts that were parsed, for C -----*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_EXPRESSION_H
#define KEXPR_C_EXPRESSION_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a text may hold; numbers are the defaults.
struct kexpr_parse_limits {
  size_t size;
  size_t max_length;   ///< Bytes of text; 2^20.
  size_t max_depth;    ///< Nested calls and lists; 4096.
  size_t max_nodes;    ///< Nodes of the tree; 2^16.
  size_t max_operands; ///< Highest operand index + 1; 2^16.
  size_t max_literals; ///< Numbers, bools and Nones; 2^15.
};

/// A text that was parsed. Names are looked up when it is compiled.
KEXPR_API kexpr_code kexpr_expression_parse(const char *text,
                                            const kexpr_parse_limits *limits,
                                            kexpr_expression **expression,
                                            kexpr_error **error);
KEXPR_API void kexpr_expression_free(kexpr_expression *expression);
KEXPR_API const char *kexpr_expression_text(const kexpr_expression *expression);
/// Without blanks, each literal in its shortest spelling.
KEXPR_API const char *
kexpr_expression_canonical(const kexpr_expression *expression);
/// Highest operand index + 1: how many inputs a call must have.
KEXPR_API uint32_t
kexpr_expression_operand_count(const kexpr_expression *expression);
/// The indices that the text names, ascending, `*count` of them.
KEXPR_API const uint32_t *
kexpr_expression_used_operands(const kexpr_expression *expression,
                               size_t *count);

/// An expression that is built value by value, for hosts that have a graph: see
/// ExpressionBuilder.h. Values are numbers. A builder is for one thread at a
/// time.
typedef struct kexpr_expression_builder kexpr_expression_builder;
KEXPR_API kexpr_code kexpr_expression_builder_create(
    const kexpr_parse_limits *limits, kexpr_expression_builder **builder,
    kexpr_error **error);
KEXPR_API void kexpr_expression_builder_free(kexpr_expression_builder *builder);
KEXPR_API kexpr_code kexpr_expression_builder_operand(
    kexpr_expression_builder *builder, uint32_t index, uint32_t *value,
    kexpr_error **error);
KEXPR_API kexpr_code kexpr_expression_builder_integer(
    kexpr_expression_builder *builder, int64_t literal, uint32_t *value,
    kexpr_error **error);
KEXPR_API kexpr_code
kexpr_expression_builder_real(kexpr_expression_builder *builder, double literal,
                              uint32_t *value, kexpr_error **error);
KEXPR_API kexpr_code kexpr_expression_builder_boolean(
    kexpr_expression_builder *builder, bool literal, uint32_t *value,
    kexpr_error **error);
KEXPR_API kexpr_code kexpr_expression_builder_none(
    kexpr_expression_builder *builder, uint32_t *value, kexpr_error **error);
KEXPR_API kexpr_code kexpr_expression_builder_list(
    kexpr_expression_builder *builder, const uint32_t *elements, size_t count,
    uint32_t *value, kexpr_error **error);
KEXPR_API kexpr_code kexpr_expression_builder_call(
    kexpr_expression_builder *builder, const char *name,
    const uint32_t *arguments, size_t count, uint32_t *value,
    kexpr_error **error);
/// The expression of `count` outputs; the builder may go on.
KEXPR_API kexpr_code kexpr_expression_builder_finish(
    const kexpr_expression_builder *builder, const uint32_t *outputs,
    size_t count, kexpr_expression **expression, kexpr_error **error);

/// Whether an expression has no use for elements, such as
/// `[size(@0,0),-1,floor_divide(size(@0,2),2)]`.
KEXPR_API bool kexpr_expression_is_scalar(const kexpr_expression *expression);

/// What such an expression comes to: a Python value.
typedef struct kexpr_scalar kexpr_scalar;
enum {
  KEXPR_SCALAR_NONE = 0,
  KEXPR_SCALAR_BOOL = 1,
  KEXPR_SCALAR_INT = 2,
  KEXPR_SCALAR_FLOAT = 3,
  KEXPR_SCALAR_COMPLEX = 4,
  KEXPR_SCALAR_LIST = 5
};
/// Of `operands`, shapes are looked at and nothing else.
KEXPR_API kexpr_code kexpr_expression_evaluate(
    const kexpr_expression *expression, const kexpr_tensor *operands,
    size_t operand_count, kexpr_scalar **scalar, kexpr_error **error);
KEXPR_API void kexpr_scalar_free(kexpr_scalar *scalar);
KEXPR_API int32_t kexpr_scalar_kind(const kexpr_scalar *scalar);
/// An int, or a bool as 0 or 1; 0 for another kind.
KEXPR_API int64_t kexpr_scalar_int(const kexpr_scalar *scalar);
/// A float, or the real part of a complex number; 0 for another kind.
KEXPR_API double kexpr_scalar_float(const kexpr_scalar *scalar);
KEXPR_API double kexpr_scalar_imaginary(const kexpr_scalar *scalar);
/// Writes it as in an expression, "[1,-1,56]", "0.5", "None", and a NUL into
/// `room` bytes, cut if it is longer. Gives the whole length without the NUL;
/// `buffer` may be NULL if there is no room.
KEXPR_API size_t kexpr_scalar_write(const kexpr_scalar *scalar, char *buffer,
                                    size_t room);
/// The elements of a list; each lives as long as what `scalar` is part of.
KEXPR_API size_t kexpr_scalar_count(const kexpr_scalar *scalar);
KEXPR_API const kexpr_scalar *kexpr_scalar_at(const kexpr_scalar *scalar,
                                              size_t index);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_EXPRESSION_H
