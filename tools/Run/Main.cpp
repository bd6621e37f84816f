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
#include "Common/Array.h"
#include "Common/CommandLine.h"
#include "Common/Files.h"
#include "Common/Npy.h"
#include "Common/Operand.h"
#include "Support/Text.h"
#include "kexpr/Engine.h"
#include "kexpr/PnnxGraph.h"
#include "kexpr/kexpr.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <iosfwd>
#include <iostream>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// What the command line says.
struct Options {
  std::string expression;
  /// What it is written in; none says that its operands do.
  std::optional<Syntax> syntax;
  /// A network to run instead of an expression.
  std::string param;
  /// The network's constants; empty for the file beside it, if there is one.
  std::string bin;
  std::vector<std::string> inputs;  ///< `OPERAND` or `NAME=OPERAND`.
  std::vector<std::string> outputs; ///< `FILE` or `NAME=FILE`.
  Mode mode = Mode::Optimized;
  Precision precision = Precision::Default;
  unsigned threads = 0;
  bool noFuse = false;
  bool print = false; ///< What the network is; without inputs no more.
  bool stats = false;
  std::string cacheDirectory;
};
} // namespace

static constexpr const char *footer = R"(
Operands, @0 first:
  FILE.npy                 a NumPy file
  full:VALUE:TYPE[SHAPE]   VALUE everywhere
  arange:TYPE[SHAPE]       0, 1, 2...
  rand:SEED:TYPE[SHAPE]    standard normal, the same on every machine

An expression in Python's notation, `a*x + b`, takes its operands in the order
in which their names first appear, or as NAME=OPERAND; NAME=2.5 is a Python
number, which takes its type from what it meets. Types are NumPy's. Without
--syntax, text in which there is no '@' and that is given operands is such.

A network (--pnnx) takes its operands in the order of its pnnx.Input operators,
or as NAME=OPERAND, and gives its pnnx.Output operators, or with -o NAME=FILE
any operand. All its operators must be some that kexpr computes.

Examples:
  kexpr-run 'add(mul(@0,@1),@2)' a.npy b.npy full:1:f32 -o out.npy
  kexpr-run 'a*x + b' x=x.npy a=2.5 b=b.npy
  kexpr-run 'mul(@0,sigmoid(@0))' 'rand:1:f32[8,256,56,56]' --stats
  kexpr-run --pnnx net.pnnx.param x.npy -o y.npy

Exit status: 0 success; 1 a bad expression, input or output; 2 bad usage.)";

static void addOptions(CLI::App &app, Options &options) {
  auto *expression =
      app.add_option("EXPR", options.expression,
                     "the expression; '-' reads it from standard input");
  app.add_option("INPUT", options.inputs, "the operands; see below");
  app.add_option("-o,--output", options.outputs,
                 "write the result to a .npy file; once for each output. "
                 "Without it a summary is printed")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  addSyntax(app, options.syntax);
  addThreads(app, options.threads);
  const auto addMode = [&](const char *name, Mode mode, const char *help) {
    return app.add_flag_callback(
        name, [&options, mode] { options.mode = mode; }, help);
  };
  auto *interpret =
      addMode("--interpret", Mode::Interpret, "generate no machine code");
  addMode("--baseline", Mode::Baseline,
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
  app.final_callback([expression, pnnx] {
    if (!*pnnx && expression->empty())
      throw CLI::RequiredError("EXPR");
  });
  app.footer(footer);
}

/// Type, shape, least, greatest and mean element, and the first few. Extremes
/// and mean leave NaNs out, which are counted.
static void printSummary(const Array &array) {
  std::cout << nameOf(array.type()) << array.shape().str() << '\n';
  const std::int64_t count = array.count();
  if (count == 0)
    return;
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  double sum = 0;
  std::int64_t nans = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = array.at(i);
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    sum += value;
  }
  std::cout << std::setprecision(9);
  if (nans < count)
    std::cout << "  min    " << least << "\n  max    " << greatest
              << "\n  mean   " << sum / static_cast<double>(count - nans)
              << '\n';
  if (nans > 0)
    std::cout << "  nan    " << nans << " of " << count << '\n';
  constexpr std::int64_t most = 8;
  std::cout << "  first ";
  for (std::int64_t i = 0; i < std::min(count, most); ++i)
    std::cout << ' ' << array.at(i);
  std::cout << (count > most ? " ...\n" : "\n");
}

