//===- Fuzz/Caller.h - Objects of the C API and calls on them ---*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_CALLER_H
#define KEXPR_UNITTESTS_FUZZ_CALLER_H

#include "Fuzz/CallArguments.h"

#include <array>
#include <string>
#include <utility>

namespace kexpr::fuzz {

/// Objects of one type, or null pointers.
template <class T> using Slots = std::array<T *, 4>;

/// The tensors of a prepared call.
struct PreparedFor {
  std::array<kexpr_tensor, 8> inputs;
  std::array<kexpr_tensor, 3> outputs;
  std::size_t inputCount, outputCount;
};

class Caller {
public:
  explicit Caller(Choices &choices) : choices(choices), arguments(choices) {}
  ~Caller() { freeAll(); }

  /// One call, or a few that belong together.
  void call();
  void freeAll();

  std::string problem;
  unsigned done = 0; ///< Calls that gave KEXPR_OK.

private:
  void makeEngine();
  void makeExpression();
  void makeKernel();
  void makeBound();
  void makePrepared();
  void runPrepared();
  void makeLayer();
  void makeModel();
  void makeRegistry();
  void addType();
  void makeGraph();
  void makeNetwork();
  void runKernel();
  void runLayer();
  void runGraph();
  void feedBack();
  void evaluate();
  void inspectKernel();
  void inspectEngine();
  void inspectModel();
  void inspectGraph();
  void parseNames();

  /// Mostly one that is there.
  template <class T> T *any(const Slots<T> &slots) {
    std::size_t index = choices.below(std::size(slots));
    const std::size_t tries = choices.below(16) ? std::size(slots) : 0;
    for (std::size_t i = 0; i < tries && !slots[index]; ++i)
      index = (index + 1) % std::size(slots);
    return slots[index];
  }
  const kexpr_kernel *anyKernel() {
    return choices.below(8) ? any(kernels) : kexpr_layer_kernel(any(layers));
  }
  const kexpr_expression *anyExpression() {
    return choices.below(4) ? any(expressions)
                            : kexpr_kernel_expression(any(kernels));
  }
  void fail(const std::string &what) {
    if (problem.empty())
      problem = what;
  }
  void expectError(kexpr_code code, kexpr_error *error);
  /// `call` is given the place for an error, or null.
  template <class F> kexpr_code attempt(F call);
  /// A new object in the place of another, which is freed.
  template <class T, class F>
  void make(Slots<T> &slots, void (*release)(T *), F call);

  Choices &choices;
  CallArguments arguments;
  Slots<kexpr_engine> engines = {};
  Slots<kexpr_expression> expressions = {};
  Slots<kexpr_kernel> kernels = {};
  Slots<kexpr_bound> bounds = {};
  Slots<kexpr_prepared> prepareds = {};
  /// What each of these was prepared for.
  std::array<PreparedFor, std::tuple_size_v<Slots<kexpr_prepared>>> places = {};
  Slots<kexpr_layer> layers = {};
  Slots<kexpr_model> models = {};
  Slots<kexpr_registry> registries = {};
  Slots<kexpr_graph> graphs = {};
  Slots<kexpr_steps> steps = {};
  Slots<kexpr_scalar> scalars = {};
  Slots<kexpr_text> texts = {};
};

template <class F> kexpr_code Caller::attempt(F call) {
  kexpr_error *error = nullptr;
  const bool isAsked = choices.below(8) != 0;
  const kexpr_code code = call(isAsked ? &error : nullptr);
  if (code < 0 || code > KEXPR_IO)
    fail("code " + std::to_string(code));
  if (isAsked)
    expectError(code, error);
  done += code == KEXPR_OK;
  return code;
}

template <class T, class F>
void Caller::make(Slots<T> &slots, void (*release)(T *), F call) {
  T *&slot = slots[choices.below(std::size(slots))];
  release(std::exchange(slot, nullptr));
  const bool isAsked = choices.below(32) != 31;
  const kexpr_code code = attempt([&](kexpr_error **error) {
    return call(isAsked ? &slot : nullptr, error);
  });
  if ((code == KEXPR_OK) != (slot != nullptr))
    fail("code " + std::to_string(code) + (slot ? " with" : " without") +
         " an object");
}

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_CALLER_H
