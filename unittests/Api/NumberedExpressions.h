//===- Api/NumberedExpressions.h - As many expressions as a test needs ----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_NUMBEREDEXPRESSIONS_H
#define KEXPR_UNITTESTS_API_NUMBEREDEXPRESSIONS_H

#include "kexpr/kexpr.h"

#include <array>
#include <bit>
#include <optional>
#include <string>

namespace kexpr::test {

/// An expression of three operands. Those of different numbers have loops that
/// differ; they are quick to compile.
inline std::string numbered(unsigned number) {
  // All operands in their order, so that none is another one with operands
  // renamed.
  std::string text = "add(mul(@0,@1),@2)";
  static constexpr const char *names[] = {"add", "sub", "mul", "max"};
  for (; number > 0; number = (number - 1) / 12) {
    const unsigned digit = (number - 1) % 12;
    text = std::string(names[digit % 4]) + "(" + text + ",@" +
           std::to_string(digit / 4) + ")";
  }
  return text;
}

/// Results of a call on operands that are always the same.
struct Results {
  static constexpr std::int64_t Count = 37;
  std::array<float, Count> values = {};

  friend bool operator==(const Results &a, const Results &b) {
    using Bits = std::array<std::uint32_t, Count>;
    return std::bit_cast<Bits>(a.values) == std::bit_cast<Bits>(b.values);
  }
};

/// None if the call was refused.
inline std::optional<Results> resultsOf(const Kernel &kernel) {
  std::array<std::array<float, Results::Count>, 3> operands;
  for (std::size_t k = 0; k < operands.size(); ++k)
    for (std::size_t i = 0; i < Results::Count; ++i)
      operands[k][i] =
          0.5f + static_cast<float>((i * 13 + k * 29) % 41) / 37.0f;
  const auto view = [&](std::size_t k) {
    return TensorView(operands[k].data(), {Results::Count});
  };
  Results results;
  if (!kernel.run({view(0), view(1), view(2)},
                  TensorView(results.values.data(), {Results::Count}),
                  {.maxThreads = 1}))
    return std::nullopt;
  return results;
}

/// What the interpreter computes.
inline std::optional<Results> interpreted(const Engine &engine,
                                          const std::string &text,
                                          CompileOptions options = {}) {
  options.mode = Mode::Interpret;
  const auto kernel = engine.compile(text, options);
  return kernel ? resultsOf(*kernel) : std::nullopt;
}

/// Whether a kernel gives the interpreter's bits.
inline bool isRight(const Kernel &kernel, const Engine &engine,
                    const std::string &text,
                    const CompileOptions &options = {}) {
  const auto results = resultsOf(kernel);
  return results && results == interpreted(engine, text, options);
}

/// The same for one that is compiled for it.
inline bool compilesRight(const Engine &engine, const std::string &text,
                          const CompileOptions &options) {
  const auto kernel = engine.compile(text, options);
  return kernel && isRight(*kernel, engine, text, options);
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_NUMBEREDEXPRESSIONS_H
