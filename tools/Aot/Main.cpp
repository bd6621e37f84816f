//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-aot: makes the code of expressions and networks ahead of time, for this
// machine or another.
//
//===----------------------------------------------------------------------===//
#include "Aot/Objects.h"
#include "Aot/Walks.h"
#include "Bench/ExpressionFile.h"
#include "Common/CommandLine.h"
#include "Common/Files.h"
#include "Dump/Types.h"
#include "Support/Text.h"
#include "kexpr/kexpr.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::vector<std::string> expressions;
  std::vector<std::string> lists;
  std::vector<std::string> networks;
  std::string types;
  std::optional<Syntax> syntax;
  Precision precision = Precision::Default;
  bool isForC = false;
  EngineOptions engine;
};

/// An expression, under the name that a list gives it, or else its number.
struct Named {
  BenchCase source;
  bool isListed = false;
};
} // namespace

static constexpr const char *footer = R"(
The directory is a cache for machines that have what the code needs: give it as
EngineOptions::cacheDirectory, as KEXPR_CACHE_DIR, or to 'kexpr-run --cache'. It
may hold code for several kinds of machine. What a call needs and the directory
lacks is generated where there is LLVM, and interpreted elsewhere.

Operands are as 'kexpr-dump --types' has them: 'f32[n]' is compiled contiguous,
constant and strided, 'f32' and 'f32[]' are constant, 'f32[n:s]' is strided. All
combinations are compiled up to three operands; with more, those of contiguous
and constant ones, and each operand strided alone. An expression that reduces is
compiled for matrices of several shapes. What is left out is printed.

Of a list (name, expression, shapes, with tabs between) that says shapes, their
walks alone are compiled, as are of a network those of the shapes in its file.

For those who link everything, --c makes functions of C that need nothing of
kexpr, of contiguous and constant operands: kexpr_NAME for an expression of a
list, kexpr_kernel0 and so on for others.

Examples:
  kexpr-aot --mcpu=cortex-a76 'mul(@0,sigmoid(@0))' 'gelu(@0)' -o cache
  kexpr-aot --mcpu=haswell 'a*x + b' --syntax=infix -o cache
  kexpr-aot --mcpu=cortex-a53 --pnnx net.pnnx.param -o cache

Exit status: 0 success; 1 a bad expression, network, target or directory; 2 bad
usage.)";

static void addOptions(CLI::App &app, Options &options) {
  app.add_option("EXPR", options.expressions, "expressions");
  app.add_option("--list", options.lists, "a file of expressions")
      ->type_name("FILE");
  auto *networks = app.add_option("--pnnx", options.networks, "a network")
                       ->type_name("FILE.pnnx.param");
  app.add_option("-o,--output", options.engine.aheadDirectory,
                 "the directory, made if it is missing")
      ->type_name("DIR")
      ->required();
  app.add_flag("--c", options.isForC,
               "instead of a cache: an object file for each expression, and "
               "kernels.h, a header for C")
      ->excludes(networks);
  app.add_option("--types", options.types,
                 "types and access of @0, @1...; f32[n] by default")
      ->type_name("LIST");
  addSyntax(app, options.syntax);
  addPrecision(app, options.precision);
  app.add_option("--mcpu", options.engine.cpu,
                 "the CPU, as LLVM names it; this machine's by default")
      ->type_name("CPU");
  app.add_option("--mattr", options.engine.features,
                 "features to add or remove, as '+avx2,-avx512f'")
      ->type_name("LIST");
  app.add_option("--vector-bits", options.engine.vectorBits,
                 "width of the vectors; the CPU's best by default")
      ->check(CLI::IsMember({128, 256, 512}))
      ->type_name("N");
  app.final_callback([&options] {
    if (options.expressions.empty() && options.lists.empty() &&
        options.networks.empty())
      throw CLI::RequiredError("EXPR, --list or --pnnx");
  });
  app.footer(footer);
}

