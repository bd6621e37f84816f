//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::capi;

struct kexpr_sum_state {
  SumState object;
};

kexpr_code
kexpr_kernel_sum_state(const kexpr_kernel *kernel, const kexpr_tensor *inputs,
                       size_t input_count, const kexpr_run_options *options,
                       kexpr_sum_state **state, kexpr_error **error) {
  return make(state, error, {{kernel, "the kernel"}},
              [&]() -> Expected<SumState> {
                Tensors<TensorView> views;
                auto status = views.read(inputs, input_count, "input");
                if (!status)
                  return status.error();
                auto read = optionsOf(options);
                if (!read)
                  return read.error();
                return kernel->object.sumState(views.views(), *read);
              });
}

kexpr_code kexpr_sum_state_parse(const void *bytes, size_t size,
                                 kexpr_sum_state **state, kexpr_error **error) {
  return make(state, error, {{bytes, "the state's bytes"}}, [&] {
    return SumState::parse({static_cast<const char *>(bytes), size});
  });
}

kexpr_code kexpr_sum_state_bytes(const kexpr_sum_state *state,
                                 kexpr_text **bytes, kexpr_error **error) {
  return make(bytes, error, {{state, "the state"}},
              [&] { return state->object.bytes(); });
}

kexpr_code kexpr_sum_state_merge(kexpr_sum_state *state,
                                 const kexpr_sum_state *other,
                                 kexpr_error **error) {
  return attempt(error, {{state, "the state"}, {other, "the other state"}},
                 [&] { return state->object.merge(other->object); });
}

kexpr_code kexpr_sum_state_finish(const kexpr_sum_state *state,
                                  const kexpr_tensor *outputs,
                                  size_t output_count, kexpr_error **error) {
  return attempt(error, {{state, "the state"}}, [&]() -> Status {
    Tensors<TensorView> views;
    auto status = views.read(outputs, output_count, "output");
    return status ? state->object.finish(views.views()) : status;
  });
}

size_t kexpr_sum_state_output_count(const kexpr_sum_state *state) {
  return state ? state->object.outputCount() : 0;
}

kexpr_dtype kexpr_sum_state_output_type(const kexpr_sum_state *state,
                                        size_t index) {
  return index < kexpr_sum_state_output_count(state)
             ? static_cast<kexpr_dtype>(state->object.outputType(index))
             : 0;
}

kexpr_code kexpr_sum_state_output_shape(const kexpr_sum_state *state,
                                        size_t index, int64_t *shape,
                                        uint32_t *rank, kexpr_error **error) {
  if (rank)
    *rank = 0;
  return attempt(error,
                 {{shape, "the place for the shape"},
                  {rank, "the place for the rank"},
                  {state, "the state"}},
                 [&]() -> Status {
                   const std::size_t outputs = state->object.outputCount();
                   if (index >= outputs)
                     return Error(
                         ErrorCode::InvalidArgument,
                         concat("there is no output ", index, " of ", outputs));
                   const Shape found = state->object.outputShape(index);
                   std::copy(found.begin(), found.end(), shape);
                   *rank = static_cast<uint32_t>(found.rank());
                   return {};
                 });
}

void kexpr_sum_state_free(kexpr_sum_state *state) { delete state; }
