//===- kexpr-c/kexpr.h - The library for C ----------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An engine turns an expression string of PNNX, `add(mul(@0,@1),@2)`, into a
/// kernel: machine code that computes it in one pass over tensors. `@k` is
/// input `k` of the call. What is here is what the headers of C++ in kexpr/
/// have, by the same names; C11 and C++ can read it.
///
///     kexpr_error *error = NULL; // options are NULL: the defaults
///     kexpr_engine *engine = NULL;
///     kexpr_kernel *kernel = NULL;
///     if (kexpr_engine_create(NULL, &engine, &error) ||
///         kexpr_engine_compile(engine, "add(@0,@1)", NULL, &kernel, &error))
///       puts(kexpr_error_render(error));
///     int64_t shape[] = {3};
///     kexpr_tensor inputs[] = {{x, KEXPR_F32, 1, shape, NULL}, ...
///     kexpr_kernel_run(kernel, inputs, 2, &output, 1, NULL, &error);
///
/// Errors. What can fail returns a `kexpr_code` and takes `kexpr_error **`
/// last. That may be NULL; else what it points to is overwritten: by NULL on
/// success, on failure by an error that the caller frees. Pointers, numbers and
/// tensors that a function gives through other parameters are NULL or 0 after a
/// failure. NULL where there must be something is KEXPR_INVALID_ARGUMENT, or 0,
/// NULL or "" from a function that returns no code. Nothing throws and nothing
/// aborts. A call that is refused for its arguments has written nothing to
/// tensors.
///
/// Memory. What a function gives through `kexpr_x **` belongs to the caller,
/// who frees it with `kexpr_x_free`; NULL may be freed. `const` pointers that
/// are returned, text among them, live as long as the object that the function
/// was given. Objects do not need each other: a kernel outlives its engine.
/// Arguments are read during the call only; tensors' data must be valid
/// whenever a kernel runs that is bound to it. Text ends with a NUL, given or
/// taken.
///
/// Threads. Any number may use one object at once, but for graphs; free it when
/// none does.
///
/// Options. The members of a structure may be 0, which is the default, so that
/// NULL or `{.size = sizeof options}` is all defaults. `size` must be set;
/// later versions add members at the end, and old programs need not be rebuilt.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_KEXPR_H
#define KEXPR_C_KEXPR_H

#include "kexpr-c/Executor.h"
#include "kexpr/Export.h"
#include "kexpr/Version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library, "2.0.0"; KEXPR_VERSION is that of the headers.
KEXPR_API const char *kexpr_version(void);

//===-- Errors ------------------------------------------------------------===//

typedef int32_t kexpr_code;
enum {
  KEXPR_OK = 0,
  KEXPR_INVALID_SYNTAX = 1,     ///< The text is not an expression.
  KEXPR_LIMIT_EXCEEDED = 2,     ///< A parse limit was passed.
  KEXPR_UNKNOWN_OPERATOR = 3,   ///< A name that no operator has.
  KEXPR_WRONG_ARITY = 4,        ///< Too few or too many arguments.
  KEXPR_TYPE_MISMATCH = 5,      ///< An element type that cannot be taken.
  KEXPR_SHAPE_MISMATCH = 6,     ///< No broadcast, or an output of wrong shape.
  KEXPR_MISSING_OPERAND = 7,    ///< Fewer operands than the expression uses.
  KEXPR_INVALID_ARGUMENT = 8,   ///< A null pointer, a bad option or stride.
  KEXPR_OVERLAPPING_OUTPUT = 9, ///< An output in memory it may not share.
  KEXPR_UNSUPPORTED = 10,       ///< Understood, but no meaning to compute.
  KEXPR_COMPILE_FAILED = 11,    ///< Code generation or linking failed.
  KEXPR_OUT_OF_MEMORY = 12,     ///< Memory or threads ran out.
  KEXPR_IO = 13                 ///< A file could not be read or written.
};

