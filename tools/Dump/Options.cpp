//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Options.h"

#include "Inspect/Render.h"

#include <CLI/CLI.hpp>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr const char *footer = R"(
Stages:
  tokens   the words of the text and their places
  ast      the tree
  rpn      the reverse Polish order and the height of its stack
  graph    the checked, simplified graph
  dot      the same for Graphviz
  plan     the graph, how operands pattern, and the work of one element
  llvm     the LLVM IR of the loop as it is emitted
  llvm-opt the IR as instruction selection gets it
  mir      the finished machine function, as LLVM's MIR text
  asm      its assembly
  obj      its object file
  explain  its shape, what LLVM's model of the CPU predicts, and what it takes
           here if this is the machine
  json     the same as data, with the code of each operator
  html     these data as a page that shows what each operator became
  all      all of them but data and page; with -o, a directory with a file each

Operands: 'f32[n]' is contiguous, 'f32' one value, 'f32[]' that of a 0-d tensor,
'f32[n:s]' strided. Types: f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool.

Examples:
  kexpr-dump 'add(mul(@0,@1),@2)' --emit=llvm --types 'f32[n],f32'
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=asm --mcpu=skylake-avx512
  kexpr-dump 'mul(@0,sigmoid(@0))' --print-after=machine-scheduler
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=all -o sigmoid
  kexpr-dump --emit=asm --diff 'mul(@0,sigmoid(@0))' 'silu(@0)'
  kexpr-dump 'silu(@0)' --emit=asm --diff --mcpu=znver3 --mcpu=skylake-avx512

A comparison fits its columns to COLUMNS, the terminal, or 160. Its gutter says
'|' of a line that changed, '<' and '>' of one on the left or right alone.

Exit status: 0 success, also of a comparison that finds differences; 1 a bad
expression, type or target, or a file that cannot be written; 2 bad usage.)";

static std::vector<std::string> stageNames() {
  std::vector<std::string> names = {"all", "html", "json"};
  for (Stage stage : inspect::AllStages)
    names.emplace_back(nameOf(stage));
  return names;
}

static void addSignature(CLI::App &app, Options &options) {
  app.add_option("--types", options.types,
                 "types and access of @0, @1...; contiguous f32 by default")
      ->type_name("LIST");
  app.add_option(
         "--zero-dims", options.zeroDims,
         "operands that are 0-d tensors, as '0,2', whatever their access")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--outputs", options.outputs,
                 "access of outputs, as '[n],[n:s]'; contiguous by default")
      ->type_name("LIST");
  app.add_flag("--streamed", options.streams,
               "outputs are written past the caches");
  addPrecision(app, options.precision);
}

static void addTarget(CLI::App &app, Options &options) {
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
  app.add_flag("--baseline", options.baseline,
               "code of LLVM's fastest code generator");
}

void tools::addOptions(CLI::App &app, Options &options) {
  // What a side of a comparison says comes last.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("EXPR", options.expression,
                 "the expression; '-' reads it from standard input")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->required();
  app.add_option("--emit", options.stage, "the stage; 'graph' by default")
      ->check(CLI::IsMember(stageNames()))
      ->type_name("STAGE");
  app.add_option("--print-after", options.pass,
                 "instead of a stage, the IR or machine IR after each of "
                 "LLVM's passes of this name, or after 'all'")
      ->type_name("PASS");
  app.add_option("-o,--output", options.path,
                 "the file to write, or the directory for 'all'")
      ->type_name("PATH");
  app.add_flag("--diff", options.lacksSides,
               "followed by A and B: what two command lines show, beside each "
               "other. Each is an expression, options, or both; the rest is "
               "common to them");
  app.add_flag("--unified", options.isUnified,
               "a comparison as 'diff -u' prints it");
  addSignature(app, options);
  addTarget(app, options);
  app.add_flag("!--no-measure", options.measure,
               "explain, json, html: time nothing");
  app.add_option(
         "--elements", options.elements,
         "explain, json, html: the largest size to time, 4000000 by default; "
         "at most 1 GiB of operands")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32))
      ->type_name("N");
  app.footer(footer);
}