/// Loops that were made since the last line.
static std::uint64_t newLoops(const Engine &engine) {
  static std::uint64_t known = 0;
  const std::uint64_t loops = engine.stats().compiled;
  return loops - std::exchange(known, loops);
}

static void report(const Engine &engine, const std::string &what,
                   const std::string &missing) {
  std::cout << what << ": " << counted(newLoops(engine), "loop") << '\n';
  if (!missing.empty())
    std::cout << "  left out: " << missing << '\n';
}

/// Makes the loops that calls of a kernel ask for.
static void makeLoops(const Engine &engine, const Options &options,
                      const Named &named, const Expression &expression,
                      const Operands &operands) {
  CompileOptions how{.precision = options.precision,
                     .operandTypes = {},
                     .zeroDimOperands = operands.zeroDims};
  for (const semantics::Access &access : operands.accesses)
    how.operandTypes.push_back(access.type);
  const Kernel kernel = orExit(engine.compile(expression, how));
  std::string missing;
  if (named.source.shapes.empty())
    missing = orExit(makeWalks(kernel, operands));
  else
    orExit(makeShapes(kernel, operands, named.source.shapes));
  report(engine, named.isListed ? named.source.name : named.source.expression,
         missing);
}

static std::vector<Named> expressionsOf(const Options &options) {
  std::vector<Named> all;
  for (const std::string &each : options.expressions)
    all.push_back(
        {{concat("kernel", all.size()), expressionText(each), {}}, false});
  for (const std::string &path : options.lists)
    for (BenchCase &each : orExit(readExpressionFile(path)))
      all.push_back({std::move(each), true});
  return all;
}

/// Makes a directory of object files, with a header.
static void makeObjects(const Options &options) {
  const auto operands = orExit(parseOperands(options.types));
  auto objects =
      orExit(Objects::create({.triple = {},
                              .cpu = options.engine.cpu,
                              .features = options.engine.features,
                              .vectorBits = options.engine.vectorBits}));
  for (const auto &[source, isListed] : expressionsOf(options))
    orExit(objects.add(
        source.name,
        orExit(parseExpression(source.expression, options.syntax, operands)),
        operands, options.precision));
  orExit(objects.write(options.engine.aheadDirectory));
}

namespace {
/// Stands for a layer of the host, of which the file says all that is needed.
class Placeholder final : public Layer {
public:
  using Layer::Layer;
  Status forward(Span<const TensorView>, Span<const TensorView>,
                 const RunOptions &) override {
    return Error(ErrorCode::Unsupported, "this layer is the host's");
  }
};
} // namespace

static void makeNetwork(const Engine &engine, const Options &options,
                        const std::string &path) {
  const PnnxModel model = orExit(PnnxModel::load(path, binBeside(path)));
  LayerRegistry registry;
  orExit(registry.addElementwise());
  const auto placeholder =
      [](const PnnxModel &of,
         const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
    return std::unique_ptr<Layer>(new Placeholder(of, op));
  };
  // Refused for those that are the graph's own.
  for (const PnnxOperator &op : model.operators())
    if (!registry.contains(op.type))
      (void)registry.add(op.type, placeholder);
  const PnnxGraph graph = orExit(
      PnnxGraph::create(engine, model, registry,
                        {.precision = options.precision, .prepare = true}));
  report(engine, path,
         graph.steps().empty() ? "all, as the file does not say all shapes"
                               : "");
}

int main(int argc, char **argv) {
  CLI::App app(
      "Makes code of kexpr ahead of time, for this machine or another.",
      "kexpr-aot");
  Options options;
  addOptions(app, options);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  if (options.isForC) {
    makeObjects(options);
    return 0;
  }
  const Engine engine(options.engine);
  const auto operands = orExit(parseOperands(options.types));
  for (const Named &each : expressionsOf(options))
    makeLoops(engine, options, each,
              orExit(parseExpression(each.source.expression, options.syntax,
                                     operands)),
              operands);
  for (const std::string &each : options.networks)
    makeNetwork(engine, options, each);
  return 0;
}
