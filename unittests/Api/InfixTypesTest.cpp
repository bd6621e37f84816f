//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Infix text held against NumPy and PyTorch: utils/infix_expectations.py.
//
//===----------------------------------------------------------------------===//
#include "Api/TestData.h"
#include "kexpr/Engine.h"
#include "kexpr/Infix.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iomanip>
#include <map>

using namespace kexpr;

namespace {

/// The bytes of elements of a type.
using Bytes = std::vector<unsigned char>;

constexpr std::size_t Count = 8;

/// An operand: a tensor of `Count` elements, or a Python number.
struct InfixInput {
  InfixOperand operand;
  Bytes bytes;

  TensorView view() {
    const Shape shape =
        operand.kind == OperandKind::Number ? Shape{} : Shape{Count};
    return {bytes.data(), operand.type, shape};
  }
};

/// Elements by what they are for: "powers", "integers", "floats"; of a and b.
using Elements = std::map<std::string, std::vector<std::string>>;

std::vector<double> readNumbers(const std::string &text) {
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    numbers.push_back(std::stod(word));
  return numbers;
}

/// Elements of f64 as those of another type.
Bytes converted(const Engine &engine, std::vector<double> numbers, DType type) {
  const Shape shape{static_cast<std::int64_t>(numbers.size())};
  CompileOptions options{.mode = Mode::Interpret,
                         .operandTypes = {DType::F64},
                         .syntax = Syntax::Infix};
  std::string cast;
  for (const auto &[name, of] :
       std::initializer_list<std::pair<const char *, DType>>{
           {"bool", DType::Bool},
           {"int8", DType::I8},
           {"uint8", DType::U8},
           {"int16", DType::I16},
           {"int32", DType::I32},
           {"int64", DType::I64},
           {"uint16", DType::U16},
           {"uint32", DType::U32},
           {"uint64", DType::U64},
           {"float16", DType::F16},
           {"bfloat16", DType::BF16},
           {"float32", DType::F32},
           {"float64", DType::F64}})
    if (of == type)
      cast = name;
  const auto kernel = engine.compile(cast + "(a)", options);
  EXPECT_TRUE(kernel) << kernel.error().render();
  Bytes bytes(sizeOf(type) * numbers.size());
  EXPECT_TRUE(kernel->run(TensorView(numbers.data(), DType::F64, shape),
                          TensorView(bytes.data(), type, shape)));
  return bytes;
}

/// FNV-1a of elements in which all NaNs are one, and zeros have no sign if
/// `isUnsigned`.
template <class T> std::uint64_t digestOf(const Bytes &bytes, bool isUnsigned) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T bits;
    std::memcpy(&bits, &bytes[i], sizeof bits);
    if (isUnsigned && static_cast<T>(bits << 1) == 0)
      bits = 0;
    for (std::size_t byte = 0; byte < sizeof bits; ++byte)
      value = (value ^ (bits >> 8 * byte & 0xFF)) * 0x100000001B3;
  }
  return (value >> 32 ^ value) & 0xFFFFFFFF;
}

/// Sets every NaN to the one that NumPy has.
template <class T> void mendNaNs(Bytes &bytes, T infinity, T nan) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T bits;
    std::memcpy(&bits, &bytes[i], sizeof bits);
    if (static_cast<T>(bits << 1) > static_cast<T>(infinity << 1))
      std::memcpy(&bytes[i], &nan, sizeof nan);
  }
}

std::uint64_t digest(Bytes bytes, DType type, const std::string &text,
                     Semantics semantics) {
  const bool isUnsigned =
      semantics == Semantics::Torch && (text.find("//") != std::string::npos ||
                                        text.find('%') != std::string::npos);
  switch (type) {
  case DType::F64:
    mendNaNs<std::uint64_t>(bytes, 0x7FF0000000000000, 0x7FF8000000000000);
    return digestOf<std::uint64_t>(bytes, isUnsigned);
  case DType::F32:
    mendNaNs<std::uint32_t>(bytes, 0x7F800000, 0x7FC00000);
    return digestOf<std::uint32_t>(bytes, isUnsigned);
  case DType::F16:
    mendNaNs<std::uint16_t>(bytes, 0x7C00, 0x7E00);
    return digestOf<std::uint16_t>(bytes, isUnsigned);
  case DType::BF16:
    mendNaNs<std::uint16_t>(bytes, 0x7F80, 0x7FC0);
    return digestOf<std::uint16_t>(bytes, isUnsigned);
  default:
    return digestOf<unsigned char>(bytes, false);
  }
}

