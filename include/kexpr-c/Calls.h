//===- kexpr-c/Calls.h - Calls checked once, for C --------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_CALLS_H
#define KEXPR_C_CALLS_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A call of `kexpr_kernel_run` that was checked once and runs at no cost but
/// the loop's. The tensors' memory, not `inputs` itself, must be there when it
/// runs. Two threads must not run one at once: both would write the outputs.
typedef struct kexpr_bound kexpr_bound;
KEXPR_API kexpr_code kexpr_kernel_bind(
    const kexpr_kernel *kernel, const kexpr_tensor *inputs, size_t input_count,
    const kexpr_tensor *outputs, size_t output_count,
    const kexpr_run_options *options, kexpr_bound **bound, kexpr_error **error);
KEXPR_API kexpr_code kexpr_bound_run(const kexpr_bound *bound,
                                     kexpr_error **error);
KEXPR_API void kexpr_bound_free(kexpr_bound *bound);

/// A call whose shapes, strides and types were checked once, and whose memory
/// comes with each run. `data` of the tensors is not looked at.
typedef struct kexpr_prepared kexpr_prepared;
KEXPR_API kexpr_code
kexpr_kernel_prepare(const kexpr_kernel *kernel, const kexpr_tensor *inputs,
                     size_t input_count, const kexpr_tensor *outputs,
                     size_t output_count, const kexpr_run_options *options,
                     kexpr_prepared **prepared, kexpr_error **error);
/// `inputs[k]` is where `@k` begins; what the call has no use for may be NULL.
/// Null pointers and overlap are errors, with nothing written.
KEXPR_API kexpr_code kexpr_prepared_run(const kexpr_prepared *prepared,
                                        const void *const *inputs,
                                        size_t input_count,
                                        void *const *outputs,
                                        size_t output_count,
                                        kexpr_error **error);
KEXPR_API void kexpr_prepared_free(kexpr_prepared *prepared);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_CALLS_H