typedef struct kexpr_error kexpr_error;
KEXPR_API void kexpr_error_free(kexpr_error *error);
KEXPR_API kexpr_code kexpr_error_code(const kexpr_error *error);
/// One sentence: "unknown operator 'ad'; did you mean 'add'?".
KEXPR_API const char *kexpr_error_message(const kexpr_error *error);
/// "error: " and the sentence; where the fault has a range in an expression,
/// two more lines show it with a caret. No newline at the end.
KEXPR_API const char *kexpr_error_render(const kexpr_error *error);
/// The expression the fault is in, or "".
KEXPR_API const char *kexpr_error_source(const kexpr_error *error);
/// Whether the fault has a range in the source: bytes [begin, end). Without one
/// both are 0.
KEXPR_API bool kexpr_error_range(const kexpr_error *error, size_t *begin,
                                 size_t *end);

//===-- Tensors -----------------------------------------------------------===//

typedef int32_t kexpr_dtype;
enum {
  KEXPR_F32 = 1,
  KEXPR_F64 = 2,
  KEXPR_F16 = 3,
  KEXPR_I32 = 4,
  KEXPR_I64 = 5,
  KEXPR_I16 = 6,
  KEXPR_I8 = 7,
  KEXPR_U8 = 8,
  KEXPR_BOOL = 9, ///< A byte: 0 is false, anything else true; 0 or 1 written.
  KEXPR_BF16 = 13,
  KEXPR_U16 = 14,
  KEXPR_U32 = 15,
  KEXPR_U64 = 16
};
/// Bytes of an element; 0 for what is no type.
KEXPR_API size_t kexpr_dtype_size(kexpr_dtype type);
/// "f32", "bool"...; "?" for what is no type.
KEXPR_API const char *kexpr_dtype_name(kexpr_dtype type);
KEXPR_API kexpr_code kexpr_dtype_parse(const char *name, kexpr_dtype *type,
                                       kexpr_error **error);

#define KEXPR_MAX_RANK 16

/// A tensor that the caller owns. All members 0 is an empty one, for an operand
/// that the expression does not use. Only outputs are written to.
typedef struct kexpr_tensor {
  void *data;             ///< The first element; need not be aligned.
  kexpr_dtype type;       ///< KEXPR_F32...
  uint32_t rank;          ///< Axes, at most KEXPR_MAX_RANK; 0 is a scalar.
  const int64_t *shape;   ///< `rank` extents, outermost first.
  const int64_t *strides; ///< The same in elements, any; NULL: row-major.
} kexpr_tensor;

//===-- Engines -----------------------------------------------------------===//

typedef struct kexpr_engine_options {
  size_t size;
  /// LLVM's name of the CPU to generate for; NULL is that of this machine.
  const char *cpu;
  /// LLVM features to add or remove, "+avx2,-avx512f"; NULL for none.
  const char *features;
  uint32_t vector_bits; ///< 128, 256 or 512; 0 is the best for each kernel.
  bool warm_up;         ///< Load the code generator at once, in the background.
  /// Kernels the cache keeps, 4096, and bytes that they keep, 256 MiB; the
  /// least recently used goes first.
  size_t max_kernels, max_code_bytes;
  /// Where machine code is kept from process to process; NULL is what the
  /// environment variable KEXPR_CACHE_DIR says, and without it nowhere.
  const char *cache_directory;
  uint64_t max_disk_bytes; ///< Kept there at most; 1 GiB.
  /// Who sees kernels by name, and where files for them go; see Inspect.h.
  uint32_t listeners;
  const char *profile_directory;
  /// A folder for stages of every loop; events to log, as "compile,cache".
  const char *dump_directory, *log;
  /// From any thread; it may do anything but leave by an exception.
  void (*log_sink)(void *context, const char *line);
  void *log_context;
  kexpr_executor executor; ///< Of kernels, unless a call has one.
  /// A directory that gets the machine code of every loop, for the machine that
  /// `cpu`, `features` and `vector_bits` say; here kernels are interpreted.
  const char *ahead_directory;
} kexpr_engine_options;