class InfixTable {
public:
  InfixTable(const char *file, Semantics semantics)
      : rows(test::readTable(file)), semantics(semantics) {
    for (const auto &row : rows)
      if (row[0] == "#")
        elements[row[1]] = {row[2], row[3]};
  }
  void check(Mode mode, bool areLiterals);

private:
  InfixInput input(const std::string &text, const std::string &kind,
                   std::size_t role) const;
  std::string outcome(const std::string &text, std::vector<InfixInput> inputs,
                      bool hasDigest, Mode mode) const;

  const std::vector<std::vector<std::string>> rows;
  const Semantics semantics;
  Elements elements;
  Engine engine;
};

InfixInput InfixTable::input(const std::string &text, const std::string &kind,
                             std::size_t role) const {
  const bool isPower = text.find("**") != std::string::npos;
  if (kind == "int" || kind == "float") {
    const double number = kind == "int" ? 3 : isPower ? 2 : 2.5;
    const DType type = kind == "int" ? DType::I64 : DType::F64;
    return {{type, OperandKind::Number}, converted(engine, {number}, type)};
  }
  const DType type = *parseDType(kind);
  const bool isReal = kind.find('f') != std::string::npos;
  const auto &texts = elements.at(isPower  ? "powers"
                                  : isReal ? "floats"
                                           : "integers");
  return {{type}, converted(engine, readNumbers(texts[role]), type)};
}

/// "f32 1234abcd", or "error -".
std::string InfixTable::outcome(const std::string &text,
                                std::vector<InfixInput> inputs, bool hasDigest,
                                Mode mode) const {
  CompileOptions options{
      .mode = mode, .syntax = Syntax::Infix, .semantics = semantics};
  std::vector<TensorView> views;
  for (InfixInput &input : inputs) {
    if (input.operand.kind == OperandKind::Number)
      options.numberOperands.push_back(
          static_cast<std::uint32_t>(views.size()));
    options.operandTypes.push_back(input.operand.type);
    views.push_back(input.view());
  }
  const auto kernel = engine.compile(text, options);
  if (!kernel)
    return "error -";
  const DType type = kernel->outputType(0);
  if (!hasDigest)
    return std::string(nameOf(type)) + " -";
  Bytes bytes(sizeOf(type) * Count);
  const Status status =
      kernel->run(views, TensorView(bytes.data(), type, Shape{Count}));
  EXPECT_TRUE(status) << status.error().render();
  std::ostringstream result;
  result << nameOf(type) << ' ' << std::hex << std::setw(8) << std::setfill('0')
         << digest(bytes, type, text, semantics);
  return result.str();
}

void InfixTable::check(Mode mode, bool areLiterals) {
  std::size_t count = 0;
  for (const auto &row : rows) {
    if (row[0] == "#")
      continue;
    std::string text = row[0];
    std::vector<InfixInput> inputs;
    bool hasNumber = false;
    for (std::size_t role = 0; role < 2; ++role) {
      const std::string name(1, "ab"[role]);
      const std::string &kind = row[1 + role];
      const bool isNumber = kind == "int" || kind == "float";
      hasNumber |= isNumber;
      const std::size_t place = role == 0 ? 0 : text.rfind(name);
      if (isNumber && areLiterals)
        text.replace(place, 1,
                     kind == "int"                            ? "3"
                     : row[0].find("**") != std::string::npos ? "2.0"
                                                              : "2.5");
      else if (role == 0 || row[0].find(" b") != std::string::npos)
        inputs.push_back(input(row[0], kind, role));
    }
    if (areLiterals && !hasNumber)
      continue;
    ++count;
    const std::string got = outcome(text, inputs, row[4] != "-", mode);
    EXPECT_EQ(got, row[3] + ' ' + row[4])
        << text << " of " << row[1] << " and " << row[2];
  }
  EXPECT_GT(count, areLiterals ? 600u : 2000u);
}

} // namespace

TEST(Infix, IsNumPysOverAllTypes) {
  InfixTable("infix_numpy.tsv", Semantics::Numpy).check(Mode::Interpret, false);
}

TEST(Infix, IsNumPysForLiterals) {
  InfixTable("infix_numpy.tsv", Semantics::Numpy).check(Mode::Interpret, true);
}

TEST(Infix, IsPyTorchsOverAllTypes) {
  InfixTable("infix_torch.tsv", Semantics::Torch).check(Mode::Interpret, false);
}

TEST(Infix, IsPyTorchsForLiterals) {
  InfixTable("infix_torch.tsv", Semantics::Torch).check(Mode::Interpret, true);
}
