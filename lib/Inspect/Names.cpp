//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Names.h"

#include "Code/Identity.h"
#include "Support/Hash.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::inspect;
using codegen::OptLevel;
using semantics::Access;
using semantics::AccessPattern;
using semantics::Plan;

std::string_view inspect::nameOf(OptLevel level) {
  return level == OptLevel::Baseline ? "baseline" : "optimized";
}

std::string inspect::shortened(std::string_view text) {
  constexpr std::size_t most = 60;
  return text.size() <= most ? std::string(text)
                             : concat(text.substr(0, most - 3), "...");
}

static std::string_view letterOf(AccessPattern pattern) {
  switch (pattern) {
  case AccessPattern::Contiguous:
    return "n";
  case AccessPattern::Constant:
    return "";
  case AccessPattern::Strided:
    return "s";
  case AccessPattern::Rows:
    return "r";
  case AccessPattern::Row:
    return "a";
  case AccessPattern::Columns:
    return "c";
  }
  return {};
}

static std::string accessText(const Access &access) {
  return concat(kexpr::nameOf(access.type), letterOf(access.pattern));
}

static std::string accessesText(const std::vector<Access> &accesses) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(most, accesses.size());
  const bool areEqual = std::equal(accesses.begin() + !accesses.empty(),
                                   accesses.end(), accesses.begin());
  if (areEqual && !accesses.empty())
    return accessText(accesses[0]);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += (i ? "-" : "") + accessText(accesses[i]);
  return shown < accesses.size() ? text + "-etc" : text;
}

/// Nothing at the default precision.
static std::string precisionAfter(std::string_view prefix, const Plan &plan) {
  return plan.precision == Precision::Default
             ? std::string()
             : concat(prefix, ops::nameOf(plan.precision));
}

std::string inspect::signatureOf(const Plan &plan) {
  const bool areContiguous = std::all_of(
      plan.outputs.begin(), plan.outputs.end(), [](const Access &access) {
        return access.pattern == AccessPattern::Contiguous;
      });
  return concat(accessesText(plan.inputs), areContiguous ? "" : "-to-",
                areContiguous ? "" : accessesText(plan.outputs),
                precisionAfter(".", plan), plan.streams ? ".streamed" : "");
}

/// The letters and digits of an expression, with a dash for whatever stands
/// between them.
static std::string readable(std::string_view expression) {
  constexpr std::size_t most = 60;
  std::string text;
  for (char c : expression.substr(0, 4 * most)) {
    const bool isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_';
    if (isWord)
      text += c;
    else if (!text.empty() && text.back() != '-')
      text += '-';
  }
  text.resize(std::min(text.size(), most));
  while (text.ends_with('-'))
    text.pop_back();
  return text.empty() ? "kernel" : text;
}

std::string inspect::folderNameOf(const Plan &plan,
                                  const codegen::Target &target,
                                  OptLevel level) {
  const std::string &text = plan.source->expression.canonical();
  const auto all = Digest::of(
      concat(code::buildId(), '\n', text, '\n', target.triple, '\n', target.cpu,
             '\n', target.features, '\n', target.vectorBits, '\n',
             target.heavyVectorBits, '\n', target.convertingVectorBits, '\n',
             nameOf(level), '\n', plan.key()));
  return concat(readable(text), '.', signatureOf(plan), '.', nameOf(level), '.',
                all.str().substr(0, 8));
}

/// A text as one word of a shell.
static std::string shellWord(std::string_view text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + '\'';
}

static std::string patternText(AccessPattern pattern) {
  return pattern == AccessPattern::Constant  ? ""
         : pattern == AccessPattern::Strided ? "[n:s]"
                                             : "[n]";
}

/// `--types` up to the last operand that is not contiguous f32; empty if all
/// are.
static std::string typesOption(const Plan &plan) {
  std::vector<Access> operands(plan.source->expression.operandCount());
  const auto &types = plan.source->operandTypes;
  for (std::size_t i = 0; i < std::min(types.size(), operands.size()); ++i)
    operands[i].type = types[i];
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (plan.graph.inputs[i] < operands.size()) // Else of an earlier sweep.
      operands[plan.graph.inputs[i]] = plan.inputs[i];
  while (!operands.empty() && operands.back() == Access())
    operands.pop_back();
  std::string text;
  for (const Access &access : operands)
    text += concat(text.empty() ? "" : ",", kexpr::nameOf(access.type),
                   patternText(access.pattern));
  return text.empty() ? text : " --types=" + shellWord(text);
}

static std::string outputsOption(const Plan &plan) {
  std::string text;
  bool isStrided = false;
  for (const Access &access : plan.outputs) {
    text += (text.empty() ? "" : ",") + patternText(access.pattern);
    isStrided = isStrided ||
                (access.pattern == AccessPattern::Strided && !access.reducing);
  }
  return isStrided ? " --outputs=" + shellWord(text) : std::string();
}

static std::string zeroDimsOption(const Plan &plan) {
  std::string text;
  for (std::uint32_t operand : plan.source->zeroDims)
    text += concat(text.empty() ? " --zero-dims=" : ",", operand);
  return text;
}

static std::string targetOption(const codegen::TargetOptions &options) {
  std::string text;
  if (!options.cpu.empty())
    text += " --mcpu=" + shellWord(options.cpu);
  if (!options.features.empty())
    text += " --mattr=" + shellWord(options.features);
  if (options.vectorBits != 0)
    text += concat(" --vector-bits=", options.vectorBits);
  return text;
}

std::string inspect::commandFor(const Plan &plan,
                                const codegen::TargetOptions &options,
                                OptLevel level) {
  constexpr std::size_t most = 10000;
  const std::string &text = plan.source->expression.canonical();
  const bool isLong = text.size() > most;
  return concat("kexpr-dump --emit=all", typesOption(plan),
                zeroDimsOption(plan), outputsOption(plan),
                plan.streams ? " --streamed" : "",
                precisionAfter(" --precision=", plan),
                level == OptLevel::Baseline ? " --baseline" : "",
                targetOption(options), text.starts_with('-') ? " -- " : " ",
                isLong ? "- <expression.txt" : shellWord(text));
}
