//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Options.h"

#include "Support/Quote.h"
#include "Support/Text.h"
#include "Ulp/Measure.h"
#include "Ulp/Text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <map>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr const char *footer = R"(
Errors are in units in the last place (ulp) of the exact result. f32 operators
of one argument are walked over all 2^32 numbers, or one bit pattern out of
--step; others over --count special, structured and random inputs, the same at
every run. A kernel passes if its largest error is within the bound that the
operator table states, no zero has the wrong sign, and its bits are those of
the interpreter.

An expression is held against the same tree in wide precision. Its literals are
taken as kernels take them: computed with each other in double, and rounded to
the element type where they meet an operand. Operands without a --range are
drawn from -10 to 10.

Examples:
  kexpr-ulp exp log --step 4096
  kexpr-ulp --json all.json --resume all.json --markdown docs/accuracy.md
  kexpr-ulp --expr 'mul(@0,sigmoid(@1))' --range 0=-10:10 --range 1=0:1

Exit status: 0 all within the bounds; 1 a kernel that is not, or a bad name,
expression, range, number or file; 2 bad usage.)";

static void addChoices(CLI::App &app, Options &options) {
  const std::map<std::string, DType> types{{"f32", DType::F32},
                                           {"f64", DType::F64}};
  app.add_option("--type", options.types,
                 "element types; both by default, f32 with --expr")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(CLI::CheckedTransformer(types))
      ->option_text("f32|f64,...");
  const std::map<std::string, Precision> precisions{
      {"default", Precision::Default}, {"accurate", Precision::Accurate}};
  app.add_option("--precision", options.precisions,
                 "of f32; both by default, 'default' with --expr")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(CLI::CheckedTransformer(precisions))
      ->option_text("default|accurate,...");
  app.add_option("--width", options.widths,
                 "bits of vectors: 128, 256, 512; by default all that this CPU "
                 "has")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({128, 256, 512}))
      ->option_text("N,...");
}

static void addAmounts(CLI::App &app, Options &options) {
  app.add_option("--step", options.step,
                 "walk one bit pattern out of N; 1, the default, walks all")
      ->type_name("N");
  app.add_option("--count", options.count,
                 "inputs where not all can be walked; 262144 by default")
      ->type_name("N");
  app.add_option("--threads", options.threads,
                 "threads at most; 0, the default, is all")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  app.add_flag("--check-widths,!--no-check-widths", options.checkWidths,
               "also hold all bits against the interpreter's; on by default");
}

static void addFiles(CLI::App &app, Options &options, CLI::Option *expression) {
  app.add_option("--json", options.json,
                 "write all rows to a file, anew after each operator")
      ->excludes(expression)
      ->type_name("FILE");
  app.add_option("--markdown", options.markdown,
                 "write all rows as a page, when all are there")
      ->excludes(expression)
      ->type_name("FILE");
  app.add_option("--resume", options.resume,
                 "take rows from a file that --json wrote and measure the "
                 "others; may be the file of --json, and may then be missing")
      ->excludes(expression)
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void tools::addOptions(CLI::App &app, Options &options) {
  auto *names = app.add_option("OPERATOR", options.names,
                               "the operators to measure; all by default");
  auto *expression =
      app.add_option("--expr", options.expression,
                     "measure an expression instead; '-' reads it from "
                     "standard input")
          ->excludes(names)
          ->type_name("EXPR");
  app.add_option("--range", options.ranges,
                 "where an operand is drawn from, as 0=-10:10, ends included; "
                 "once for each operand")
      ->needs(expression)
      ->allow_extra_args(false)
      ->type_name("K=LOW:HIGH");
  app.add_flag("--exhaustive", options.exhaustive,
               "walk all f32 numbers in the range of the only operand")
      ->needs(expression);
  addChoices(app, options);
  addAmounts(app, options);
  addFiles(app, options, expression);
  app.footer(footer);
}

static Expected<ops::OpId> operatorOf(const std::string &name) {
  const auto op = ops::find(name);
  if (!op) {
    const std::string_view close = ops::closest(name);
    return Error(
        ErrorCode::UnknownOperator,
        concat("unknown operator ", quote(name),
               close.empty() ? "" : concat("; did you mean '", close, "'?")));
  }
  if (!isMeasurable(*op))
    return Error(ErrorCode::Unsupported,
                 concat("operator ", quote(name),
                        !ops::table()[*op].works(ops::Arithmetic::F32)
                            ? " takes integers"
                            : " gives bools",
                        " and has no error to measure"));
  return *op;
}

Expected<std::vector<ops::OpId>>
tools::operatorsOf(const std::vector<std::string> &names) {
  std::vector<ops::OpId> all;
  for (const std::string &name : names) {
    const auto op = operatorOf(name);
    if (!op)
      return op.error();
    all.push_back(*op);
  }
  for (ops::OpId op = 0; names.empty() && op < ops::table().size(); ++op)
    if (isMeasurable(op))
      all.push_back(op);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

static Expected<std::uint64_t>
numberOf(const char *option, const std::string &text, std::uint64_t most) {
  const auto number = parseWhole(text);
  if (!number || *number == 0 || *number > most)
    return Error(ErrorCode::InvalidArgument,
                 concat(option, " must be a whole number from 1 to ", most,
                        ", not ", quote(text)));
  return *number;
}

Expected<std::uint32_t> tools::stepOf(const Options &options) {
  const auto step = numberOf("--step", options.step,
                             std::numeric_limits<std::uint32_t>::max());
  if (!step)
    return step.error();
  return static_cast<std::uint32_t>(*step);
}

Expected<std::uint64_t> tools::countOf(const Options &options) {
  return numberOf("--count", options.count, std::uint64_t{1} << 40);
}
