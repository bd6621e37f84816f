//===- Api/CApi.h - What the functions of C share -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_API_CAPI_H
#define KEXPR_API_CAPI_H

#include "Support/Guarded.h"
#include "kexpr-c/kexpr.h"
#include "kexpr/kexpr.h"

#include <string>
#include <utility>
#include <vector>

struct kexpr_expression {
  kexpr::Expression expression;
};

struct kexpr_engine {
  kexpr::Engine engine;
};

struct kexpr_kernel {
  explicit kexpr_kernel(kexpr::Kernel made)
      : kernel(std::move(made)), expression{kernel.expression()} {}

  kexpr::Kernel kernel;
  kexpr_expression expression;
};

struct kexpr_expression_builder {
  kexpr::ExpressionBuilder builder;
};

struct kexpr_text {
  std::string bytes;
};

struct kexpr_bound {
  kexpr::BoundKernel bound;
};

struct kexpr_prepared {
  kexpr::PreparedCall call;
};

struct kexpr_layer {
  explicit kexpr_layer(kexpr::ExpressionLayer made)
      : layer(std::move(made)), kernel(layer.kernel()) {}

  kexpr::ExpressionLayer layer;
  kexpr_kernel kernel;
};

struct kexpr_model {
  kexpr::PnnxModel model;
};

struct kexpr_registry {
  kexpr::LayerRegistry registry;
};

/// The structures of C point into vectors that do not change any more.
struct kexpr_steps {
  explicit kexpr_steps(std::vector<kexpr::GraphStep> made);

  std::vector<kexpr::GraphStep> made;
  std::vector<std::vector<const char *>> names;
  std::vector<kexpr_step> steps;
};

namespace kexpr::capi {

/// The code of `error`, which `*out` is told if there is an `out`.
kexpr_code fail(const Error &error, kexpr_error **out) noexcept;

/// A constant that the end of the process leaves alone.
template <class T> struct NeverDestroyed {
  constexpr NeverDestroyed() : value() {}
  constexpr ~NeverDestroyed() {}
  union {
    T value;
  };
};

/// The error of an argument that is null.
Error isNull(const char *what);

/// Does `work`, which returns a Status or throws.
template <class F> kexpr_code attempt(kexpr_error **error, F work) noexcept {
  if (error)
    *error = nullptr;
  const Status status = guardedCall(std::move(work));
  return status ? KEXPR_OK : fail(status.error(), error);
}

/// Puts an object into `*out` for what `work`, which returns an Expected or
/// throws, has made; null if it has made nothing.
template <class Handle, class F>
kexpr_code make(Handle **out, kexpr_error **error, F work) noexcept {
  if (out)
    *out = nullptr;
  return attempt(error, [&]() -> Status {
    if (!out)
      return isNull("the place for the result");
    auto made = work();
    if (!made)
      return made.error();
    *out = new Handle{std::move(*made)};
    return {};
  });
}

/// What `question` answers about an object; `otherwise` without an object, or
/// where memory ran out.
template <class Handle, class Answer, class F>
Answer ask(const Handle *handle, Answer otherwise, F question) noexcept {
  return guardedOr(otherwise, [&] {
    return handle ? static_cast<Answer>(question(*handle)) : otherwise;
  });
}

} // namespace kexpr::capi

#endif // KEXPR_API_CAPI_H
