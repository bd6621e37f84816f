//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results have the same bits on every processor: hashes of them were written on
// one, and each is held to them. After a change of bits, which CHANGELOG lists:
//
//   KEXPR_WRITE_BITS=bits.tsv ApiTest --gtest_filter='*/Bits.*'
//
//===----------------------------------------------------------------------===//
#include "Api/TestData.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace kexpr;
using namespace kexpr::test;

namespace {
constexpr std::size_t Count = 4099;

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Random bits, which are specials and subnormals too; every other number of a
/// floating-point type is of a common magnitude.
std::vector<char> operand(DType type, std::uint64_t seed) {
  const std::size_t size = sizeOf(type);
  std::vector<char> bytes(Count * size);
  for (std::size_t i = 0; i < Count; ++i) {
    std::uint64_t bits = mixed(seed << 32 | i);
    const bool isTame = i % 2;
    if (type == DType::F64 && isTame)
      bits = (bits & 0x800fffffffffffff) | (1020 + bits % 6) << 52;
    if (type == DType::F32 && isTame)
      bits = (bits & 0x807fffff) | (124 + (bits >> 32) % 6) << 23;
    if (type == DType::F16 && isTame)
      bits = (bits & 0x83ff) | (12 + (bits >> 32) % 6) << 10;
    if (type == DType::BF16 && isTame)
      bits = (bits & 0x807f) | (124 + (bits >> 32) % 6) << 7;
    if (type == DType::Bool)
      bits &= 1;
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

/// The payload of a NaN is no part of a result.
std::uint64_t withoutPayload(DType type, std::uint64_t bits) {
  const auto isNan = [bits](int exponent, int mantissa) {
    const std::uint64_t one = 1;
    const std::uint64_t magnitude = bits & ((one << (exponent + mantissa)) - 1);
    return magnitude > ((one << exponent) - 1) << mantissa;
  };
  const bool is = type == DType::F64    ? isNan(11, 52)
                  : type == DType::F32  ? isNan(8, 23)
                  : type == DType::F16  ? isNan(5, 10)
                  : type == DType::BF16 ? isNan(8, 7)
                                        : false;
  return is ? 0x7ff8000000000000 : bits;
}

std::string hashOf(DType type, const std::vector<char> &bytes,
                   std::size_t count) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * sizeOf(type)], sizeOf(type));
    hash = mixed(hash ^ withoutPayload(type, bits));
  }
  char text[20];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(hash));
  return text;
}

/// What an expression of operands of one type gives; "-" if it takes no such.
std::string resultOf(const Engine &engine, const std::string &text, DType type,
                     Precision precision) {
  const auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << text;
  CompileOptions options;
  options.mode = Mode::Optimized;
  options.precision = precision;
  options.operandTypes.assign(expression->operandCount(), type);
  const auto kernel = engine.compile(text, options);
  if (!kernel)
    return "-";
  std::vector<std::vector<char>> memory;
  std::vector<TensorView> inputs;
  const Shape shape{static_cast<std::int64_t>(Count)};
  for (std::size_t k = 0; k < expression->operandCount(); ++k) {
    memory.push_back(operand(type, k));
    inputs.emplace_back(memory.back().data(), type, shape);
  }
  const auto outShape = kernel->outputShape(inputs);
  EXPECT_TRUE(outShape) << text;
  const DType outType = kernel->outputType();
  std::vector<char> out(Count * sizeOf(outType));
  const auto status =
      kernel->run(inputs, TensorView(out.data(), outType, *outShape));
  EXPECT_TRUE(status) << text << ": " << status.error().message();
  return hashOf(outType, out, outShape->rank() ? Count : 1);
}

std::vector<std::string> texts() {
  std::vector<std::string> all;
  for (const OperatorInfo &info : operators()) {
    std::string text = std::string(info.name) + "(@0";
    for (unsigned k = 1; k < info.arity; ++k)
      text += ",@" + std::to_string(k);
    all.push_back(text + ")");
  }
  for (const RowFunctionInfo &info : rowFunctions())
    if (info.signature.substr(0, info.signature.find('[')).find(',') ==
        std::string_view::npos)
      all.push_back(std::string(info.name) + "(@0)");
  all.insert(all.end(),
             {"softmax(@0,-1)", "log_softmax(@0,-1)", "cumsum(@0,0)",
              "mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),"
              "0.79788456)),1))",
              "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))"});
  return all;
}

class Bits : public testing::TestWithParam<DType> {};
} // namespace

TEST_P(Bits, AreTheSameOnEveryProcessor) {
  const Engine engine;
  const DType type = GetParam();
  const char *path = std::getenv("KEXPR_WRITE_BITS");
  std::map<std::string, std::string> expected;
  for (const auto &row : readTable("bits.tsv"))
    if (row[0] == nameOf(type))
      expected[row[1]] = row[2];
  std::ofstream file(path ? path : "/dev/null", std::ios::app);
  const std::size_t precisions = type == DType::F32 ? 3 : 1;
  for (const std::string &text : texts()) {
    std::string hashes;
    for (std::size_t p = 0; p < precisions; ++p)
      hashes += (p ? " " : "") +
                resultOf(engine, text, type, static_cast<Precision>(p));
    file << nameOf(type) << '\t' << text << '\t' << hashes << '\n';
    if (!path) {
      EXPECT_EQ(hashes, expected[text]) << nameOf(type) << ' ' << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryType, Bits,
    testing::Values(DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8,
                    DType::U8, DType::I16, DType::U16, DType::I32, DType::U32,
                    DType::I64, DType::U64, DType::Bool),
    [](const auto &info) { return std::string(nameOf(info.param)); });
