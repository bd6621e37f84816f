//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FileTests/Runner.h"

#include "FileTests/CheckLines.h"
#include "Inspect/Explain.h"
#include "Inspect/Render.h"
#include "Semantics/Promotion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace kexpr;
using namespace kexpr::filetests;
using semantics::AccessPattern;

/// Elements of a run: whole vectors of any machine, and a tail.
static constexpr std::int64_t Count = 67;
/// Elements from one to the next of a strided operand.
static constexpr std::int64_t Step = 3;

Runner::Handler Runner::handlerOf(const std::string &name) {
  static const std::pair<const char *, Handler> handlers[] = {
      {"expr", &Runner::expression},     {"operands", &Runner::operands},
      {"error", &Runner::error},         {"graph", &Runner::graph},
      {"llvm", &Runner::llvm},           {"asm", &Runner::assembly},
      {"explain", &Runner::explanation}, {"run", &Runner::elements}};
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
  given = {};
}

void Runner::operands(Directive &directive) {
  auto parsed = tools::parseOperands(directive.argument);
  ASSERT_TRUE(parsed) << parsed.error().render();
  given = std::move(*parsed);
}

Expected<semantics::Plan> Runner::plan() const {
  auto expression = Expression::parse(text);
  if (!expression)
    return expression.error();
  auto made = tools::makePlan(*expression, given);
  if (made)
    made->listing =
        std::make_shared<const syntax::Listing>(syntax::list(*expression));
  return made;
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

static auto dumpOf(codegen::Stage stage) {
  return [stage](const semantics::Plan &plan, const codegen::Target &target) {
    return codegen::dump(plan, target, codegen::OptLevel::Optimized, stage);
  };
}

void Runner::llvm(Directive &directive) {
  check(directive, dumpOf(codegen::Stage::Llvm));
}

void Runner::assembly(Directive &directive) {
  check(directive, dumpOf(codegen::Stage::Asm));
}

void Runner::explanation(Directive &directive) {
  check(directive,
        [](const semantics::Plan &plan,
           const codegen::Target &target) -> Expected<std::string> {
          constexpr auto level = codegen::OptLevel::Optimized;
          auto report = codegen::reportLoop(plan, target, level);
          if (!report)
            return report.error();
          return inspect::explain(plan, target, level, *report);
        });
}

void Runner::check(const Directive &directive, const Dump &dump) {
  std::istringstream words(directive.argument);
  codegen::TargetOptions options;
  words >> options.cpu >> options.triple;
  if (options.triple.empty())
    options.triple = "x86_64-unknown-linux-gnu";
  auto target = codegen::makeTarget(options);
  ASSERT_TRUE(target) << target.error().render();
  auto made = plan();
  ASSERT_TRUE(made) << made.error().render();
  std::string dumped;
  for (const inspect::LoopOf &loop : inspect::loopsOf(*made)) {
    auto one = dump(loop.plan, *target);
    ASSERT_TRUE(one) << one.error().render();
    dumped += loop.heading + '\n' + *one;
  }
  std::string checks;
  for (const std::string &line : directive.body)
    checks += line + '\n';
  const std::string problems = checkLines(dumped, checks);
  EXPECT_TRUE(problems.empty())
      << directive.name << ' ' << directive.argument << ":\n"
      << problems << dumped;
}

/// A number in the spelling of C's %a, which loses nothing; an integer or bool
/// as itself.
static std::string spell(DType type, std::uint64_t bits) {
  const auto number = semantics::numberFrom(bits, type);
  if (number.kind != semantics::Number::Kind::Real)
    return std::to_string(number.integer);
  if (std::isnan(number.real))
    return "nan";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%a", number.real);
  return buffer;
}

/// The bits of an element for a number in any spelling of C.
static std::uint64_t read(const std::string &word, DType type) {
  semantics::Number number{.kind = semantics::Number::Kind::Real};
  if (semantics::isFloatingPoint(type))
    number.real = std::strtod(word.c_str(), nullptr);
  else
    number = {.integer = std::strtoll(word.c_str(), nullptr, 0)};
  return number.bitsAs(type);
}

namespace {
/// Memory of an operand that has one value everywhere it may be read, and all
/// ones elsewhere, which is NaN.
struct Operand {
  Operand(std::uint64_t bits, const semantics::Access &access, bool isZeroDim) {
    const bool isConstant = access.pattern == AccessPattern::Constant;
    const std::int64_t step =
        access.pattern == AccessPattern::Strided ? Step : 1;
    const std::int64_t count = isConstant ? 1 : Count;
    const std::size_t size = sizeOf(access.type);
    memory.assign(count * step * size, '\xFF');
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(memory.data() + i * step * size, &bits, size);
    const void *data = memory.data();
    view = isZeroDim ? TensorView(data, access.type, {})
                     : TensorView(data, access.type, {count}, {step});
  }
  // A move keeps where the memory is.
  Operand(Operand &&) = default;

  std::vector<char> memory;
  TensorView view;
};
} // namespace

semantics::Access Runner::accessOf(std::size_t operand) const {
  return operand < given.accesses.size() ? given.accesses[operand]
                                         : semantics::Access();
}

std::vector<std::string>
Runner::compute(const std::vector<std::uint64_t> &values, Mode mode) const {
  CompileOptions options{.mode = mode};
  for (const semantics::Access &access : given.accesses)
    options.operandTypes.push_back(access.type);
  options.zeroDimOperands = given.zeroDims;
  auto kernel = engine.compile(text, options);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().render();
    return {};
  }
  std::vector<Operand> inputs;
  std::vector<TensorView> inputViews, outputViews;
  for (std::size_t i = 0; i < values.size(); ++i)
    inputs.emplace_back(
        values[i], accessOf(i),
        std::count(given.zeroDims.begin(), given.zeroDims.end(), i) > 0);
  for (const Operand &input : inputs)
    inputViews.push_back(input.view);
  std::vector<std::vector<std::uint64_t>> memory;
  for (std::size_t i = 0; i < kernel->outputCount(); ++i) {
    auto shape = kernel->outputShape(inputViews, i);
    EXPECT_TRUE(shape);
    memory.emplace_back(static_cast<std::size_t>(Count));
    outputViews.emplace_back(static_cast<void *>(memory[i].data()),
                             kernel->outputType(i), shape ? *shape : Shape());
  }
  const Status status = kernel->run(inputViews, outputViews);
  EXPECT_TRUE(status) << status.error().render();
  std::vector<std::string> results;
  for (const TensorView &output : outputViews)
    results.push_back(spellAll(output));
  return results;
}

/// What every element of an output is.
std::string Runner::spellAll(const TensorView &output) {
  const std::size_t size = sizeOf(output.type());
  std::string first;
  for (std::int64_t i = 0; i < output.shape().elementCount(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char *>(output.data()) + i * size,
                size);
    const std::string element = spell(output.type(), bits);
    first = i == 0 ? element : first;
    EXPECT_EQ(element, first) << "element " << i << " is another";
  }
  return first;
}

void Runner::elements(Directive &directive) {
  std::istringstream words(directive.argument);
  std::vector<std::uint64_t> values;
  std::string line;
  for (std::string word; words >> word && word != "->"; line += word + ' ')
    values.push_back(read(word, accessOf(values.size()).type));
  const auto expected = compute(values, Mode::Interpret);
  for (Mode mode : {Mode::Baseline, Mode::Optimized})
    EXPECT_EQ(compute(values, mode), expected) << directive.argument;
  line += "->";
  for (const std::string &result : expected)
    line += ' ' + result;
  directive.argument = line;
}
