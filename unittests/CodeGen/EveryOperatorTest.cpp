//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every operator that takes floats to floats, as machine code of every width
/// and level that this machine runs, against the interpreter's block loops.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "TestUtil/Floats.h"

#include <random>
#include <tuple>

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// One column for each argument.
template <class T> using Columns = std::vector<std::vector<T>>;

using Case = std::tuple<ops::OpId, ops::Arithmetic>;

/// What tests print for a failing parameter.
std::string nameOfCase(const testing::TestParamInfo<Case> &info) {
  const auto &[id, arithmetic] = info.param;
  constexpr const char *suffixes[] = {"_f32", "_f32_accurate", "_f64"};
  return std::string(ops::table()[id].info.name) +
         suffixes[static_cast<std::size_t>(arithmetic)];
}

std::vector<ops::OpId> floatOperators() {
  std::vector<ops::OpId> ids;
  for (ops::OpId id = 0; id < ops::table().size(); ++id)
    if (ops::blocks(ops::Arithmetic::F32)[id])
      ids.push_back(id);
  return ids;
}

/// The operator over its arguments @0, @1... and nothing else.
semantics::Plan planOf(ops::OpId id, ops::Arithmetic arithmetic) {
  const DType type =
      arithmetic == ops::Arithmetic::F64 ? DType::F64 : DType::F32;
  semantics::GraphBuilder builder;
  std::vector<semantics::ValueId> args;
  for (unsigned k = 0; k < ops::table()[id].arity; ++k)
    args.push_back(builder.input(k, type));
  const auto result = builder.call(id, type, args);
  const semantics::Access access{.type = type};
  return {.graph = builder.finish({&result, 1}),
          .inputs = std::vector<semantics::Access>(args.size(), access),
          .outputs = {access},
          .precision = arithmetic == ops::Arithmetic::F32Accurate
                           ? Precision::Accurate
                           : Precision::Default};
}

/// Random pairs, triples... of `values`.
template <class T>
void addMixed(Columns<T> &columns, const std::vector<T> &values,
              unsigned count) {
  std::mt19937 generator(7);
  for (unsigned i = 0; i < count; ++i)
    for (auto &column : columns)
      column.push_back(values[generator() % values.size()]);
}

template <class T>
void addRandom(Columns<T> &columns, const ops::Domain &domain, unsigned count) {
  std::mt19937 generator(8);
  std::uniform_real_distribution<T> draw(static_cast<T>(domain.low),
                                         static_cast<T>(domain.high));
  for (unsigned i = 0; i < count; ++i)
    for (auto &column : columns)
      column.push_back(draw(generator));
}

/// Numbers all over the bit patterns of T.
template <class T> std::vector<T> stepped() {
  const auto steps = steppedFloats(1 << 16, 1);
  if constexpr (sizeof(T) == sizeof(float))
    return steps;
  std::vector<T> result;
  std::mt19937_64 generator(9);
  for (std::size_t i = 0; i < steps.size(); ++i)
    result.push_back(static_cast<T>(std::bit_cast<double>(generator())));
  return result;
}

template <class T> Columns<T> argumentsFor(const ops::OpEntry &entry) {
  const auto floats = specialFloats();
  const std::vector<T> specials(floats.begin(), floats.end());
  Columns<T> columns(entry.arity);
  if (entry.arity == 1)
    columns[0] = specials;
  else if (entry.arity == 2)
    for (T x : specials)
      for (T y : specials)
        columns[0].push_back(x), columns[1].push_back(y);
  else
    addMixed(columns, specials, 30000);
  addMixed(columns, stepped<T>(), 30000);
  addRandom(columns, entry.info.domain, 30001);
  return columns;
}

/// Compiled loops of every tier against the interpreter's block loop.
template <class T> void checkTiers(ops::OpId id, ops::Arithmetic arithmetic) {
  const auto columns = argumentsFor<T>(ops::table()[id]);
  const std::size_t count = columns[0].size();
  std::vector<T> expected(count), got(count);
  std::vector<const void *> args;
  for (const auto &column : columns)
    args.push_back(column.data());
  ops::blocks(arithmetic)[id](count, args.data(), expected.data());

  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(planOf(id, arithmetic), target, level);
    ASSERT_TRUE(loop);
    std::vector<const void *> pointers = {got.data()};
    pointers.insert(pointers.end(), args.begin(), args.end());
    std::fill(got.begin(), got.end(), T(-77));
    loop.run(count, pointers);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(sameFloat(got[i], expected[i]))
          << "element " << i << ": " << got[i] << ", not " << expected[i]
          << ", of " << columns[0][i] << (columns.size() > 1 ? ", " : "")
          << (columns.size() > 1 ? std::to_string(columns[1][i]) : "");
  });
}

class EveryOperator : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(EveryOperator, AsMachineCodeGivesTheInterpretersBits) {
  const auto &[id, arithmetic] = GetParam();
  if (arithmetic == ops::Arithmetic::F64)
    checkTiers<double>(id, arithmetic);
  else
    checkTiers<float>(id, arithmetic);
}

INSTANTIATE_TEST_SUITE_P(
    Table, EveryOperator,
    testing::Combine(testing::ValuesIn(floatOperators()),
                     testing::Values(ops::Arithmetic::F32,
                                     ops::Arithmetic::F32Accurate,
                                     ops::Arithmetic::F64)),
    nameOfCase);
