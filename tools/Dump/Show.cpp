//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Show.h"

#include "Dump/Json.h"
#include "Dump/Measure.h"
#include "Dump/Types.h"
#include "Inspect/Explain.h"
#include "Inspect/Render.h"
#include "Page/Page.h"
#include "Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

static Expected<codegen::Target> targetOf(const Options &options) {
  auto backend = backend::load();
  return backend ? (*backend)->makeTarget(options.target) : backend.error();
}

/// What a loop takes at a few sizes, or why that is not known.
static std::string timesOf(const Measured &measured,
                           const codegen::LoopReport &report) {
  return measured.times.empty()
             ? concat("Not measured: ", measured.reason, '\n')
             : timesText(measured.times, report);
}

static Expected<std::string> explainAndMeasure(const semantics::Plan &plan,
                                               const Options &options) {
  const auto target = targetOf(options);
  if (!target)
    return target.error();
  auto backend = backend::load();
  const auto report = (*backend)->reportLoop(plan, *target, options.level());
  if (!report)
    return report.error();
  return concat(inspect::explain(plan, *target, options.level(), *report), '\n',
                timesOf(measureHere(**backend, plan, *target, options.level(),
                                    options.elements),
                        *report));
}

/// Leaves out what a page would not show of a large function: lines in a row,
/// in the loop or not. The first of them becomes a label that says how many.
static void cutCode(nlohmann::json &code) {
  constexpr std::size_t mostInLoop = 4000, mostAround = 600;
  nlohmann::json shown = nlohmann::json::array();
  for (std::size_t begin = 0, end = 0; begin < code.size(); begin = end) {
    const bool isInLoop = code[begin]["in_loop"];
    while (end < code.size() && code[end]["in_loop"] == isInLoop)
      ++end;
    const std::size_t last =
        std::min(end, begin + (isInLoop ? mostInLoop : mostAround));
    for (std::size_t i = begin; i < last; ++i)
      shown.push_back(std::move(code[i]));
    if (last < end)
      shown.push_back({{"text", concat("and ", end - last, " more lines")},
                       {"is_label", true},
                       {"in_loop", isInLoop}});
  }
  code = std::move(shown);
}

/// The data of a kernel: as JSON, or as the page that shows them.
static Expected<std::string> dataOf(const Expression &expression,
                                    const semantics::Plan &plan,
                                    const Options &options) {
  const auto target = targetOf(options);
  if (!target)
    return target.error();
  auto backend = backend::load();
  const auto measured = options.measure
                            ? measureHere(**backend, plan, *target,
                                          options.level(), options.elements)
                            : Measured{{}, "measuring was turned off"};
  auto kernel = kernelJson(expression, plan, *target, options.level(),
                           **backend, measured);
  if (!kernel)
    return kernel.error();
  if (options.stage == "json")
    return jsonText(*kernel, 1);
  cutCode((*kernel)["ir"]);
  cutCode((*kernel)["assembly"]);
  return fillPage(kernelPage, *kernel);
}

static Expected<semantics::Plan> planOf(const Expression &expression,
                                        const Options &options) {
  auto operands = parseOperands(options.types);
  if (!operands)
    return operands.error();
  auto outputs = parsePatterns(options.outputs);
  if (!outputs)
    return outputs.error();
  operands->outputs = std::move(*outputs);
  operands->zeroDims.insert(operands->zeroDims.end(), options.zeroDims.begin(),
                            options.zeroDims.end());
  auto plan = makePlan(expression, *operands);
  if (!plan)
    return plan;
  plan->precision = options.precision;
  plan->streams = options.streams;
  plan->listing = std::make_shared<syntax::Listing>(syntax::list(expression));
  for (const semantics::Access &output : plan->outputs)
    if (plan->streams && output.pattern != semantics::AccessPattern::Contiguous)
      return Error(ErrorCode::InvalidArgument,
                   "outputs that are streamed cannot be strided");
  return plan;
}

static Expected<std::string>
showStage(Stage stage, const Expression &expression, const Options &options) {
  if (inspect::isOfText(stage))
    return inspect::render(stage, expression);
  const auto plan = planOf(expression, options);
  if (!plan)
    return plan.error();
  if (stage == Stage::Explain && options.measure)
    return explainAndMeasure(*plan, options);
  return inspect::render(stage, {expression, *plan, options.level(),
                                 [&] { return targetOf(options); }});
}

static Expected<Expression> parse(const Options &options) {
  return Expression::parse(expressionText(options.expression));
}

Expected<std::vector<File>> tools::showAll(const Options &options) {
  const auto expression = parse(options);
  if (!expression)
    return expression.error();
  Options stable = options;
  stable.measure = false;
  std::vector<File> files;
  for (Stage stage : inspect::AllStages) {
    auto text = showStage(stage, *expression, stable);
    if (!text)
      return text.error();
    files.push_back(
        {std::string(inspect::fileNameOf(stage)), std::move(*text)});
  }
  return files;
}

/// The stages that are text, each under its name.
static Expected<std::string> showHeaded(const Options &options) {
  const auto files = showAll(options);
  if (!files)
    return files.error();
  std::string text;
  for (std::size_t i = 0; i < files->size(); ++i)
    if (inspect::AllStages[i] != Stage::Obj)
      text += concat(text.empty() ? "" : "\n",
                     "=== ", nameOf(inspect::AllStages[i]), " ===\n",
                     (*files)[i].contents);
  return text;
}

Expected<std::string> tools::show(const Options &options) {
  if (options.pass.empty() && options.stage == "all")
    return showHeaded(options);
  const auto expression = parse(options);
  if (!expression)
    return expression.error();
  const bool isData = options.stage == "html" || options.stage == "json";
  if (options.pass.empty() && !isData)
    return showStage(*parseStage(options.stage), *expression, options);
  const auto plan = planOf(*expression, options);
  if (!plan)
    return plan.error();
  if (options.pass.empty())
    return dataOf(*expression, *plan, options);
  return inspect::renderAfter(
      options.pass,
      {*expression, *plan, options.level(), [&] { return targetOf(options); }});
}
