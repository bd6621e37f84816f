//===- kexpr-c/Inspect.h - What was done, for C -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_INSPECT_H
#define KEXPR_C_INSPECT_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an engine has done so far.
typedef struct kexpr_stats {
  size_t size;
  uint64_t hits, misses;                  ///< Of the cache of kernels.
  uint64_t compiled;                      ///< Loops turned into machine code.
  uint64_t baseline_loops, baseline_ns;   ///< The same by tier, and the time
  uint64_t optimized_loops, optimized_ns; ///< from graph to address.
  uint64_t failed;    ///< Loops the background could not compile.
  uint64_t shared;    ///< Loops that a new kernel shares with another.
  uint64_t evictions; ///< Kernels that made room for others.
  uint64_t kernels, code_bytes; ///< In the cache now.
  uint64_t disk_hits, disk_misses, disk_stored, disk_failed;
  uint64_t limited; ///< Loops too long for the last tier of their mode.
  uint64_t bytes;   ///< All that the kernels keep.
} kexpr_stats;
/// `stats->size` must be set.
KEXPR_API kexpr_code kexpr_engine_get_stats(const kexpr_engine *engine,
                                            kexpr_stats *stats,
                                            kexpr_error **error);
/// The CPU that code is generated for, and the width of its vectors; "" and 0
/// where kernels are interpreted.
KEXPR_API const char *kexpr_engine_target_cpu(const kexpr_engine *engine);
KEXPR_API uint32_t kexpr_engine_vector_bits(const kexpr_engine *engine);

enum { ///< Who sees kernels by name, for kexpr_engine_options.listeners. The
       ///< environment variable KEXPR_LISTENERS adds to them.
  KEXPR_LISTENER_PERF_MAP = 1, ///< /tmp/perf-PID.map, for `perf report`.
  KEXPR_LISTENER_JITDUMP = 2,  ///< jit-PID.dump, for `perf inject --jit`.
  KEXPR_LISTENER_GDB = 4,      ///< GDB's and LLDB's interface.
  KEXPR_LISTENER_VTUNE = 8     ///< Programs that VTune starts.
};
/// KEXPR_OK, or the first error of a listener.
KEXPR_API kexpr_code kexpr_engine_listener_status(const kexpr_engine *engine,
                                                  kexpr_error **error);
/// KEXPR_OK, or why the directory for dumps is not used, or which file of the
/// last loop could not be written there; and which word of `log` names no
/// event.
KEXPR_API kexpr_code kexpr_engine_dump_status(const kexpr_engine *engine,
                                              kexpr_error **error);
KEXPR_API kexpr_code kexpr_engine_log_status(const kexpr_engine *engine,
                                             kexpr_error **error);

enum { ///< What runs a kernel.
  KEXPR_TIER_INTERPRETER = 0,
  KEXPR_TIER_BASELINE = 1,
  KEXPR_TIER_OPTIMIZED = 2
};
/// "interpreter", "baseline", "optimized"; "?" for what is no tier.
KEXPR_API const char *kexpr_tier_name(int32_t tier);

/// What runs contiguous calls now.
KEXPR_API int32_t kexpr_kernel_tier(const kexpr_kernel *kernel);
/// KEXPR_PRECISION_DEFAULT...
KEXPR_API int32_t kexpr_kernel_precision(const kexpr_kernel *kernel);
/// Where the code of contiguous calls starts; NULL while interpreted.
KEXPR_API const void *kexpr_kernel_code_address(const kexpr_kernel *kernel);
/// Bits of the vectors that contiguous calls compute in, of several loops those
/// of the first; 0 while interpreted.
KEXPR_API uint32_t kexpr_kernel_vector_bits(const kexpr_kernel *kernel);
/// Bytes of machine code and constants so far.
KEXPR_API size_t kexpr_kernel_code_size(const kexpr_kernel *kernel);
/// Primitive operations of one element, those that are done once a row of a
/// reduction not among them.
KEXPR_API uint32_t
kexpr_kernel_operations_per_element(const kexpr_kernel *kernel);

/// Where the time of a compilation went, in nanoseconds; 0 is not needed.
typedef struct kexpr_compile_times {
  size_t size;
  uint64_t parse_ns;   ///< Text to tree.
  uint64_t plan_ns;    ///< Tree to checked, simplified graph.
  uint64_t emit_ns;    ///< Graph to LLVM IR.
  uint64_t codegen_ns; ///< LLVM IR to object code.
  uint64_t link_ns;    ///< Object code to address, or reading it from disk.
} kexpr_compile_times;
/// Of the contiguous case. `times->size` must be set.
KEXPR_API kexpr_code kexpr_kernel_get_compile_times(const kexpr_kernel *kernel,
                                                    kexpr_compile_times *times,
                                                    kexpr_error **error);

enum {                    ///< What an expression is on its way to machine code.
  KEXPR_STAGE_TOKENS = 0, ///< The words of the text and their ranges.
  KEXPR_STAGE_AST = 1,    ///< The tree.
  KEXPR_STAGE_RPN = 2,    ///< The reverse Polish order.
  KEXPR_STAGE_GRAPH = 3,  ///< The checked, simplified graph.
  KEXPR_STAGE_DOT = 4,    ///< The same for Graphviz.
  KEXPR_STAGE_PLAN = 5,   ///< The graph and the access patterns of operands.
  KEXPR_STAGE_LLVM = 6,   ///< LLVM IR as it is emitted.
  KEXPR_STAGE_LLVM_OPT = 7, ///< LLVM IR as instruction selection gets it.
  KEXPR_STAGE_MIR = 8,      ///< LLVM's MIR text of the finished function.
  KEXPR_STAGE_ASM = 9,      ///< Assembly.
  KEXPR_STAGE_OBJ = 10,     ///< The bytes of an object file.
  KEXPR_STAGE_EXPLAIN = 11  ///< What LLVM predicts of the main loop.
};
/// "tokens", "llvm-opt"...; "?" for what is no stage.
KEXPR_API const char *kexpr_stage_name(int32_t stage);
KEXPR_API kexpr_code kexpr_stage_parse(const char *name, int32_t *stage,
                                       kexpr_error **error);

/// Bytes that the library made.
typedef struct kexpr_text kexpr_text;
KEXPR_API void kexpr_text_free(kexpr_text *text);
/// The bytes, with a NUL behind them; "" and 0 of NULL.
KEXPR_API const char *kexpr_text_data(const kexpr_text *text);
KEXPR_API size_t kexpr_text_size(const kexpr_text *text);

/// What the loop of contiguous calls is at a stage, the same from run to run.
/// KEXPR_UNSUPPORTED for code of a kernel that has none, being of
/// KEXPR_MODE_INTERPRET or too long for code.
KEXPR_API kexpr_code kexpr_kernel_dump(const kexpr_kernel *kernel,
                                       int32_t stage, kexpr_text **text,
                                       kexpr_error **error);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_INSPECT_H
