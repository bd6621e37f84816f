//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"
#include "Support/Fork.h"
#include "Support/Text.h"

#include <new>

using namespace kexpr;
using namespace kexpr::capi;

struct kexpr_bound {
  BoundKernel object;
};

struct kexpr_prepared {
  PreparedCall object;
};

struct kexpr_layer {
  explicit kexpr_layer(ExpressionLayer made)
      : object(std::move(made)), kernel(object.kernel()) {}

  ExpressionLayer object;
  kexpr_kernel kernel;
};

void kexpr_kernel_free(kexpr_kernel *kernel) { delete kernel; }

kexpr_code kexpr_kernel_run(const kexpr_kernel *kernel,
                            const kexpr_tensor *inputs, size_t input_count,
                            const kexpr_tensor *outputs, size_t output_count,
                            const kexpr_run_options *options,
                            kexpr_error **error) {
  return attempt(error, {{kernel, "the kernel"}}, [&] {
    return call(kernel->object, &Kernel::run, inputs, input_count, outputs,
                output_count, options);
  });
}

kexpr_code
kexpr_kernel_run_batch(const kexpr_kernel *kernel, const kexpr_tensor *inputs,
                       size_t input_count, const kexpr_tensor *outputs,
                       size_t output_count, const kexpr_run_options *options,
                       kexpr_error **error) {
  return attempt(error, {{kernel, "the kernel"}}, [&] {
    return call(kernel->object, &Kernel::runBatch, inputs, input_count, outputs,
                output_count, options);
  });
}

kexpr_code kexpr_kernel_bind(const kexpr_kernel *kernel,
                             const kexpr_tensor *inputs, size_t input_count,
                             const kexpr_tensor *outputs, size_t output_count,
                             const kexpr_run_options *options,
                             kexpr_bound **bound, kexpr_error **error) {
  return make(bound, error, {{kernel, "the kernel"}}, [&] {
    return call(kernel->object, &Kernel::bind, inputs, input_count, outputs,
                output_count, options);
  });
}

kexpr_code kexpr_bound_run(const kexpr_bound *bound, kexpr_error **error) {
  return attempt(error, {{bound, "the bound kernel"}},
                 [&] { return bound->object.run(); });
}

void kexpr_bound_free(kexpr_bound *bound) { delete bound; }

kexpr_code
kexpr_kernel_prepare(const kexpr_kernel *kernel, const kexpr_tensor *inputs,
                     size_t input_count, const kexpr_tensor *outputs,
                     size_t output_count, const kexpr_run_options *options,
                     kexpr_prepared **prepared, kexpr_error **error) {
  return make(prepared, error, {{kernel, "the kernel"}}, [&] {
    return call(kernel->object, &Kernel::prepare, inputs, input_count, outputs,
                output_count, options);
  });
}

kexpr_code kexpr_prepared_run(const kexpr_prepared *prepared,
                              const void *const *inputs, size_t input_count,
                              void *const *outputs, size_t output_count,
                              kexpr_error **error) {
  return attempt(error, {{prepared, "the prepared call"}}, [&]() -> Status {
    if (!inputs && input_count > 0)
      return isNull("the list of inputs");
    if (!outputs && output_count > 0)
      return isNull("the list of outputs");
    return prepared->object.run({inputs, input_count}, {outputs, output_count});
  });
}

void kexpr_prepared_free(kexpr_prepared *prepared) { delete prepared; }

const kexpr_expression *kexpr_kernel_expression(const kexpr_kernel *kernel) {
  return kernel ? &kernel->expression : nullptr;
}

size_t kexpr_kernel_output_count(const kexpr_kernel *kernel) {
  return kernel ? kernel->object.outputCount() : 0;
}

kexpr_dtype kexpr_kernel_output_type(const kexpr_kernel *kernel, size_t index) {
  return index < kexpr_kernel_output_count(kernel)
             ? static_cast<kexpr_dtype>(kernel->object.outputType(index))
             : 0;
}

static Expected<Shape> outputShape(const Kernel &kernel,
                                   const kexpr_tensor *inputs,
                                   std::size_t count, std::size_t index) {
  const std::size_t outputs = kernel.outputCount();
  if (index >= outputs)
    return Error(ErrorCode::InvalidArgument,
                 concat("there is no output ", index, " of ", outputs));
  Tensors<TensorView> tensors;
  if (auto status = tensors.read(inputs, count, "input"); !status)
    return status.error();
  return kernel.outputShape(tensors.views(), index);
}

kexpr_code kexpr_kernel_output_shape(const kexpr_kernel *kernel,
                                     const kexpr_tensor *inputs,
                                     size_t input_count, size_t index,
                                     int64_t *shape, uint32_t *rank,
                                     kexpr_error **error) {
  if (rank)
    *rank = 0;
  return attempt(error,
                 {{shape, "the place for the shape"},
                  {rank, "the place for the rank"},
                  {kernel, "the kernel"}},
                 [&]() -> Status {
                   auto result =
                       outputShape(kernel->object, inputs, input_count, index);
                   if (!result)
                     return result.error();
                   std::copy(result->begin(), result->end(), shape);
                   *rank = static_cast<uint32_t>(result->rank());
                   return {};
                 });
}

//===-- Layers ------------------------------------------------------------===//

kexpr_code kexpr_layer_create(const kexpr_engine *engine,
                              const char *expression, kexpr_layer **layer,
                              kexpr_error **error) {
  return make(
      layer, error, {{engine, "the engine"}, {expression, "the expression"}},
      [&] { return ExpressionLayer::create(engine->object, expression); });
}

