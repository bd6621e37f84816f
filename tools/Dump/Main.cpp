//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-dump: prints what each stage makes of an expression.
//
//===----------------------------------------------------------------------===//
#include "Backend/Backend.h"
#include "Common/CommandLine.h"
#include "Dump/Explain.h"
#include "Dump/Measure.h"
#include "Dump/Syntax.h"
#include "Dump/Types.h"
#include "Support/Text.h"

#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::string expression;
  std::string stage = "graph";
  std::string types;
  codegen::TargetOptions target;
  bool baseline = false;
  bool measure = true;
  std::int64_t elements = 4000000;
  Precision precision = Precision::Default;

  codegen::OptLevel level() const {
    return baseline ? codegen::OptLevel::Baseline
                    : codegen::OptLevel::Optimized;
  }
};
} // namespace

static constexpr const char *footer = R"(
Stages:
  tokens   the words of the text and their places
  ast      the tree
  rpn      the reverse Polish order and the height of its stack
  graph    the checked, simplified graph
  plan     the graph, how operands walk, and the work of one element
  llvm     the LLVM IR of the loop
  asm      its assembly
  explain  its shape, what LLVM's model of the CPU predicts, and what it takes
           here if this is the machine

Operands: 'f32[n]' is contiguous, 'f32' one value, 'f32[]' that of a 0-d tensor,
'f32[n:s]' strided. Types: f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool.

Examples:
  kexpr-dump 'add(mul(@0,@1),@2)' --emit=llvm --types 'f32[n],f32'
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=asm --mcpu=skylake-avx512
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=explain

Exit status: 0 success; 1 a bad expression, type or target; 2 bad usage.)";

static void addOptions(CLI::App &app, Options &options) {
  app.add_option("EXPR", options.expression,
                 "the expression; '-' reads it from standard input")
      ->required();
  app.add_option("--emit", options.stage, "the stage; 'graph' by default")
      ->check(CLI::IsMember(
          {"tokens", "ast", "rpn", "graph", "plan", "llvm", "asm", "explain"}))
      ->type_name("STAGE");
  app.add_option("--types", options.types,
                 "types and walks of @0, @1...; contiguous f32 by default")
      ->type_name("LIST");
  app.add_option("--triple", options.target.triple,
                 "the machine, as LLVM names it; the CPU's, or the host")
      ->type_name("TRIPLE");
  app.add_option("--mcpu", options.target.cpu, "its CPU")->type_name("CPU");
  app.add_option("--mattr", options.target.features,
                 "features to add or remove, as '+avx2,-avx512f'")
      ->type_name("LIST");
  app.add_option("--vector-bits", options.target.vectorBits,
                 "width of the vectors; the machine's best by default")
      ->check(CLI::IsMember({128, 256, 512}))
      ->type_name("N");
  addPrecision(app, options.precision);
  app.add_flag("--baseline", options.baseline,
               "code of LLVM's fastest code generator");
  app.add_flag("!--no-measure", options.measure,
               "explain what is predicted and time nothing");
  app.add_option(
         "--elements", options.elements,
         "explain: the largest size to time, 4000000 by default; at most "
         "1 GiB of operands")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32))
      ->type_name("N");
  app.footer(footer);
}

/// Of operands and outputs that a loop is timed over.
static constexpr std::int64_t mostBytes = std::int64_t{1} << 30;

/// What a loop takes at a few sizes, or why that is not known.
static std::string timesOf(const backend::Backend &backend,
                           const semantics::Plan &plan,
                           const codegen::Target &target,
                           const codegen::LoopReport &report,
                           const Options &options) {
  const auto host = backend.makeTarget({});
  if (!host || target.triple != host->triple || target.cpu != host->cpu ||
      !backend.checkRunsHere(target))
    return concat("Not measured: ", target.cpu, " is not this machine",
                  host ? ", which is " + host->cpu : "", '\n');
  auto failure = [](const Error &error) {
    return concat("Not measured: ", error.message(), '\n');
  };
  const auto compiled = backend.compile(plan, target, options.level());
  if (!compiled)
    return failure(compiled.error());
  const auto bytes = static_cast<std::int64_t>(plan.bytesPerElement());
  const std::int64_t last = std::min(options.elements, mostBytes / bytes);
  std::vector<std::int64_t> sizes = {1000, 32000, last};
  std::erase_if(sizes, [&](auto size) { return size > last; });
  const auto times = measureLoop(plan, compiled->image, sizes);
  return times ? timesText(*times, report) : failure(times.error());
}

static Expected<std::string> explanationOf(const backend::Backend &backend,
                                           const semantics::Plan &plan,
                                           const codegen::Target &target,
                                           const Options &options) {
  const auto report = backend.reportLoop(plan, target, options.level());
  if (!report)
    return report.error();
  const std::string text = explain(plan, target, options.level(), *report);
  return options.measure
             ? concat(text, '\n',
                      timesOf(backend, plan, target, *report, options))
             : text;
}

static Expected<std::string> codeOf(const semantics::Plan &plan,
                                    const Options &options) {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto target = (*backend)->makeTarget(options.target);
  if (!target)
    return target.error();
  if (options.stage == "explain")
    return explanationOf(**backend, plan, *target, options);
  return (*backend)->dump(plan, *target, options.level(),
                          options.stage == "asm" ? codegen::Stage::Asm
                                                 : codegen::Stage::Llvm);
}

static Expected<std::string> dump(const Options &options) {
  const std::string text = expressionText(options.expression);
  auto expression = Expression::parse(text);
  if (!expression)
    return expression.error();
  if (options.stage == "tokens")
    return tokensOf(*expression);
  if (options.stage == "ast")
    return treeOf(*expression);
  if (options.stage == "rpn")
    return rpnOf(*expression);

  auto operands = parseOperands(options.types);
  if (!operands)
    return operands.error();
  auto plan = makePlan(*expression, *operands);
  if (!plan)
    return plan.error();
  plan->precision = options.precision;
  plan->listing =
      std::make_shared<const syntax::Listing>(syntax::list(*expression));
  if (options.stage == "graph")
    return plan->graph.str();
  if (options.stage == "plan")
    return plan->str();
  return codeOf(*plan, options);
}

int main(int argc, char **argv) {
  CLI::App app("Prints what each stage of kexpr makes of an expression.",
               "kexpr-dump");
  Options options;
  addOptions(app, options);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  const auto text = dump(options);
  if (!text)
    return report(text.error());
  std::cout << *text;
  if (!text->ends_with('\n'))
    std::cout << '\n';
  return 0;
}
