//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Show.h"

#include "Dump/Here.h"
#include "Dump/Page.h"
#include "Dump/Types.h"
#include "Inspect/Explain.h"
#include "Inspect/Render.h"
#include "Support/Text.h"

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

static Expected<std::string> pageOf(const Expression &expression,
                                    const semantics::Plan &plan,
                                    const Options &options) {
  const auto target = targetOf(options);
  if (!target)
    return target.error();
  auto backend = backend::load();
  auto data = gatherPage(expression, plan, *target, options.level(), **backend);
  if (!data)
    return data.error();
  if (options.measure)
    data->measured = measureHere(**backend, plan, *target, options.level(),
                                 options.elements);
  else
    data->measured.reason = "measuring was turned off";
  return renderPage(*data);
}

static Expected<semantics::Plan> planOf(const Expression &expression,
                                        const Options &options) {
  auto operands = parseOperands(options.types);
  if (!operands)
    return operands.error();
  auto outputs = parseWalks(options.outputs);
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
    if (plan->streams && output.walk != semantics::Walk::Contiguous)
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
  if (options.pass.empty() && options.stage != "html")
    return showStage(*parseStage(options.stage), *expression, options);
  const auto plan = planOf(*expression, options);
  if (!plan)
    return plan.error();
  if (options.pass.empty())
    return pageOf(*expression, *plan, options);
  return inspect::renderAfter(
      options.pass,
      {*expression, *plan, options.level(), [&] { return targetOf(options); }});
}
