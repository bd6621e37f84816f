//===- Api/CApiTensors.h - Tensors of C as views --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_API_CAPITENSORS_H
#define KEXPR_API_CAPITENSORS_H

#include "Api/CApi.h"

#include <vector>

namespace kexpr::capi {

/// A tensor whose shape and strides are those of `view`, not copies.
kexpr_tensor tensorOf(const TensorView &view);

/// The tensors of a call as views, on the stack unless there are many.
class Tensors {
public:
  Tensors() = default;
  Tensors(const Tensors &) = delete;
  Tensors &operator=(const Tensors &) = delete;

  /// Reads `count` tensors, each `what` in messages: "input" or "output".
  Status read(const kexpr_tensor *tensors, std::size_t count, const char *what);

  Span<const TensorView> views() const { return all; }

private:
  static constexpr std::size_t Few = 8;

  TensorView few[Few];
  std::vector<TensorView> many;
  Span<const TensorView> all;
};

/// What a function that runs something is given.
struct Arguments {
  const kexpr_tensor *inputs;
  std::size_t inputCount;
  const kexpr_tensor *outputs;
  std::size_t outputCount;
  const kexpr_run_options *options;
};

/// The same for the functions of C++.
struct Call {
  Tensors inputs, outputs;
  RunOptions options;

  Status read(const Arguments &given);
};

/// What `work` makes of a call. `handle` must not be null.
template <class Handle, class F>
auto withCall(const Handle *handle, const char *name, const Arguments &given,
              F work) -> decltype(work(std::declval<const Call &>())) {
  if (!handle)
    return isNull(name);
  Call call;
  if (auto status = call.read(given); !status)
    return status.error();
  return work(call);
}

/// The same for a function that makes nothing: `work` returns a Status.
template <class Handle, class F>
kexpr_code callOn(const Handle *handle, const char *name,
                  const Arguments &given, kexpr_error **error,
                  F work) noexcept {
  return attempt(error, [&] { return withCall(handle, name, given, work); });
}

} // namespace kexpr::capi

#endif // KEXPR_API_CAPITENSORS_H
