//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random typed programs against what PyTorch computes for them. The programs
/// are those of unittests/Data/programs.tsv and, with reductions, of
/// reductions.tsv beside it, or of the file that the environment variable
/// KEXPR_PROGRAMS names; Api/ProgramFile.h says what is in it.
///
//===----------------------------------------------------------------------===//
#include "Api/ProgramFile.h"
#include "Api/ProgramMemory.h"
#include "Support/Text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace kexpr;
using namespace kexpr::test;

namespace {
constexpr std::size_t MaxPrinted = 20;

using Results = std::vector<Guarded>;

class Checker {
public:
  void check(const Program &program);
  std::size_t failures() const { return failed; }
  std::size_t compared() const { return elements; }

private:
  bool run(const Program &program, Mode mode, Results &results);
  bool fits(const Program &program, const Kernel &kernel,
            const Operands &operands);
  void compare(const Program &program, const Results &results);
  void agree(const Program &program, const Results &a, const Results &b,
             const char *names);
  bool fail(const Program &program, const std::string &what);

  Engine engine;
  std::size_t failed = 0, elements = 0;
};
} // namespace

static std::string describe(const Program &program) {
  std::string text = concat("line ", program.line, ": ", program.expression);
  for (std::size_t k = 0; k < program.operands.size(); ++k) {
    const ProgramOperand &operand = program.operands[k];
    text += concat("\n  @", k, ' ', nameOf(operand.type), operand.shape.str(),
                   " strides ", operand.strides.str());
  }
  return text + "\n  ";
}

bool Checker::fail(const Program &program, const std::string &what) {
  if (++failed <= MaxPrinted)
    ADD_FAILURE() << describe(program) << what;
  return false;
}

static CompileOptions optionsFor(const Program &program, Mode mode) {
  CompileOptions options;
  options.mode = mode;
  for (const ProgramOperand &operand : program.operands)
    options.operandTypes.push_back(operand.type);
  return options;
}

/// Tensors without axes do not widen others of their category.
static std::vector<std::uint32_t> zeroDims(const Program &program) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t k = 0; k < program.operands.size(); ++k)
    if (program.operands[k].shape.rank() == 0)
      result.push_back(k);
  return result;
}

bool Checker::fits(const Program &program, const Kernel &kernel,
                   const Operands &operands) {
  if (kernel.outputCount() != program.outputs.size())
    return fail(program, concat("has ", kernel.outputCount(), " outputs, not ",
                                program.outputs.size()));
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const ProgramOutput &output = program.outputs[i];
    if (kernel.outputType(i) != output.type)
      return fail(program,
                  concat("output ", i, " is ", nameOf(kernel.outputType(i)),
                         ", not ", nameOf(output.type)));
    auto shape = kernel.outputShape(operands.span(), i);
    if (!shape)
      return fail(program, shape.error().render());
    if (*shape != output.shape)
      return fail(program, concat("output ", i, " has shape ", shape->str(),
                                  ", not ", output.shape.str()));
  }
  return true;
}

bool Checker::run(const Program &program, Mode mode, Results &results) {
  CompileOptions options = optionsFor(program, mode);
  options.zeroDimOperands = zeroDims(program);
  auto kernel = engine.compile(program.expression, options);
  if (!kernel)
    return fail(program, kernel.error().render());
  const Operands operands(program);
  if (!fits(program, *kernel, operands))
    return false;
  std::vector<TensorView> outputs;
  results.reserve(program.outputs.size());
  for (const ProgramOutput &output : program.outputs)
    outputs.push_back(results
                          .emplace_back(output.type, output.shape,
                                        program.line % 4 == 0 ? 2 : 1)
                          .view());
  auto status = kernel->run(operands.span(), outputs);
  if (!status)
    return fail(program, status.error().render());
  for (const Guarded &result : results)
    if (!result.intact())
      return fail(program, "wrote outside of an output");
  return true;
}

/// Whether two elements have the same bits; any NaN is like another.
static bool sameElement(const unsigned char *a, const unsigned char *b,
                        DType type) {
  return std::memcmp(a, b, sizeOf(type)) == 0 ||
         (isFloat(type) && std::isnan(floatAt(a, type)) &&
          std::isnan(floatAt(b, type)));
}

static bool isNear(double got, double expected, double tolerance) {
  return got == expected || (std::isnan(got) && std::isnan(expected)) ||
         std::fabs(got - expected) <= tolerance || std::isinf(tolerance);
}

