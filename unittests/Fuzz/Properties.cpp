//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Properties.h"

#include "TestUtil/Floats.h"

#include <sstream>

using namespace kexpr;
using namespace kexpr::fuzz;

static std::string checkError(const Error &error, const std::string &text) {
  if (error.message().empty() || error.render().empty())
    return "an error without a message";
  if (error.hasPlace() && (error.range().begin > error.range().end ||
                           error.range().end > text.size()))
    return "an error outside the text: " + error.message();
  return {};
}

static std::string checkRoundTrip(const Expression &expression) {
  const std::string &canonical = expression.canonical();
  auto again = Expression::parse(canonical);
  if (!again)
    return "canonical form refused: " + again.error().render();
  if (again->canonical() != canonical)
    return canonical + " became " + again->canonical();
  return {};
}

Verdict fuzz::checkText(const Engine &engine, const std::string &text) {
  auto expression = Expression::parse(text);
  if (!expression)
    return {false, checkError(expression.error(), text)};
  if (std::string problem = checkRoundTrip(*expression); !problem.empty())
    return {false, problem};
  auto kernel = engine.compile(*expression, {.mode = Mode::Interpret});
  if (!kernel)
    return {false, checkError(kernel.error(), text)};
  return {true, {}};
}

namespace {
/// The result of a program in one mode.
struct Result {
  std::vector<float> values;
  std::string problem;
};
} // namespace

static Result runIn(Mode mode, const Engine &engine, const Program &program) {
  std::vector<TensorView> inputs;
  for (const Operand &operand : program.operands)
    inputs.push_back(operand.view());
  auto kernel = engine.compile(program.text, {.mode = mode});
  if (!kernel)
    return {{}, kernel.error().render()};
  auto shape = kernel->outputShape(inputs);
  if (!shape)
    return {{}, shape.error().render()};
  std::vector<float> values(shape->elementCount());
  const auto status =
      kernel->run(inputs, TensorView(values.data(), DType::F32, *shape));
  return {std::move(values), status ? "" : status.error().render()};
}

static std::string compare(const Result &machine, const Result &interpreted) {
  if (machine.problem != interpreted.problem)
    return machine.problem + " is not " + interpreted.problem;
  for (std::size_t i = 0; i < interpreted.values.size(); ++i)
    if (!test::sameFloat(machine.values[i], interpreted.values[i])) {
      std::ostringstream text;
      text << std::hexfloat << "element " << i << ": interpreted "
           << interpreted.values[i] << ", compiled " << machine.values[i];
      return text.str();
    }
  return {};
}

Verdict fuzz::checkProgram(const Engine &engine, const Program &program) {
  const Result interpreted = runIn(Mode::Interpret, engine, program);
  Verdict verdict{interpreted.problem.empty(), {}};
  for (Mode mode : {Mode::Baseline, Mode::Optimized})
    if (verdict.problem.empty())
      verdict.problem = compare(runIn(mode, engine, program), interpreted);
  if (!verdict.problem.empty())
    verdict.problem = program.text + "\n" + verdict.problem;
  return verdict;
}
