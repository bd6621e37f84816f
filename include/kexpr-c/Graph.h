//===- kexpr-c/Graph.h - Networks that PNNX wrote, for C --------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model is what a network's files say, a registry who computes which types
/// of operators, and a graph both of them ready to run. A graph, unlike other
/// objects, is for one thread at a time; make several from one model.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_GRAPH_H
#define KEXPR_C_GRAPH_H

#include "kexpr-c/kexpr.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Models ------------------------------------------------------------===//

typedef struct kexpr_model kexpr_model;
/// Reads `<name>.pnnx.param` and the `.bin`; without constants that may be NULL
/// or "".
KEXPR_API kexpr_code kexpr_model_load(const char *param_path,
                                      const char *bin_path, kexpr_model **model,
                                      kexpr_error **error);
/// The same from memory. `bin` may be NULL if `bin_size` is 0.
KEXPR_API kexpr_code kexpr_model_parse(const char *param, const void *bin,
                                       size_t bin_size, kexpr_model **model,
                                       kexpr_error **error);
KEXPR_API void kexpr_model_free(kexpr_model *model);

/// An operator of a model, which lives as long as the model or a graph of it.
typedef struct kexpr_node kexpr_node;
KEXPR_API size_t kexpr_model_node_count(const kexpr_model *model);
/// In the order of the file; NULL past the last.
KEXPR_API const kexpr_node *kexpr_model_node(const kexpr_model *model,
                                             size_t index);
/// "nn.Conv2d"...
KEXPR_API const char *kexpr_node_type(const kexpr_node *node);
KEXPR_API const char *kexpr_node_name(const kexpr_node *node);
/// The text of parameter `key`, not interpreted; NULL if there is none.
KEXPR_API const char *kexpr_node_parameter(const kexpr_node *node,
                                           const char *key);
/// Constant `key`, row-major, to be read only. No such constant, or one of a
/// type that kexpr does not have, is KEXPR_INVALID_ARGUMENT.
KEXPR_API kexpr_code kexpr_node_attribute(const kexpr_node *node,
                                          const char *key, kexpr_tensor *tensor,
                                          kexpr_error **error);

//===-- Layers of the host ------------------------------------------------===//

/// The element type and shape of a tensor.
typedef struct kexpr_tensor_type {
  kexpr_dtype type;
  uint32_t rank;
  int64_t shape[KEXPR_MAX_RANK];
} kexpr_tensor_type;

/// How a host computes one type of operators. Any code but KEXPR_OK is a
/// failure, of which errors name the operator. No call may throw, or jump out
/// of the library. `user`, and what `create` made, must be there as long as a
/// graph is that has such a layer; each is called by one thread at a time, but
/// what belongs to different graphs by several.
typedef struct kexpr_layer_type {
  size_t size;
  void *user;
  /// Makes `*layer`, which the other calls are given, for an operator of a new
  /// graph. May be NULL: then they are given `user`.
  kexpr_code (*create)(void *user, const kexpr_node *node, void **layer);
  /// Frees what `create` made. May be NULL.
  void (*destroy)(void *layer);
  /// Writes the types and shapes of all outputs, for inputs of these; called
  /// when shapes are planned. May be NULL, if the file says them.
  kexpr_code (*output_types)(void *layer, const kexpr_tensor_type *inputs,
                             size_t input_count, kexpr_tensor_type *outputs,
                             size_t output_count);
  /// Writes all elements of `outputs`, which are row-major. Inputs of the graph
  /// are as the host gave them, others row-major; where a tensor is row-major
  /// `strides` is NULL.
  kexpr_code (*forward)(void *layer, const kexpr_tensor *inputs,
                        size_t input_count, const kexpr_tensor *outputs,
                        size_t output_count, const kexpr_run_options *options);
} kexpr_layer_type;

typedef struct kexpr_registry kexpr_registry;
/// With all types that kexpr computes itself, or empty.
KEXPR_API kexpr_code kexpr_registry_create(bool elementwise,
                                           kexpr_registry **registry,
                                           kexpr_error **error);
KEXPR_API void kexpr_registry_free(kexpr_registry *registry);
/// Lets kexpr compute `type`; KEXPR_UNKNOWN_OPERATOR if it cannot.
KEXPR_API kexpr_code kexpr_registry_add_elementwise(kexpr_registry *registry,
                                                    const char *type,
                                                    kexpr_error **error);
/// Lets the host compute `type`, also one that kexpr did so far.
KEXPR_API kexpr_code kexpr_registry_add(kexpr_registry *registry,
                                        const char *type,
                                        const kexpr_layer_type *layer,
                                        kexpr_error **error);

//===-- Graphs ------------------------------------------------------------===//

