//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Kernels.h"

#include "Support/Text.h"

#include <map>

using namespace kexpr;
using namespace kexpr::tools;

/// The engines of this process, one for each width of vectors.
static const std::map<unsigned, Engine> &engines() {
  static const auto all = [] {
    std::map<unsigned, Engine> engines;
    for (unsigned bits : {128u, 256u, 512u}) {
      Engine engine(
          EngineOptions{.cpu = {}, .features = {}, .vectorBits = bits});
      if (engine.vectorBits() == bits)
        engines.emplace(bits, std::move(engine));
    }
    return engines;
  }();
  return all;
}

std::span<const unsigned> tools::hostWidths() {
  static const auto widths = [] {
    std::vector<unsigned> widths;
    for (const auto &entry : engines())
      widths.push_back(entry.first);
    return widths;
  }();
  return widths;
}

static Error noSuchWidth(unsigned bits) {
  std::string all;
  for (unsigned width : hostWidths())
    all += concat(all.empty() ? "" : ", ", width);
  return {ErrorCode::Unsupported,
          all.empty() ? "machine code cannot be made for this CPU"
                      : concat("this CPU has no vectors of ", bits,
                               " bits; it has ", all)};
}

Expected<KernelSet> tools::compileKernels(const Expression &expression,
                                          DType type, Precision precision,
                                          std::span<const unsigned> widths,
                                          bool withInterpreter) {
  if (widths.empty())
    return noSuchWidth(0);
  KernelSet set{precision, {widths.begin(), widths.end()}, {}};
  CompileOptions options{.precision = precision};
  options.operandTypes.assign(expression.operandCount(), type);
  for (unsigned width : widths) {
    const auto engine = engines().find(width);
    if (engine == engines().end())
      return noSuchWidth(width);
    auto kernel = engine->second.compile(expression, options);
    if (!kernel)
      return kernel.error();
    set.kernels.push_back(std::move(*kernel));
  }
  if (withInterpreter) {
    options.mode = Mode::Interpret;
    auto kernel = Engine().compile(expression, options);
    if (!kernel)
      return kernel.error();
    set.interpreter.emplace(std::move(*kernel));
  }
  return set;
}
