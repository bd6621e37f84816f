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
#include "Dump/Syntax.h"
#include "Dump/Types.h"

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
  Precision precision = Precision::Default;
};
} // namespace

static constexpr const char *footer = R"(
Stages:
  tokens  the words of the text and their places
  ast     the tree
  rpn     the reverse Polish order and the height of its stack
  graph   the checked, simplified graph
  plan    the graph, how operands walk, and the work of one element
  llvm    the LLVM IR of the loop
  asm     its assembly

Operands: 'f32[n]' is contiguous, 'f32' one value, 'f32[]' that of a 0-d tensor,
'f32[n:s]' strided. Types: f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool.

Examples:
  kexpr-dump 'add(mul(@0,@1),@2)' --emit=llvm --types 'f32[n],f32'
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=asm --mcpu=skylake-avx512

Exit status: 0 success; 1 a bad expression, type or target; 2 bad usage.)";

static void addOptions(CLI::App &app, Options &options) {
  app.add_option("EXPR", options.expression,
                 "the expression; '-' reads it from standard input")
      ->required();
  app.add_option("--emit", options.stage, "the stage; 'graph' by default")
      ->check(CLI::IsMember(
          {"tokens", "ast", "rpn", "graph", "plan", "llvm", "asm"}))
      ->type_name("STAGE");
  app.add_option("--types", options.types,
                 "types and walks of @0, @1...; contiguous f32 by default")
      ->type_name("LIST");
  app.add_option("--triple", options.target.triple,
                 "the machine, as LLVM names it; the host by default")
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
               "assembly of LLVM's fastest code generator");
  app.footer(footer);
}

static Expected<std::string> codeOf(const semantics::Plan &plan,
                                    const Options &options) {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto target = (*backend)->makeTarget(options.target);
  if (!target)
    return target.error();
  return (*backend)->dump(plan, *target,
                          options.baseline ? codegen::OptLevel::Baseline
                                           : codegen::OptLevel::Optimized,
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
