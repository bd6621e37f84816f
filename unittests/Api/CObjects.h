//===- CObjects.h - Objects of C that free themselves ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_COBJECTS_H
#define KEXPR_UNITTESTS_API_COBJECTS_H

#include "kexpr-c/kexpr.h"

#include <memory>
#include <string>

namespace kexpr::test {

template <auto Free> struct Freeing {
  template <class T> void operator()(T *object) const { Free(object); }
};
template <class T, auto Free> using Owned = std::unique_ptr<T, Freeing<Free>>;

using CError = Owned<kexpr_error, kexpr_error_free>;
using CEngine = Owned<kexpr_engine, kexpr_engine_free>;
using CExpression = Owned<kexpr_expression, kexpr_expression_free>;
using CInfix = Owned<kexpr_infix, kexpr_infix_free>;
using CKernel = Owned<kexpr_kernel, kexpr_kernel_free>;
using CBound = Owned<kexpr_bound, kexpr_bound_free>;
using CPrepared = Owned<kexpr_prepared, kexpr_prepared_free>;
using CSumState = Owned<kexpr_sum_state, kexpr_sum_state_free>;
using CText = Owned<kexpr_text, kexpr_text_free>;
using CLayer = Owned<kexpr_layer, kexpr_layer_free>;
using CScalar = Owned<kexpr_scalar, kexpr_scalar_free>;
using CModel = Owned<kexpr_model, kexpr_model_free>;
using CRegistry = Owned<kexpr_registry, kexpr_registry_free>;
using CGraph = Owned<kexpr_graph, kexpr_graph_free>;
using CSteps = Owned<kexpr_steps, kexpr_steps_free>;

/// Where a call of C puts the object it makes, and its error.
template <class Object> class Out {
public:
  explicit Out(Object &object) : object(object) {}
  ~Out() { object.reset(made); }
  operator typename Object::pointer *() { return &made; }

private:
  Object &object;
  typename Object::pointer made = nullptr;
};

/// The message of a failure; empty for a success.
inline std::string messageOf(const CError &error) {
  return error ? kexpr_error_message(error.get()) : "";
}

/// What `call`, which is given a place for an error, came to: the message of
/// its error, whose code is the one it returned; empty for a success.
template <class F> std::string refusalOf(kexpr_code expected, F call) {
  CError error;
  const kexpr_code code = call(Out(error));
  if (code != expected)
    return "code " + std::to_string(code) + ": " + messageOf(error);
  if (kexpr_error_code(error.get()) != code)
    return "an error of another code than was returned";
  return messageOf(error);
}

inline CEngine makeEngine(const kexpr_engine_options *options = nullptr) {
  CEngine engine;
  kexpr_engine_create(options, Out(engine), nullptr);
  return engine;
}

inline CKernel compile(const CEngine &engine, const char *text,
                       const kexpr_compile_options *options = nullptr) {
  CKernel kernel;
  kexpr_engine_compile(engine.get(), text, options, Out(kernel), nullptr);
  return kernel;
}

/// A tensor of f32, row-major.
template <std::size_t Rank>
kexpr_tensor tensorOf(float *data, const std::int64_t (&shape)[Rank]) {
  return {data, KEXPR_F32, Rank, shape, nullptr};
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_COBJECTS_H
