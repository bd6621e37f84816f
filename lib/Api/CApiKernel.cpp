//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiTensors.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::capi;

void kexpr_kernel_free(kexpr_kernel *kernel) { delete kernel; }

kexpr_code kexpr_kernel_run(const kexpr_kernel *kernel,
                            const kexpr_tensor *inputs, size_t input_count,
                            const kexpr_tensor *outputs, size_t output_count,
                            const kexpr_run_options *options,
                            kexpr_error **error) {
  return callOn(kernel, "the kernel",
                {inputs, input_count, outputs, output_count, options}, error,
                [&](const Call &call) {
                  return kernel->kernel.run(call.inputs.views(),
                                            call.outputs.views(), call.options);
                });
}

kexpr_code
kexpr_kernel_run_batch(const kexpr_kernel *kernel, const kexpr_tensor *inputs,
                       size_t input_count, const kexpr_tensor *outputs,
                       size_t output_count, const kexpr_run_options *options,
                       kexpr_error **error) {
  return callOn(kernel, "the kernel",
                {inputs, input_count, outputs, output_count, options}, error,
                [&](const Call &call) {
                  return kernel->kernel.runBatch(
                      call.inputs.views(), call.outputs.views(), call.options);
                });
}

kexpr_code kexpr_kernel_bind(const kexpr_kernel *kernel,
                             const kexpr_tensor *inputs, size_t input_count,
                             const kexpr_tensor *outputs, size_t output_count,
                             const kexpr_run_options *options,
                             kexpr_bound **bound, kexpr_error **error) {
  return make(bound, error, [&]() -> Expected<BoundKernel> {
    return withCall(kernel, "the kernel",
                    {inputs, input_count, outputs, output_count, options},
                    [&](const Call &call) {
                      return kernel->kernel.bind(call.inputs.views(),
                                                 call.outputs.views(),
                                                 call.options);
                    });
  });
}

kexpr_code kexpr_bound_run(const kexpr_bound *bound, kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    if (!bound)
      return isNull("the bound kernel");
    return bound->bound.run();
  });
}

void kexpr_bound_free(kexpr_bound *bound) { delete bound; }

kexpr_code
kexpr_kernel_prepare(const kexpr_kernel *kernel, const kexpr_tensor *inputs,
                     size_t input_count, const kexpr_tensor *outputs,
                     size_t output_count, const kexpr_run_options *options,
                     kexpr_prepared **prepared, kexpr_error **error) {
  return make(prepared, error, [&]() -> Expected<PreparedCall> {
    return withCall(kernel, "the kernel",
                    {inputs, input_count, outputs, output_count, options},
                    [&](const Call &call) {
                      return kernel->kernel.prepare(call.inputs.views(),
                                                    call.outputs.views(),
                                                    call.options);
                    });
  });
}

kexpr_code kexpr_prepared_run(const kexpr_prepared *prepared,
                              const void *const *inputs, size_t input_count,
                              void *const *outputs, size_t output_count,
                              kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    if (!prepared)
      return isNull("the prepared call");
    if (!inputs && input_count > 0)
      return isNull("the list of inputs");
    if (!outputs && output_count > 0)
      return isNull("the list of outputs");
    return prepared->call.run({inputs, input_count}, {outputs, output_count});
  });
}

void kexpr_prepared_free(kexpr_prepared *prepared) { delete prepared; }

const kexpr_expression *kexpr_kernel_expression(const kexpr_kernel *kernel) {
  return kernel ? &kernel->expression : nullptr;
}

size_t kexpr_kernel_output_count(const kexpr_kernel *kernel) {
  return kernel ? kernel->kernel.outputCount() : 0;
}

kexpr_dtype kexpr_kernel_output_type(const kexpr_kernel *kernel, size_t index) {
  return index < kexpr_kernel_output_count(kernel)
             ? static_cast<kexpr_dtype>(kernel->kernel.outputType(index))
             : 0;
}

static Expected<Shape> outputShape(const kexpr_kernel *kernel,
                                   const kexpr_tensor *inputs,
                                   std::size_t count, std::size_t index) {
  if (!kernel)
    return isNull("the kernel");
  const std::size_t outputs = kernel->kernel.outputCount();
  if (index >= outputs)
    return Error(ErrorCode::InvalidArgument,
                 concat("there is no output ", index, " of ", outputs));
  Tensors tensors;
  if (auto status = tensors.read(inputs, count, "input"); !status)
    return status.error();
  return kernel->kernel.outputShape(tensors.views(), index);
}

kexpr_code kexpr_kernel_output_shape(const kexpr_kernel *kernel,
                                     const kexpr_tensor *inputs,
                                     size_t input_count, size_t index,
                                     int64_t *shape, uint32_t *rank,
                                     kexpr_error **error) {
  if (rank)
    *rank = 0;
  return attempt(error, [&]() -> Status {
    if (!shape || !rank)
      return isNull(shape ? "the place for the rank"
                          : "the place for the shape");
    auto result = outputShape(kernel, inputs, input_count, index);
    if (!result)
      return result.error();
    std::copy(result->begin(), result->end(), shape);
    *rank = static_cast<uint32_t>(result->rank());
    return {};
  });
}
