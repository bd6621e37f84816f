//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-ops: lists the operators.
//
//===----------------------------------------------------------------------===//
#include "Common/CommandLine.h"
#include "kexpr/Operators.h"

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <iomanip>
#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr std::string_view preamble = R"(# Operators

This page is what `kexpr-ops --markdown` prints.

Names are those of PNNX and PyTorch, and so are the meanings. **PNNX** says
whether PNNX itself writes the operator in expression strings; the others are
for hosts that write their own. **Types** is what an operator computes in, given
the type that its arguments promote to: *float* operators take integers and
bools as f32, *floating* ones refuse them, *numeric* ones keep any type,
*number* ones refuse bool, *counting* ones make it i64, *integral* ones refuse
floating point, *integer* ones bool as well, *truth* ones make each argument
bool, by itself, and *composed* ones are *floating* ones that are made of
others. f16 and bf16 are f32. **ULP** is the largest error in units in the last
place of the exact result, inf where its terms may cancel, in f32 at the default
precision, in f32 at the accurate one, in f64, and in f32 at the fast one: 0 is
exact, 0.5 correctly rounded. **Work** counts the primitive operations of one
f32 element at the default precision, or of one i64 or bool element where floats
are refused.

| operator | also | arguments | meaning | types | ULP | work | PNNX |
|---|---|---|---|---|---|---|---|
)";

static constexpr std::string_view rowPreamble = R"(
## Functions over axes

[Types and shapes](types.md#reductions) says what they mean exactly. An axis is
an integer that is written out, negative from the last one on; `axes` are one,
a list or `None`, for all; `keepdim` is `True` or `False`. Errors are those
where terms do not cancel. The first ones are reductions, and `cumsum` and
`cumprod` are scans; the others are made of these and of operators.

| function | arguments | meaning | ULP |
|---|---|---|---|
)";

/// "2", or "2 or 3" where a second arity has its own meaning, or "1 to 3" where
/// arguments may be left out.
static std::string arityText(const OperatorInfo &op) {
  std::string text = std::to_string(op.arity);
  if (op.defaults)
    text = std::to_string(op.arity - op.defaults) +
           (op.defaults == 1 ? " or " : " to ") + text;
  if (op.overloadArity)
    text += " or " + std::to_string(op.overloadArity);
  return text;
}

/// Text as it stands in a cell of a Markdown table.
static std::string cell(std::string_view text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

static std::string code(std::string_view text) {
  return text.empty() ? std::string() : "`" + cell(text) + "`";
}

/// The bounds of f32, accurate f32, f64 and fast f32; one where they are the
/// same.
static std::string ulpText(const OperatorInfo &op) {
  std::ostringstream text;
  text << op.maxUlp;
  if (op.maxUlpAccurate != op.maxUlp || op.maxUlpF64 != op.maxUlp ||
      op.maxUlpFast != op.maxUlp)
    text << " / " << op.maxUlpAccurate << " / " << op.maxUlpF64 << " / "
         << op.maxUlpFast;
  return text.str();
}

static std::string ulpText(const RowFunctionInfo &each) {
  std::ostringstream text;
  text << each.maxUlp;
  if (each.maxUlpF64 != each.maxUlp)
    text << " / " << each.maxUlpF64;
  return text.str();
}

static void printMarkdown(std::ostream &out) {
  out << preamble;
  for (const OperatorInfo &op : operators())
    out << "| " << code(op.name) << " | " << code(op.aliases) << " | "
        << arityText(op) << " | " << code(op.doc) << " | " << op.types << " | "
        << ulpText(op) << " | " << op.operations << " | "
        << (op.pnnx ? "yes" : "") << " |\n";
  out << rowPreamble;
  for (const RowFunctionInfo &each : rowFunctions())
    out << "| " << code(each.name) << " | " << code(each.signature) << " | "
        << code(each.doc) << " | " << ulpText(each) << " |\n";
}

static void printJson(std::ostream &out) {
  auto list = nlohmann::ordered_json::array();
  for (const OperatorInfo &op : operators())
    list.push_back({{"name", op.name},
                    {"aliases", op.aliases},
                    {"arity", op.arity},
                    {"overloadArity", op.overloadArity},
                    {"defaults", op.defaults},
                    {"doc", op.doc},
                    {"types", op.types},
                    {"maxUlp", op.maxUlp},
                    {"maxUlpAccurate", op.maxUlpAccurate},
                    {"maxUlpF64", op.maxUlpF64},
                    {"maxUlpFast", op.maxUlpFast},
                    {"operations", op.operations},
                    {"pnnx", op.pnnx}});
  out << list.dump(2) << '\n';
}

static void printRow(std::ostream &out, std::string_view name,
                     std::string_view arity, std::string_view types,
                     std::string_view ulp, std::string_view work,
                     std::string_view doc) {
  out << std::left << std::setw(15) << name << std::setw(11) << arity
      << std::setw(10) << types << std::setw(20) << ulp << std::setw(6) << work
      << doc << '\n';
}

static void printFunction(std::ostream &out, std::string_view name,
                          std::string_view arguments, std::string_view ulp,
                          std::string_view doc) {
  out << std::left << std::setw(19) << name << std::setw(32) << arguments
      << std::setw(10) << ulp << doc << '\n';
}

static void printText(std::ostream &out) {
  printRow(out, "operator", "arguments", "types", "ulp", "work", "meaning");
  for (const OperatorInfo &op : operators())
    printRow(out, op.name, arityText(op), op.types, ulpText(op),
             std::to_string(op.operations), op.doc);
  out << '\n';
  printFunction(out, "function", "arguments", "ulp", "meaning");
  for (const RowFunctionInfo &each : rowFunctions())
    printFunction(out, each.name, each.signature, ulpText(each), each.doc);
}

int main(int argc, char **argv) {
  CLI::App app("Lists the operators that expressions may use.", "kexpr-ops");
  bool markdown = false, json = false;
  auto *first = app.add_flag("--markdown", markdown, "as docs/operators.md");
  app.add_flag("--json", json, "as JSON")->excludes(first);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  if (markdown)
    printMarkdown(std::cout);
  else if (json)
    printJson(std::cout);
  else
    printText(std::cout);
  return 0;
}
