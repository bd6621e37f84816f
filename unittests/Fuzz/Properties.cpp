//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Properties.h"

#include "Ops/Table.h"
#include "TestUtil/Models.h"

#include <cmath>
#include <cstring>
#include <sstream>

using namespace kexpr;
using namespace kexpr::fuzz;

static std::string checkError(const Error &error, const std::string &text) {
  if (error.message().empty() || error.render().empty())
    return "an error without a message";
  if (error.hasRange() && (error.range().begin > error.range().end ||
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
/// What a program computed, or what is wrong with it.
struct Result {
  DType type = DType::F32;
  std::vector<char> elements;
  std::string problem;
};
} // namespace

static Result runIn(Mode mode, const Engine &engine, const Program &program) {
  CompileOptions options{.mode = mode};
  std::vector<TensorView> inputs;
  for (const Operand &operand : program.operands) {
    if (operand.shape.rank() == 0)
      options.zeroDimOperands.push_back(
          static_cast<std::uint32_t>(inputs.size()));
    inputs.push_back(operand.view());
    options.operandTypes.push_back(operand.type);
  }
  Result result;
  auto kernel = engine.compile(program.text, options);
  if (!kernel)
    return {{}, {}, kernel.error().render()};
  auto shape = kernel->outputShape(inputs);
  if (!shape)
    return {{}, {}, shape.error().render()};
  result.type = kernel->outputType();
  result.elements.resize(shape->elementCount() * sizeOf(result.type));
  const auto status = kernel->run(
      inputs, TensorView(static_cast<void *>(result.elements.data()),
                         result.type, *shape));
  result.problem = status ? "" : status.error().render();
  return result;
}

Verdict fuzz::checkModel(const std::string &file) {
  static const std::string bin = test::sampleBin(true);
  const auto model = file.starts_with("PK")
                         ? test::parseModel(test::SampleParam, file)
                         : test::parseModel(file, bin);
  return {static_cast<bool>(model), test::problemOf(model)};
}

double fuzz::valueOf(DType type, const char *element) {
  const void *args[] = {element};
  double value = 0;
  if (type == DType::F64)
    std::memcpy(&value, element, sizeof value);
  else
    ops::conversion(type, DType::F64)(1, args, &value);
  return value;
}

/// The first element that differs.
static std::string compare(const Result &machine, const Result &interpreted) {
  if (machine.problem != interpreted.problem)
    return machine.problem + " is not " + interpreted.problem;
  if (machine.type != interpreted.type)
    return "another type";
  const std::size_t size = sizeOf(machine.type);
  for (std::size_t at = 0; at < interpreted.elements.size(); at += size) {
    const char *a = machine.elements.data() + at;
    const char *b = interpreted.elements.data() + at;
    const double got = valueOf(machine.type, a);
    const double expected = valueOf(machine.type, b);
    if (std::memcmp(a, b, size) == 0 ||
        (std::isnan(got) && std::isnan(expected)))
      continue;
    std::ostringstream text;
    text << std::hexfloat << "element " << at / size << " of "
         << nameOf(machine.type) << ": interpreted " << expected
         << ", compiled " << got;
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
  if (verdict.problem.empty())
    return verdict;
  std::string types;
  for (const Operand &operand : program.operands)
    types += " " + std::string(nameOf(operand.type)) + operand.shape.str();
  verdict.problem = program.text + types + "\n" + verdict.problem;
  return verdict;
}
