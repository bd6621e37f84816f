//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FileTests/Runner.h"

#include "Dump/Types.h"
#include "FileTests/CheckLines.h"
#include "TestUtil/Floats.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>

using namespace kexpr;
using namespace kexpr::filetests;
using semantics::Walk;

/// Elements of a run: whole vectors of any machine, and a tail.
static constexpr std::int64_t Count = 67;
/// Elements from one to the next of a strided operand.
static constexpr std::int64_t Step = 3;

Runner::Handler Runner::handlerOf(const std::string &name) {
  static const std::pair<const char *, Handler> handlers[] = {
      {"expr", &Runner::expression}, {"operands", &Runner::operands},
      {"error", &Runner::error},     {"graph", &Runner::graph},
      {"llvm", &Runner::llvm},       {"asm", &Runner::assembly},
      {"run", &Runner::elements}};
  for (const auto &[known, handler] : handlers)
    if (name == known)
      return handler;
  return nullptr;
}

void Runner::run(std::vector<Directive> &directives) {
  for (Directive &directive : directives) {
    const Handler handler = handlerOf(directive.name);
    ASSERT_NE(handler, nullptr) << "no directive '" << directive.name << "'";
    (this->*handler)(directive);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

void Runner::expression(Directive &directive) {
  text = directive.argument;
  accesses.clear();
}

void Runner::operands(Directive &directive) {
  auto parsed = tools::parseAccesses(directive.argument);
  ASSERT_TRUE(parsed) << parsed.error().render();
  accesses = std::move(*parsed);
}

Expected<semantics::Plan> Runner::plan() const {
  auto expression = Expression::parse(text);
  if (!expression)
    return expression.error();
  return tools::makePlan(*expression, accesses);
}

void Runner::error(Directive &directive) {
  auto made = plan();
  ASSERT_FALSE(made) << text << " is no error";
  directive.body = splitLines(made.error().render());
}

void Runner::graph(Directive &directive) {
  auto made = plan();
  ASSERT_TRUE(made) << made.error().render();
  directive.body = splitLines(made->graph.str());
}

void Runner::llvm(Directive &directive) {
  checkStage(directive, codegen::Stage::Llvm);
}

void Runner::assembly(Directive &directive) {
  checkStage(directive, codegen::Stage::Asm);
}

void Runner::checkStage(const Directive &directive, codegen::Stage stage) {
  std::istringstream words(directive.argument);
  codegen::TargetOptions options;
  words >> options.cpu >> options.triple;
  if (options.triple.empty())
    options.triple = "x86_64-unknown-linux-gnu";
  auto target = codegen::makeTarget(options);
  ASSERT_TRUE(target) << target.error().render();
  auto made = plan();
  ASSERT_TRUE(made) << made.error().render();
  auto dumped =
      codegen::dump(*made, *target, codegen::OptLevel::Optimized, stage);
  ASSERT_TRUE(dumped) << dumped.error().render();
  std::string checks;
  for (const std::string &line : directive.body)
    checks += line + '\n';
  const std::string problems = checkLines(*dumped, checks);
  EXPECT_TRUE(problems.empty())
      << directive.name << ' ' << directive.argument << ":\n"
      << problems << *dumped;
}

/// A float in the spelling of C's %a, which loses nothing.
static std::string hexadecimal(float value) {
  if (std::isnan(value))
    return "nan";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%a", static_cast<double>(value));
  return buffer;
}

namespace {
/// Memory of an operand that has one value everywhere it may be read.
struct Operand {
  Operand(float value, Walk walk) {
    const bool isConstant = walk == Walk::Constant;
    const std::int64_t step = walk == Walk::Strided ? Step : 1;
    const std::int64_t count = isConstant ? 1 : Count;
    memory.assign(count * step, std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t i = 0; i < count; ++i)
      memory[i * step] = value;
    view = {
        static_cast<const void *>(memory.data()), DType::F32, {count}, {step}};
  }
  // A move keeps where the memory is.
  Operand(Operand &&) = default;

  std::vector<float> memory;
  TensorView view;
};
} // namespace

std::vector<float> Runner::compute(const std::vector<float> &values,
                                   Mode mode) const {
  auto kernel = engine.compile(text, {.mode = mode});
  if (!kernel) {
    ADD_FAILURE() << kernel.error().render();
    return {};
  }
  std::vector<Operand> inputs;
  std::vector<TensorView> inputViews, outputViews;
  for (std::size_t i = 0; i < values.size(); ++i)
    inputs.emplace_back(values[i], i < accesses.size() ? accesses[i].walk
                                                       : Walk::Contiguous);
  for (const Operand &input : inputs)
    inputViews.push_back(input.view);
  const std::size_t outputs = kernel->outputCount();
  std::vector<float> memory(outputs * Count);
  for (std::size_t i = 0; i < outputs; ++i)
    outputViews.emplace_back(memory.data() + i * Count, Shape{Count});

  const Status status = kernel->run(inputViews, outputViews);
  EXPECT_TRUE(status) << status.error().render();
  std::vector<float> results;
  for (std::size_t i = 0; i < outputs; ++i) {
    const float *first = memory.data() + i * Count;
    results.push_back(*first);
    for (std::int64_t j = 0; j < Count; ++j)
      EXPECT_TRUE(test::sameFloat(first[j], *first))
          << "element " << j << " of output " << i << " is another";
  }
  return results;
}

void Runner::elements(Directive &directive) {
  std::istringstream words(directive.argument);
  std::vector<float> values;
  std::string line;
  for (std::string word; words >> word && word != "->"; line += word + ' ')
    values.push_back(std::strtof(word.c_str(), nullptr));
  const auto expected = compute(values, Mode::Interpret);
  for (Mode mode : {Mode::Baseline, Mode::Optimized}) {
    const auto results = compute(values, mode);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(test::sameFloat(results[i], expected[i]))
          << "run " << directive.argument << ": interpreted "
          << hexadecimal(expected[i]) << ", compiled "
          << hexadecimal(results[i]);
  }
  line += "->";
  for (float result : expected)
    line += ' ' + hexadecimal(result);
  directive.argument = line;
}
