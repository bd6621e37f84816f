//===- Host/Calls.h - Calls whose results are known -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_CALLS_H
#define KEXPR_UNITTESTS_HOST_CALLS_H

#include "Host/Child.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace kexpr::test {

inline constexpr Mode AllModes[] = {Mode::Optimized, Mode::Baseline,
                                    Mode::Interpret, Mode::Tiered};

inline std::string nameOfMode(Mode mode) {
  return std::string(std::array{"Optimized", "Baseline", "Interpret",
                                "Tiered"}[static_cast<std::size_t>(mode)]);
}

/// `add(mul(@0,NUMBER),@1)`; small numbers leave nothing to round.
inline std::string numbered(int number) {
  return "add(mul(@0," + std::to_string(number) + "),@1)";
}

/// A text that takes tens of milliseconds to compile; no two numbers share
/// code.
inline std::string slowText(int number) {
  std::string text = "@0";
  for (int i = 0; i < 24; ++i)
    text = "add(tanh(" + text + ")," + (i % 2 ? "exp(@1)" : "erf(@1)") + ")";
  for (int i = 0; i < number % 64; ++i)
    text = "neg(" + text + ")";
  return text;
}

/// Options of a mode.
inline CompileOptions in(Mode mode) {
  CompileOptions options;
  options.mode = mode;
  return options;
}

/// Options of a call on so many threads, without helpers that stay awake.
inline RunOptions onThreads(unsigned threads) {
  RunOptions options;
  options.maxThreads = threads;
  options.stayAwake = std::chrono::microseconds(0);
  return options;
}

/// Whether a bound call was done; what ran in 1.0.0 could not say that it was
/// not.
template <class B> bool runs(const B &bound) {
  if constexpr (std::is_void_v<decltype(bound.run())>) {
    bound.run();
    return true;
  } else {
    return bool(bound.run());
  }
}

/// Operands of `numbered`, and what comes out.
class Call {
public:
  explicit Call(std::int64_t count, int number = 2)
      : number(number), a(static_cast<std::size_t>(count)), b(a.size()),
        out(a.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 1000);
      b[i] = static_cast<float>(i % 7);
    }
  }

  std::vector<TensorView> inputs() const {
    return {TensorView(a.data(), shape()), TensorView(b.data(), shape())};
  }
  TensorView output() { return TensorView(out.data(), shape()); }
  Shape shape() const { return {static_cast<std::int64_t>(a.size())}; }

  /// Runs the kernel over an output that holds nothing of use.
  Status run(const Kernel &kernel, const RunOptions &options = {}) {
    spoil();
    return kernel.run(inputs(), output(), options);
  }
  void spoil() {
    std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
  }
  /// How many elements are not what they must be.
  std::size_t wrong() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      count += out[i] != a[i] * static_cast<float>(number) + b[i];
    return count;
  }
  /// Whether all of the output is as `spoil` left it.
  bool isUntouched() const {
    return std::all_of(out.begin(), out.end(), [](float x) { return x != x; });
  }
  /// Whether a call succeeds and is right.
  testing::AssertionResult works(const Kernel &kernel,
                                 const RunOptions &options = {}) {
    if (const Status status = run(kernel, options); !status)
      return testing::AssertionFailure() << status.error().render();
    if (const std::size_t count = wrong())
      return testing::AssertionFailure() << count << " elements are wrong";
    return testing::AssertionSuccess();
  }

private:
  int number;
  std::vector<float> a, b, out;
};

/// Whether `numbered(number)` compiles in that mode and is right.
inline testing::AssertionResult works(const Engine &engine, int number,
                                      Mode mode, std::int64_t count = 1000,
                                      const RunOptions &options = {}) {
  const auto kernel = engine.compile(numbered(number), in(mode));
  if (!kernel)
    return testing::AssertionFailure() << kernel.error().render();
  return Call(count, number).works(*kernel, options);
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_CALLS_H