typedef struct kexpr_graph_options {
  size_t size;
  int32_t mode;      ///< KEXPR_MODE_OPTIMIZED...
  int32_t precision; ///< KEXPR_PRECISION_DEFAULT...
  bool no_fuse;      ///< A kernel for each operator of its own.
  bool no_reuse;     ///< Memory of its own for each value.
  /// Operands whose values can be had as well as those of `pnnx.Output`.
  const char *const *extra_outputs;
  size_t extra_output_count;
  bool prepare; ///< Planning makes the loops of calls, not the first run.
} kexpr_graph_options;

typedef struct kexpr_graph kexpr_graph;
/// Refuses a model with operators of types that the registry does not have.
/// Compiles at once where the file says all shapes, else in the first run. The
/// graph holds what it needs of its arguments.
KEXPR_API kexpr_code kexpr_graph_create(const kexpr_engine *engine,
                                        const kexpr_model *model,
                                        const kexpr_registry *registry,
                                        const kexpr_graph_options *options,
                                        kexpr_graph **graph,
                                        kexpr_error **error);
KEXPR_API void kexpr_graph_free(kexpr_graph *graph);

/// An input or output, and what the file says of it.
typedef struct kexpr_port {
  const char *name;
  kexpr_dtype type; ///< 0 where the file says none.
  uint32_t rank;
  const int64_t *shape; ///< NULL where the file says none; -1 is not known.
} kexpr_port;
KEXPR_API size_t kexpr_graph_input_count(const kexpr_graph *graph);
KEXPR_API size_t kexpr_graph_output_count(const kexpr_graph *graph);
/// NULL past the last.
KEXPR_API const kexpr_port *kexpr_graph_input(const kexpr_graph *graph,
                                              size_t index);
KEXPR_API const kexpr_port *kexpr_graph_output(const kexpr_graph *graph,
                                               size_t index);

typedef struct kexpr_named_tensor {
  const char *name; ///< Of the graph's input or output.
  kexpr_tensor tensor;
} kexpr_named_tensor;
/// Runs the network on all its inputs, of any shapes that fit what the file
/// says. Outputs that are not given the graph keeps itself; those given share
/// no memory with inputs or each other. A run in which a step fails may have
/// written outputs.
KEXPR_API kexpr_code kexpr_graph_run(
    kexpr_graph *graph, const kexpr_named_tensor *inputs, size_t input_count,
    const kexpr_named_tensor *outputs, size_t output_count,
    const kexpr_run_options *options, kexpr_error **error);
/// An output of the last run: the host's tensor, or memory of the graph. The
/// latter may be given to later runs as any input or output, and is valid until
/// a run that it is not given to; its shape until the next call for this
/// output. A constant of the model is the model's memory, not to be written.
KEXPR_API kexpr_code kexpr_graph_value(kexpr_graph *graph, const char *output,
                                       kexpr_tensor *tensor,
                                       kexpr_error **error);
/// Bytes of all intermediate values together, and those they lie in.
KEXPR_API void kexpr_graph_memory(const kexpr_graph *graph, size_t *values,
                                  size_t *arena);

/// A kernel over a region of elementwise operators, or a layer of the host.
typedef struct kexpr_step {
  const char *expression; ///< Of the kernel; "" for a layer.
  /// Names and types of the operators computed, producers first.
  const char *const *operators, *const *types;
  size_t operator_count;
  const char *const *inputs, *const *outputs; ///< Names of operands.
  size_t input_count, output_count;
  int64_t elements; ///< Of all outputs.
  uint64_t bytes;   ///< Of inputs and outputs.
  uint64_t time_ns; ///< Of `kexpr_graph_profile` only.
} kexpr_step;

typedef struct kexpr_steps kexpr_steps;
/// What a run does, for the shapes of the last run, or those of the file; none
/// where neither is known.
KEXPR_API kexpr_code kexpr_graph_steps(const kexpr_graph *graph,
                                       kexpr_steps **steps,
                                       kexpr_error **error);
/// Runs, and takes the time of every step.
KEXPR_API kexpr_code kexpr_graph_profile(
    kexpr_graph *graph, const kexpr_named_tensor *inputs, size_t input_count,
    const kexpr_named_tensor *outputs, size_t output_count,
    const kexpr_run_options *options, kexpr_steps **steps, kexpr_error **error);
KEXPR_API void kexpr_steps_free(kexpr_steps *steps);
KEXPR_API size_t kexpr_steps_count(const kexpr_steps *steps);
/// NULL past the last.
KEXPR_API const kexpr_step *kexpr_steps_at(const kexpr_steps *steps,
                                           size_t index);

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_GRAPH_H
