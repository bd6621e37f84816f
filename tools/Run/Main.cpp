//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-run: computes an expression, or a PNNX network, over files and
// generated tensors.
//
//===----------------------------------------------------------------------===//
#include "Common/CommandLine.h"
#include "Common/Npy.h"
#include "Common/Operand.h"
#include "Run/Network.h"
#include "Run/Summary.h"
#include "kexpr/kexpr.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::string expression;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  unsigned threads = 0;
  bool interpret = false;
  bool baseline = false;
  bool stats = false;
  std::string cacheDirectory;
  Precision precision = Precision::Default;
  NetworkOptions network;
};
} // namespace

static constexpr const char *footer = R"(
Operands, @0 first:
  FILE.npy                 a NumPy file
  full:VALUE:TYPE[SHAPE]   VALUE everywhere
  arange:TYPE[SHAPE]       0, 1, 2...
  rand:SEED:TYPE[SHAPE]    standard normal, the same on every machine

A network (--pnnx) takes its operands in the order of its pnnx.Input operators,
or as NAME=OPERAND, and gives its pnnx.Output operators, or with -o NAME=FILE
any operand. It must be elementwise throughout.

Examples:
  kexpr-run 'add(mul(@0,@1),@2)' a.npy b.npy full:1:f32 -o out.npy
  kexpr-run 'mul(@0,sigmoid(@0))' 'rand:1:f32[8,256,56,56]' --stats
  kexpr-run --pnnx net.pnnx.param x.npy -o y.npy

Exit status: 0 success; 1 a bad expression, input or output; 2 bad usage.)";

static void addOptions(CLI::App &app, Options &options) {
  app.add_option("EXPR", options.expression,
                 "the expression; '-' reads it from standard input");
  app.add_option("INPUT", options.inputs, "the operands; see below");
  app.add_option("-o,--output", options.outputs,
                 "write the result to a .npy file; once for each output. "
                 "Without it a summary is printed")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app.add_option("--threads", options.threads,
                 "threads at most; 0, the default, is all")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  auto *interpret = app.add_flag("--interpret", options.interpret,
                                 "generate no machine code");
  app.add_flag("--baseline", options.baseline,
               "generate code with LLVM's fastest code generator")
      ->excludes(interpret);
  addPrecision(app, options.precision);
  app.add_flag("--stats", options.stats,
               "print compile times by stage, run time, tier, threads, and "
               "what the caches did");
  app.add_option("--cache", options.cacheDirectory,
                 "keep machine code in a directory, for the next run; "
                 "KEXPR_CACHE_DIR by default")
      ->type_name("DIR");
  app.footer(footer);
}

static void addNetworkOptions(CLI::App &app, NetworkOptions &options) {
  auto *pnnx = app.add_option("--pnnx", options.param,
                              "run a network instead of an expression")
                   ->type_name("FILE.pnnx.param");
  app.add_option("--bin", options.bin,
                 "the network's constants; the .bin beside it by default")
      ->type_name("FILE")
      ->needs(pnnx);
  app.add_flag("--no-fuse", options.noFuse, "run it operator by operator")
      ->needs(pnnx);
  app.add_flag("--print", options.print,
               "print inputs, outputs and kernels of the network; without "
               "operands nothing is run")
      ->needs(pnnx);
  app.final_callback([&app, pnnx] {
    if (!*pnnx && app.get_option("EXPR")->empty())
      throw CLI::RequiredError("EXPR");
  });
}