static std::string show(const unsigned char *element, DType type) {
  std::ostringstream text;
  if (isFloat(type))
    text << floatAt(element, type) << ' ';
  text << "0x" << std::hex;
  for (std::size_t byte = sizeOf(type); byte-- > 0;)
    text << element[byte] / 16 << element[byte] % 16;
  return text.str();
}

static bool isRight(const ProgramOutput &output, std::size_t i,
                    const unsigned char *got, std::string &expected) {
  if (!output.values.empty()) {
    expected = concat(output.values[i], " within ", output.tolerances[i]);
    return isNear(floatAt(got, output.type), output.values[i],
                  output.tolerances[i]);
  }
  const auto *bytes = output.bytes.data() + i * sizeOf(output.type);
  expected = show(bytes, output.type);
  return sameElement(got, bytes, output.type) ||
         (!output.tolerances.empty() && std::isinf(output.tolerances[i]));
}

void Checker::compare(const Program &program, const Results &results) {
  std::string expected;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const ProgramOutput &output = program.outputs[k];
    const std::int64_t count = output.shape.elementCount();
    elements += count;
    for (std::int64_t i = 0; i < count; ++i)
      if (!isRight(output, i, results[k].at(i), expected)) {
        fail(program, concat("output ", k, ", ", nameOf(output.type),
                             output.shape.str(), ", element ", i, ": got ",
                             show(results[k].at(i), output.type), ", expected ",
                             expected));
        return;
      }
  }
}

void Checker::agree(const Program &program, const Results &a, const Results &b,
                    const char *names) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const ProgramOutput &output = program.outputs[k];
    for (std::int64_t i = 0; i < output.shape.elementCount(); ++i)
      if (!sameElement(a[k].at(i), b[k].at(i), output.type)) {
        fail(program, concat("output ", k, ", ", nameOf(output.type),
                             output.shape.str(), ", element ", i, ": ", names,
                             " gave ", show(a[k].at(i), output.type), " and ",
                             show(b[k].at(i), output.type)));
        return;
      }
  }
}

void Checker::check(const Program &program) {
  Results interpreted, optimized, baseline;
  if (!run(program, Mode::Interpret, interpreted) ||
      !run(program, Mode::Optimized, optimized))
    return;
  compare(program, interpreted);
  agree(program, interpreted, optimized, "interpreted and optimized");
  if (program.line % 10 == 0 && run(program, Mode::Baseline, baseline))
    agree(program, interpreted, baseline, "interpreted and baseline");
}

static void expectPyTorch(const std::string &path, std::size_t least) {
  auto programs = readPrograms(path);
  ASSERT_TRUE(programs) << programs.error().render();
  ASSERT_GE(programs->size(), least);
  Checker checker;
  for (const Program &program : *programs)
    checker.check(program);
  EXPECT_EQ(checker.failures(), 0u) << "of " << programs->size() << " programs";
  std::cout << programs->size() << " programs, " << checker.compared()
            << " elements\n";
}

TEST(Programs, EqualPyTorch) {
  if (const char *named = std::getenv("KEXPR_PROGRAMS"))
    return expectPyTorch(named, 1);
  expectPyTorch(KEXPR_TEST_DATA "/programs.tsv", 400);
  expectPyTorch(KEXPR_TEST_DATA "/reductions.tsv", 600);
}

TEST(Programs, AMalformedLineIsRefusedWithItsNumber) {
  const std::string operand = "f32:2:1:0000803f00000040";
  EXPECT_TRUE(
      parseProgram("exact\tneg(@0)\t" + operand + "\tf32:1:000080bf", 1));
  const std::string lines[] = {
      "",
      "exact\tneg(@0)\t" + operand,
      "odd\tneg(@0)\t" + operand + "\tf32:1:000080bf",
      "exact\tneg(@0)\tf33:2:1:0000803f00000040\tf32:1:000080bf",
      "exact\tneg(@0)\tf32:2,2:1:0000803f00000040\tf32:1:000080bf",
      "exact\tneg(@0)\tf32:2:1:0000803f0000004\tf32:1:000080bf",
      "exact\tneg(@0)\tf32:2:1:0000803f0000004g\tf32:1:000080bf",
      "exact\tneg(@0)\tf32:2:-1:0000803f00000040\tf32:1:000080bf",
      "exact\tneg(@0)\t" + operand + "\tf32:1:000080bf:0000",
      "approximate\tneg(@0)\t" + operand + "\tf32:1:000080bf:0000",
  };
  for (const std::string &line : lines) {
    auto program = parseProgram(line, 17);
    ASSERT_FALSE(program) << line;
    EXPECT_TRUE(program.error().message().starts_with("line 17: ")) << line;
  }
}
