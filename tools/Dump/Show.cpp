//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Show.h"

#include "Dump/Measure.h"
#include "Dump/Types.h"
#include "Inspect/Explain.h"
#include "Inspect/Render.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::tools;

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

static Expected<codegen::Target> targetOf(const Options &options) {
  auto backend = backend::load();
  return backend ? (*backend)->makeTarget(options.target) : backend.error();
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
                timesOf(**backend, plan, *target, *report, options));
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
  if (options.pass.empty())
    return showStage(*parseStage(options.stage), *expression, options);
  const auto plan = planOf(*expression, options);
  if (!plan)
    return plan.error();
  return inspect::renderAfter(
      options.pass,
      {*expression, *plan, options.level(), [&] { return targetOf(options); }});
}