/// Compiles texts and keeps their kernels.
typedef struct kexpr_engine kexpr_engine;
/// Takes microseconds: the code generator is loaded when code is needed.
KEXPR_API kexpr_code kexpr_engine_create(const kexpr_engine_options *options,
                                         kexpr_engine **engine,
                                         kexpr_error **error);
KEXPR_API void kexpr_engine_free(kexpr_engine *engine);

enum {                      ///< Which machine code; all compute the same bits.
  KEXPR_MODE_OPTIMIZED = 0, ///< That runs fastest.
  KEXPR_MODE_BASELINE = 1,  ///< That is there soonest.
  KEXPR_MODE_INTERPRET = 2, ///< None.
  KEXPR_MODE_TIERED = 3     ///< None at first; better and better while it runs.
};
enum {
  KEXPR_PRECISION_DEFAULT = 0,  ///< Within 1 unit in the last place, or 2.
  KEXPR_PRECISION_ACCURATE = 1, ///< Within 0.51.
  KEXPR_PRECISION_FAST = 2      ///< Within 4, in the least time.
};

typedef struct kexpr_parse_limits kexpr_parse_limits; ///< See Expression.h.
typedef struct kexpr_compile_options {
  size_t size;
  /// KEXPR_MODE_OPTIMIZED...; long expressions get a lower tier: see Engine.h.
  int32_t mode;
  int32_t precision; ///< Of f32: KEXPR_PRECISION_DEFAULT...
  /// The type of `@0`, `@1`...; operands past the end are KEXPR_F32. Types of
  /// outputs follow PyTorch's promotion.
  const kexpr_dtype *operand_types;
  size_t operand_type_count;
  /// Indices of operands that are 0-d tensors: where types meet, they do not
  /// widen a tensor of the same category. Else they need not be named.
  const uint32_t *zero_dim_operands;
  size_t zero_dim_operand_count;
  const kexpr_parse_limits *limits;
  int32_t syntax;    ///< KEXPR_SYNTAX_PNNX...; see Infix.h.
  int32_t semantics; ///< KEXPR_SEMANTICS_DEFAULT...
  /// Of infix text: the names of its operands, `@0` first; without names those
  /// of the text, as they appear.
  const char *const *operand_names;
  size_t operand_name_count;
  /// Of infix text: indices of operands that are Python numbers.
  const uint32_t *number_operands;
  size_t number_operand_count;
} kexpr_compile_options;

typedef struct kexpr_expression kexpr_expression;
typedef struct kexpr_kernel kexpr_kernel;
/// The kernel of a text, from the cache if it was compiled before.
KEXPR_API kexpr_code kexpr_engine_compile(const kexpr_engine *engine,
                                          const char *text,
                                          const kexpr_compile_options *options,
                                          kexpr_kernel **kernel,
                                          kexpr_error **error);
KEXPR_API kexpr_code kexpr_engine_compile_expression(
    const kexpr_engine *engine, const kexpr_expression *expression,
    const kexpr_compile_options *options, kexpr_kernel **kernel,
    kexpr_error **error);
/// Waits until tiered kernels have their best code.
KEXPR_API void kexpr_engine_settle(const kexpr_engine *engine);
/// KEXPR_OK, or why kernels are interpreted in every mode: the system forbids
/// to make memory executable, or the CPU is too old; or why LLVM cannot be
/// loaded.
KEXPR_API kexpr_code kexpr_engine_code_status(const kexpr_engine *engine,
                                              kexpr_error **error);
/// KEXPR_OK, or why the directory for a cache on disk is not used.
KEXPR_API kexpr_code kexpr_engine_cache_status(const kexpr_engine *engine,
                                               kexpr_error **error);

//===-- Kernels -----------------------------------------------------------===//

enum { ///< Where stores go. Past the caches is faster for what does not fit.
  KEXPR_STORES_CHOOSE = 0,
  KEXPR_STORES_CACHED = 1,
  KEXPR_STORES_STREAMED = 2
};

/// A host's way to end a call before it is done; see Kernel.h.
typedef struct kexpr_interrupt {
  /// Asked now and then by the thread that made the call. Where it returns true
  /// the call ends with KEXPR_INVALID_ARGUMENT, and outputs are partly written.
  bool (*ask)(void *context);
  void *context;
} kexpr_interrupt;

