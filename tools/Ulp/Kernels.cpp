//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Kernels.h"

#include "Support/Text.h"

#include <algorithm>
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

const std::vector<unsigned> &tools::hostWidths() {
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

/// Adds a kernel of each width, and the interpreter's.
static Status addKernels(KernelSet &set, const Expression &expression,
                         CompileOptions options, bool withInterpreter) {
  for (unsigned width : set.widths) {
    const auto engine = engines().find(width);
    if (engine == engines().end())
      return noSuchWidth(width);
    auto kernel = engine->second.compile(expression, options);
    if (!kernel)
      return kernel.error();
    set.kernels.push_back(std::move(*kernel));
  }
  if (!withInterpreter)
    return {};
  options.mode = Mode::Interpret;
  auto kernel = Engine().compile(expression, options);
  if (!kernel)
    return kernel.error();
  set.interpreter.emplace(std::move(*kernel));
  return {};
}

Expected<std::vector<KernelSet>>
tools::compileKernels(const Expression &expression, DType type,
                      std::span<const Precision> precisions,
                      std::span<const unsigned> widths, bool withInterpreter) {
  if (widths.empty())
    widths = hostWidths();
  if (widths.empty())
    return noSuchWidth(0);
  std::vector<KernelSet> sets;
  for (Precision precision :
       precisions.first(type == DType::F64 ? 1 : precisions.size())) {
    CompileOptions options{.precision = precision};
    options.operandTypes.assign(expression.operandCount(), type);
    sets.push_back({precision, {widths.begin(), widths.end()}, {}});
    if (auto status =
            addKernels(sets.back(), expression, options, withInterpreter);
        !status)
      return status.error();
  }
  return sets;
}

Status Block::compute(const Kernel &kernel, const Columns &inputs,
                      Columns &out) {
  out.resize(subject->type, subject->outputs, inputs.size());
  std::vector<TensorView> arguments, outputs;
  for (unsigned k = 0; k < subject->operands(); ++k)
    arguments.push_back(inputs.view(k));
  for (std::size_t i = 0; i < subject->outputs; ++i)
    outputs.push_back(out.view(i));
  return kernel.run(arguments, outputs, {.maxThreads = 1, .tileElements = 0});
}

Status Block::compute(const Columns &inputs) {
  Status status;
  for (std::size_t i = 0; status && i < results.size(); ++i)
    status = compute(set->kernels[i], inputs, results[i]);
  if (status && set->interpreter)
    status = compute(*set->interpreter, inputs, interpreted);
  areSame = status && std::all_of(results.begin(), results.end(),
                                  [this](const Columns &result) {
                                    return result.isIdentical(oracle());
                                  });
  return status;
}