kexpr_code kexpr_layer_forward(const kexpr_layer *layer,
                               const kexpr_tensor *inputs, size_t input_count,
                               const kexpr_tensor *outputs, size_t output_count,
                               const kexpr_run_options *options,
                               kexpr_error **error) {
  const auto forward = [](const ExpressionLayer &object, auto in, auto to,
                          const RunOptions &run) -> Status {
    auto done = object.forward(in, to, run);
    return done ? Status() : done.error();
  };
  return attempt(error, {{layer, "the layer"}}, [&] {
    return call(layer->object, forward, inputs, input_count, outputs,
                output_count, options);
  });
}

const kexpr_kernel *kexpr_layer_kernel(const kexpr_layer *layer) {
  return layer ? &layer->kernel : nullptr;
}

void kexpr_layer_free(kexpr_layer *layer) { delete layer; }

//===-- Inspection --------------------------------------------------------===//

const char *kexpr_tier_name(int32_t tier) {
  return tier >= KEXPR_TIER_INTERPRETER && tier <= KEXPR_TIER_OPTIMIZED
             ? nameOf(static_cast<Tier>(tier)).data()
             : "?";
}

int32_t kexpr_kernel_tier(const kexpr_kernel *kernel) {
  return ask(kernel, std::int32_t{KEXPR_TIER_INTERPRETER}, &Kernel::tier);
}

int32_t kexpr_kernel_precision(const kexpr_kernel *kernel) {
  return ask(kernel, std::int32_t{KEXPR_PRECISION_DEFAULT}, &Kernel::precision);
}

const void *kexpr_kernel_code_address(const kexpr_kernel *kernel) {
  return ask(kernel, static_cast<const void *>(nullptr), &Kernel::codeAddress);
}

uint32_t kexpr_kernel_vector_bits(const kexpr_kernel *kernel) {
  return ask(kernel, std::uint32_t{0}, &Kernel::vectorBits);
}

size_t kexpr_kernel_code_size(const kexpr_kernel *kernel) {
  return ask(kernel, std::size_t{0}, &Kernel::codeSize);
}

uint32_t kexpr_kernel_operations_per_element(const kexpr_kernel *kernel) {
  return ask(kernel, std::uint32_t{0}, &Kernel::operationsPerElement);
}

kexpr_code kexpr_kernel_get_compile_times(const kexpr_kernel *kernel,
                                          kexpr_compile_times *times,
                                          kexpr_error **error) {
  return attempt(error, {{kernel, "the kernel"}}, [&] {
    const CompileTimes all = kernel->object.compileTimes();
    auto ns = [](std::chrono::nanoseconds time) {
      return static_cast<std::uint64_t>(time.count());
    };
    const kexpr_compile_times record = {sizeof record,   ns(all.parse),
                                        ns(all.plan),    ns(all.emit),
                                        ns(all.codegen), ns(all.link)};
    return write(record, times, "kexpr_compile_times");
  });
}

const char *kexpr_stage_name(int32_t stage) {
  return stage >= 0 && stage < static_cast<int32_t>(StageCount)
             ? nameOf(static_cast<Stage>(stage)).data()
             : "?";
}

kexpr_code kexpr_stage_parse(const char *name, int32_t *stage,
                             kexpr_error **error) {
  return give(stage, "the place for the result", error, {{name, "the name"}},
              [&] { return parseStage(name); });
}

void kexpr_text_free(kexpr_text *text) { delete text; }

const char *kexpr_text_data(const kexpr_text *text) {
  return text ? text->object.c_str() : "";
}

size_t kexpr_text_size(const kexpr_text *text) {
  return text ? text->object.size() : 0;
}

kexpr_code kexpr_kernel_dump(const kexpr_kernel *kernel, int32_t stage,
                             kexpr_text **text, kexpr_error **error) {
  return make(text, error, {{kernel, "the kernel"}},
              [&]() -> Expected<std::string> {
                if (stage < 0 || stage >= static_cast<int32_t>(StageCount))
                  return Error(ErrorCode::InvalidArgument,
                               concat("there is no stage ", stage));
                return kernel->object.dump(static_cast<Stage>(stage));
              });
}

/// The data of a string literal, which ends with a NUL.
static const char *literal(std::string_view text) {
  return text.empty() ? "" : text.data();
}

static constinit Once<const std::vector<kexpr_operator>> allOperators;

static const std::vector<kexpr_operator> &table() {
  return allOperators.get([] {
    const Span<const OperatorInfo> known = operators();
    // The result is kept for good, so memory that ran out must not empty it.
    if (known.empty())
      throw std::bad_alloc();
    std::vector<kexpr_operator> result;
    for (const OperatorInfo &info : known)
      result.push_back({.name = literal(info.name),
                        .aliases = literal(info.aliases),
                        .doc = literal(info.doc),
                        .types = literal(info.types),
                        .arity = info.arity,
                        .overload_arity = info.overloadArity,
                        .max_ulp = info.maxUlp,
                        .max_ulp_accurate = info.maxUlpAccurate,
                        .max_ulp_f64 = info.maxUlpF64,
                        .operations = info.operations,
                        .pnnx = info.pnnx,
                        .max_ulp_fast = info.maxUlpFast,
                        .defaults = info.defaults});
    return result;
  });
}

size_t kexpr_operator_count() {
  return guardedOr(std::size_t{0}, [] { return table().size(); });
}

const kexpr_operator *kexpr_operator_at(size_t index) {
  return index < kexpr_operator_count() ? &table()[index] : nullptr;
}