static double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// Compile times by stage, tier, code size, run time and threads.
static void printStats(const Kernel &kernel, std::chrono::nanoseconds runTime,
                       unsigned threads) {
  const CompileTimes times = kernel.compileTimes();
  const std::pair<const char *, std::chrono::nanoseconds> stages[] = {
      {"parse", times.parse}, {"plan", times.plan},
      {"emit", times.emit},   {"codegen", times.codegen},
      {"link", times.link},   {"total", times.total()}};
  std::cout << "tier     " << nameOf(kernel.tier()) << '\n';
  std::cout << std::fixed << std::setprecision(3);
  for (const auto &[name, time] : stages)
    std::cout << std::left << std::setw(9) << name << std::right << std::setw(9)
              << milliseconds(time) << " ms\n";
  std::cout << "run      " << std::setw(9) << milliseconds(runTime) << " ms\n"
            << std::defaultfloat << "code     " << kernel.codeSize()
            << " bytes\n"
            << "work     " << kernel.operationsPerElement()
            << " operations an element\n"
            << "threads  "
            << (threads ? threads
                        : std::max(1u, std::thread::hardware_concurrency()))
            << " at most\n";
}

/// What an engine generated, by tier, and what its caches did.
static void printStats(const Engine &engine) {
  const EngineStats stats = engine.stats();
  const auto &[baseline, optimized] = std::tie(stats.baseline, stats.optimized);
  std::cout << "loops    " << std::fixed << std::setprecision(3) << "baseline "
            << baseline.loops << " in " << milliseconds(baseline.time)
            << " ms, optimized " << optimized.loops << " in "
            << milliseconds(optimized.time) << " ms" << std::defaultfloat
            << "\ncache    " << stats.hits << " hits, " << stats.misses
            << " misses, " << stats.evictions << " evictions, " << stats.kernels
            << " kernels, " << stats.codeBytes << " bytes\n"
            << "disk     " << stats.diskHits << " hits, " << stats.diskMisses
            << " misses, " << stats.diskStored << " stored, "
            << stats.diskFailed << " failed\n";
}

namespace {
/// `NAME=REST`, or a rest alone.
struct Assignment {
  std::string name;
  std::string rest;
};
} // namespace

using Names = std::vector<std::string>;

/// Reads assignments. A word before the first `=` is a name only if it is one
/// of `names`: files may be called anything. Those without a name get the names
/// that are left, in order.
static std::vector<Assignment> assign(const std::vector<std::string> &texts,
                                      const Names &names, const Names &inOrder,
                                      const char *kind,
                                      const char *whose = "network") {
  std::vector<Assignment> assignments;
  for (const std::string &text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    const bool isNamed =
        equals < text.size() && std::ranges::count(names, name);
    assignments.push_back(isNamed ? Assignment{name, text.substr(equals + 1)}
                                  : Assignment{{}, text});
  }
  auto next = inOrder.begin();
  for (Assignment &assignment : assignments) {
    if (!assignment.name.empty())
      continue;
    while (next != inOrder.end() &&
           std::ranges::count(assignments, *next, &Assignment::name))
      ++next;
    if (next == inOrder.end())
      exitWith({ErrorCode::InvalidArgument,
                concat("'", assignment.rest, "' is one more than the ", whose,
                       "'s ", inOrder.size(), " ", kind, "s")});
    assignment.name = *next;
  }
  return assignments;
}

static Names namesOf(Span<const GraphPort> ports) {
  Names names;
  for (const GraphPort &port : ports)
    names.push_back(port.name);
  return names;
}

/// The file of constants beside `x.pnnx.param` is `x.pnnx.bin`.
static std::string binFor(const Options &options) {
  return options.bin.empty() ? binBeside(options.param) : options.bin;
}

static void printPorts(const char *kind, Span<const GraphPort> ports) {
  for (const GraphPort &port : ports)
    std::cout << kind << ' ' << port.name << ' '
              << (port.type ? nameOf(*port.type) : "?")
              << (port.shape ? port.shape->str() : "") << '\n';
}

static void printSteps(const std::vector<GraphStep> &steps, bool areTimed) {
  for (const GraphStep &step : steps) {
    std::cout << (step.expression.empty() ? "layer " : "kernel");
    for (const std::string &name : step.operators)
      std::cout << ' ' << name;
    std::cout << "\n  " << step.elements << " elements, " << step.bytes
              << " bytes";
    if (areTimed)
      std::cout << ", " << static_cast<double>(step.time.count()) / 1e3
                << " us";
    if (!step.expression.empty())
      std::cout << "\n  " << step.expression;
    std::cout << '\n';
  }
}

