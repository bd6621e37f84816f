//===- kexpr-c/Sums.h - Sums of parts, for C --------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_SUMS_H
#define KEXPR_C_SUMS_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the sums and means of a kernel are of some of their elements, exactly:
/// merged with the states of the other elements, in any order, it gives the
/// bits that one call over all of them gives. Two threads must not merge into
/// one at once.
typedef struct kexpr_sum_state kexpr_sum_state;
/// Of a kernel of KEXPR_PRECISION_ACCURATE whose outputs are sums and means of
/// floating point themselves; KEXPR_UNSUPPORTED for another, with the range of
/// the output that has no state.
KEXPR_API kexpr_code kexpr_kernel_sum_state(const kexpr_kernel *kernel,
                                            const kexpr_tensor *inputs,
                                            size_t input_count,
                                            const kexpr_run_options *options,
                                            kexpr_sum_state **state,
                                            kexpr_error **error);
/// Reads what `kexpr_sum_state_bytes` gave, on any machine. Bytes that are
/// damaged, cut off, or no state are KEXPR_INVALID_ARGUMENT, those of a later
/// version KEXPR_UNSUPPORTED.
KEXPR_API kexpr_code kexpr_sum_state_parse(const void *bytes, size_t size,
                                           kexpr_sum_state **state,
                                           kexpr_error **error);
typedef struct kexpr_text kexpr_text; ///< See Inspect.h.
/// The state as bytes; equal sums have equal ones.
KEXPR_API kexpr_code kexpr_sum_state_bytes(const kexpr_sum_state *state,
                                           kexpr_text **bytes,
                                           kexpr_error **error);
/// Adds what another state holds to `state`; after an error, nothing. Both have
/// results of the same number, kinds, types and shapes.
KEXPR_API kexpr_code kexpr_sum_state_merge(kexpr_sum_state *state,
                                           const kexpr_sum_state *other,
                                           kexpr_error **error);
/// Rounds each result, once, and writes it to outputs such as the kernel has.
KEXPR_API kexpr_code kexpr_sum_state_finish(const kexpr_sum_state *state,
                                            const kexpr_tensor *outputs,
                                            size_t output_count,
                                            kexpr_error **error);
KEXPR_API size_t kexpr_sum_state_output_count(const kexpr_sum_state *state);
KEXPR_API kexpr_dtype kexpr_sum_state_output_type(const kexpr_sum_state *state,
                                                  size_t index);
/// `shape` has room for KEXPR_MAX_RANK extents.
KEXPR_API kexpr_code kexpr_sum_state_output_shape(const kexpr_sum_state *state,
                                                  size_t index, int64_t *shape,
                                                  uint32_t *rank,
                                                  kexpr_error **error);
KEXPR_API void kexpr_sum_state_free(kexpr_sum_state *state);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_SUMS_H