/// How one call is run; results do not depend on it.
typedef struct kexpr_run_options {
  size_t size;
  uint32_t max_threads;  ///< 1 is the calling thread; 0 as many as are there.
  int32_t stores;        ///< KEXPR_STORES_CHOOSE...
  int64_t tile_elements; ///< Of one task at least; 0 chooses.
  /// Microseconds that other threads wait for the next call without sleeping,
  /// which takes their cores from whatever else the host does; 0, and -1, let
  /// them sleep at once.
  int64_t stay_awake_us;
  kexpr_executor executor; ///< Of this call, instead of the engine's.
  kexpr_interrupt interrupt;
} kexpr_run_options;

KEXPR_API void kexpr_kernel_free(kexpr_kernel *kernel);
/// Computes `outputs` from `inputs`; `inputs[k]` is `@k`. Inputs broadcast as
/// in PyTorch and have the types that the kernel was compiled for; an output
/// has the broadcast shape of its operands, and may be exactly one of the
/// inputs. Any other overlap of an output is an error. Blocks until done.
KEXPR_API kexpr_code kexpr_kernel_run(
    const kexpr_kernel *kernel, const kexpr_tensor *inputs, size_t input_count,
    const kexpr_tensor *outputs, size_t output_count,
    const kexpr_run_options *options, kexpr_error **error);
/// Computes `output_count` independent items: `inputs` has operand 0's items,
/// then operand 1's...; `outputs[i]` is the one output of item i. Items are
/// split over threads together.
KEXPR_API kexpr_code kexpr_kernel_run_batch(
    const kexpr_kernel *kernel, const kexpr_tensor *inputs, size_t input_count,
    const kexpr_tensor *outputs, size_t output_count,
    const kexpr_run_options *options, kexpr_error **error);

KEXPR_API const kexpr_expression *
kexpr_kernel_expression(const kexpr_kernel *kernel);
KEXPR_API size_t kexpr_kernel_output_count(const kexpr_kernel *kernel);
/// The type that an output must have.
KEXPR_API kexpr_dtype kexpr_kernel_output_type(const kexpr_kernel *kernel,
                                               size_t index);
/// The shape that an output must have for these inputs. `shape` has room for
/// KEXPR_MAX_RANK extents.
KEXPR_API kexpr_code kexpr_kernel_output_shape(const kexpr_kernel *kernel,
                                               const kexpr_tensor *inputs,
                                               size_t input_count, size_t index,
                                               int64_t *shape, uint32_t *rank,
                                               kexpr_error **error);

//===-- Layers ------------------------------------------------------------===//

/// A `pnnx.Expression` operator as inference frameworks run it.
typedef struct kexpr_layer kexpr_layer;
/// Of the text of the operator's parameter `expr`.
KEXPR_API kexpr_code kexpr_layer_create(const kexpr_engine *engine,
                                        const char *expression,
                                        kexpr_layer **layer,
                                        kexpr_error **error);
/// As `kexpr_kernel_run_batch`, but that operands past those that the
/// expression uses may follow and are not used.
KEXPR_API kexpr_code kexpr_layer_forward(
    const kexpr_layer *layer, const kexpr_tensor *inputs, size_t input_count,
    const kexpr_tensor *outputs, size_t output_count,
    const kexpr_run_options *options, kexpr_error **error);
KEXPR_API const kexpr_kernel *kexpr_layer_kernel(const kexpr_layer *layer);
KEXPR_API void kexpr_layer_free(kexpr_layer *layer);

#ifdef __cplusplus
}
#endif

#include "kexpr-c/Calls.h"
#include "kexpr-c/Expression.h"
#include "kexpr-c/Graph.h"
#include "kexpr-c/Infix.h"
#include "kexpr-c/Inspect.h"
#include "kexpr-c/Operators.h"
#include "kexpr-c/Sums.h"

#endif // KEXPR_C_KEXPR_H