/// Graphs may keep results where, and as, they were given.
static Array copyOutput(const Engine &engine, const PnnxGraph &graph,
                        const std::string &name) {
  const auto view = orExit(graph.output(name));
  Array array = orExit(Array::make(view.type(), view.shape()));
  const Kernel kernel = orExit(engine.compile(
      "@0", {.mode = Mode::Interpret, .operandTypes = {view.type()}}));
  orExit(kernel.run(view, array.view()));
  return array;
}

/// Runs the graph and gives its inputs, whose memory outputs may share.
static std::vector<Array> runGraph(PnnxGraph &graph, const Options &options) {
  const Names names = namesOf(graph.inputs());
  const auto assignments = assign(options.inputs, names, names, "input");
  std::vector<Array> inputs;
  std::vector<NamedTensor> tensors;
  for (const auto &[name, operand] : assignments) {
    inputs.push_back(orExit(makeOperand(operand)));
    tensors.push_back({name, inputs.back().view()});
  }
  const RunOptions run{.maxThreads = options.threads};
  orExit(graph.run(tensors, {}, run));
  if (options.stats) {
    // The second time: the first may have compiled loops for these shapes.
    printSteps(orExit(graph.profile(tensors, {}, run)), true);
    std::cout << "memory   " << graph.memory().arena << " bytes for "
              << graph.memory().values << " bytes of values\n";
  }
  return inputs;
}

/// The graph of a network that gives these outputs: operands may be among
/// them.
static PnnxGraph makeGraph(const Engine &engine, const Options &options,
                           std::vector<Assignment> &outputs) {
  const PnnxModel model =
      orExit(PnnxModel::load(options.param, binFor(options)));
  LayerRegistry registry;
  orExit(registry.addElementwise());
  GraphOptions graphOptions{.mode = options.mode,
                            .precision = options.precision,
                            .fuse = !options.noFuse};
  PnnxGraph graph =
      orExit(PnnxGraph::create(engine, model, registry, graphOptions));
  const Names inOrder = namesOf(graph.outputs());
  Names names = inOrder;
  for (const PnnxOperand &operand : model.operands())
    names.push_back(operand.name);
  outputs = assign(options.outputs, names, inOrder, "output");
  for (const Assignment &output : outputs)
    if (!std::ranges::count(inOrder, output.name))
      graphOptions.extraOutputs.push_back(output.name);
  if (graphOptions.extraOutputs.empty())
    return graph;
  return orExit(PnnxGraph::create(engine, model, registry, graphOptions));
}

/// Runs a network of kexpr's own operators and writes or prints its outputs.
static void runNetwork(const Engine &engine, const Options &options) {
  std::vector<Assignment> outputs;
  PnnxGraph graph = makeGraph(engine, options, outputs);
  if (options.print) {
    printPorts("input ", graph.inputs());
    printPorts("output", graph.outputs());
    printSteps(graph.steps(), false);
    if (options.inputs.empty())
      return;
  }
  const std::vector<Array> inputs = runGraph(graph, options);
  for (const auto &[name, path] : outputs)
    orExit(writeNpy(path, copyOutput(engine, graph, name)));
  if (!outputs.empty())
    return;
  for (const GraphPort &port : graph.outputs()) {
    const Array array = copyOutput(engine, graph, port.name);
    std::cout << port.name << ' ';
    printSummary(array);
  }
}

static std::vector<TensorView> viewsOf(const std::vector<Array> &arrays) {
  std::vector<TensorView> views;
  for (const Array &array : arrays)
    views.push_back(array.view());
  return views;
}

/// The results of a kernel, in arrays of their own.
static std::vector<Array> compute(const Kernel &kernel,
                                  const std::vector<Array> &inputs,
                                  const Options &options) {
  const auto views = viewsOf(inputs);
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < kernel.outputCount(); ++i)
    outputs.push_back(orExit(Array::make(
        kernel.outputType(i), orExit(kernel.outputShape(views, i)))));
  const RunOptions run{.maxThreads = options.threads};
  const auto outputViews = viewsOf(outputs);
  orExit(kernel.run(views, outputViews, run));
  if (options.stats) {
    // The second time: the first may have compiled a loop for these shapes.
    const auto start = std::chrono::steady_clock::now();
    const Status status = kernel.run(views, outputViews, run);
    const auto time = std::chrono::steady_clock::now() - start;
    orExit(status);
    printStats(kernel, time, options.threads);
  }
  return outputs;
}