static Expected<std::vector<Array>>
makeInputs(const std::vector<std::string> &texts) {
  std::vector<Array> arrays;
  for (const std::string &text : texts) {
    auto array = makeOperand(text);
    if (!array)
      return array.error();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

static std::vector<TensorView> viewsOf(const std::vector<Array> &arrays) {
  std::vector<TensorView> views;
  for (const Array &array : arrays)
    views.push_back(array.view());
  return views;
}

/// The results of a kernel, in arrays of their own.
static Expected<std::vector<Array>> compute(const Kernel &kernel,
                                            const std::vector<Array> &inputs,
                                            const Options &options) {
  const auto views = viewsOf(inputs);
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < kernel.outputCount(); ++i) {
    auto shape = kernel.outputShape(views, i);
    if (!shape)
      return shape.error();
    auto output = Array::make(kernel.outputType(i), *shape);
    if (!output)
      return output.error();
    outputs.push_back(std::move(*output));
  }
  const RunOptions run{.maxThreads = options.threads};
  const auto outputViews = viewsOf(outputs);
  if (auto status = kernel.run(views, outputViews, run); !status)
    return status.error();
  if (options.stats) {
    // The second time: the first may have compiled a loop for these shapes.
    const auto start = std::chrono::steady_clock::now();
    const Status status = kernel.run(views, outputViews, run);
    const auto time = std::chrono::steady_clock::now() - start;
    if (!status)
      return status.error();
    printStats(std::cout, kernel, time, options.threads);
  }
  return outputs;
}

static Status deliver(const std::vector<Array> &results,
                      const std::vector<std::string> &paths) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (paths.empty())
      printSummary(std::cout, results[i]);
    else if (auto status = writeNpy(paths[i], results[i]); !status)
      return status;
  }
  return {};
}

static Mode modeOf(const Options &options) {
  if (options.interpret)
    return Mode::Interpret;
  return options.baseline ? Mode::Baseline : Mode::Optimized;
}

/// The operands' types and ranks, as far as results depend on them.
static CompileOptions compileOptions(const Options &options,
                                     const std::vector<Array> &inputs) {
  CompileOptions compile{.mode = modeOf(options),
                         .precision = options.precision};
  for (const Array &input : inputs) {
    if (input.shape().rank() == 0)
      compile.zeroDimOperands.push_back(
          static_cast<std::uint32_t>(compile.operandTypes.size()));
    compile.operandTypes.push_back(input.type());
  }
  return compile;
}

/// Prints what an expression without elements comes to.
static Status printScalar(const Expression &expression,
                          const std::vector<Array> &inputs) {
  std::vector<Shape> shapes;
  for (const Array &input : inputs)
    shapes.push_back(input.shape());
  auto value = evaluate(expression, shapes);
  if (!value)
    return value.error();
  std::cout << value->str() << '\n';
  return {};
}

static Status run(const Engine &engine, const Options &options) {
  auto inputs = makeInputs(options.inputs);
  if (!inputs)
    return inputs.error();
  auto expression = Expression::parse(expressionText(options.expression));
  if (!expression)
    return expression.error();
  if (options.outputs.empty() && isScalar(*expression))
    return printScalar(*expression, *inputs);
  auto kernel = engine.compile(*expression, compileOptions(options, *inputs));
  if (!kernel)
    return kernel.error();
  const std::size_t wanted = options.outputs.size();
  if (wanted != 0 && wanted != kernel->outputCount())
    return Error(ErrorCode::InvalidArgument,
                 std::to_string(wanted) + " output files for " +
                     std::to_string(kernel->outputCount()) +
                     " outputs of the expression");
  auto results = compute(*kernel, *inputs, options);
  if (!results)
    return results.error();
  if (options.stats)
    printStats(std::cout, engine);
  return deliver(*results, options.outputs);
}

/// Here the first word that is no option is an operand.
static Status runNetwork(const Engine &engine, const Options &options) {
  NetworkOptions network = options.network;
  network.inputs = options.inputs;
  if (!options.expression.empty())
    network.inputs.insert(network.inputs.begin(), options.expression);
  network.outputs = options.outputs;
  network.mode = modeOf(options);
  network.precision = options.precision;
  network.threads = options.threads;
  network.stats = options.stats;
  Status status = runNetwork(engine, network);
  if (status && options.stats)
    printStats(std::cout, engine);
  return status;
}

static Engine makeEngine(const Options &options) {
  const Engine engine({.cacheDirectory = options.cacheDirectory});
  if (const Status status = engine.cacheStatus(); !status)
    std::cerr << "warning: " << status.error().message()
              << "; no machine code is kept there\n";
  return engine;
}

int main(int argc, char **argv) {
  CLI::App app("Computes an expression or a PNNX network over tensors.",
               "kexpr-run");
  Options options;
  addOptions(app, options);
  addNetworkOptions(app, options.network);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  const Engine engine = makeEngine(options);
  const Status status = options.network.param.empty()
                            ? run(engine, options)
                            : runNetwork(engine, options);
  return status ? 0 : report(status.error());
}