/// Runs a kernel and writes or prints its outputs.
static void runKernel(const Engine &engine, const Kernel &kernel,
                      const std::vector<Array> &inputs,
                      const Options &options) {
  const auto &paths = options.outputs;
  if (!paths.empty() && paths.size() != kernel.outputCount())
    exitWith({ErrorCode::InvalidArgument,
              concat(paths.size(), " output files for ", kernel.outputCount(),
                     " outputs of the expression")});
  const auto results = compute(kernel, inputs, options);
  if (options.stats)
    printStats(engine);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (paths.empty())
      printSummary(results[i]);
    else
      orExit(writeNpy(paths[i], results[i]));
}

/// An operand of infix text: an array, or a Python number.
static InfixOperand makeInfixOperand(const Assignment &assignment,
                                     std::vector<Array> &inputs) {
  const std::string &text = assignment.rest;
  const auto isRead = [&text](auto &number) {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  std::int64_t whole = 0;
  double real = 0;
  const char *type = isRead(whole) ? "i64" : isRead(real) ? "f64" : nullptr;
  const std::string operand = type ? concat("full:", text, ':', type) : text;
  const Array &input = inputs.emplace_back(orExit(makeOperand(operand)));
  return {input.type(), type ? OperandKind::Number : OperandKind::Tensor};
}

/// Runs an expression in Python's notation.
static void runInfix(const Engine &engine, const std::string &text,
                     const Options &options) {
  const auto program = orExit(InfixProgram::parse(text));
  const Names names(program.operands().begin(), program.operands().end());
  const auto assignments =
      assign(options.inputs, names, names, "operand", "expression");
  CompileOptions compile{.mode = options.mode,
                         .precision = options.precision,
                         .syntax = Syntax::Infix};
  std::vector<Array> inputs;
  std::vector<InfixOperand> operands;
  for (const std::string &name : names) {
    const auto given = std::ranges::find(assignments, name, &Assignment::name);
    if (given == assignments.end())
      exitWith({ErrorCode::MissingOperand,
                concat("the operand '", name, "' was not given")});
    operands.push_back(makeInfixOperand(*given, inputs));
    if (operands.back().kind == OperandKind::Number)
      compile.numberOperands.push_back(
          static_cast<std::uint32_t>(operands.size() - 1));
    compile.operandTypes.push_back(operands.back().type);
  }
  if (options.outputs.empty() && operands.empty()) {
    const auto expression = orExit(program.lower());
    std::cout << orExit(evaluate(expression)).str() << '\n';
    return;
  }
  runKernel(engine, orExit(engine.compile(text, compile)), inputs, options);
}

static void run(const Engine &engine, const Options &options) {
  const std::string source = expressionText(options.expression);
  const bool isInfix =
      !options.inputs.empty() && source.find('@') == std::string::npos;
  if (options.syntax.value_or(isInfix ? Syntax::Infix : Syntax::Pnnx) ==
      Syntax::Infix)
    return runInfix(engine, source, options);
  std::vector<Array> inputs;
  std::vector<Shape> shapes;
  // The operands' types and ranks, as far as results depend on them.
  CompileOptions compile{.mode = options.mode, .precision = options.precision};
  for (const std::string &text : options.inputs) {
    const Array &input = inputs.emplace_back(orExit(makeOperand(text)));
    if (input.shape().rank() == 0)
      compile.zeroDimOperands.push_back(
          static_cast<std::uint32_t>(shapes.size()));
    compile.operandTypes.push_back(input.type());
    shapes.push_back(input.shape());
  }
  const auto expression = orExit(Expression::parse(source));
  if (options.outputs.empty() && isScalar(expression)) {
    // It has no elements: a number.
    std::cout << orExit(evaluate(expression, shapes)).str() << '\n';
    return;
  }
  runKernel(engine, orExit(engine.compile(expression, compile)), inputs,
            options);
}

int main(int argc, char **argv) {
  CLI::App app("Computes an expression or a PNNX network over tensors.",
               "kexpr-run");
  Options options;
  addOptions(app, options);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  const Engine engine({.cacheDirectory = options.cacheDirectory});
  if (const Status status = engine.cacheStatus(); !status)
    std::cerr << "warning: " << status.error().message()
              << "; no machine code is kept there\n";
  if (options.param.empty()) {
    run(engine, options);
    return 0;
  }
  // Here the first word that is no option is an operand.
  if (!options.expression.empty())
    options.inputs.insert(options.inputs.begin(), options.expression);
  runNetwork(engine, options);
  if (options.stats)
    printStats(engine);
  return 0;
}
