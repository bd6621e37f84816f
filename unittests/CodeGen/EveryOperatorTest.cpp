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

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// One column for each argument.
using Columns = std::vector<std::vector<float>>;

/// What tests print for a failing parameter.
std::string nameOfOperator(const testing::TestParamInfo<ops::OpId> &info) {
  return std::string(ops::table()[info.param].info.name);
}

std::vector<ops::OpId> floatOperators() {
  std::vector<ops::OpId> ids;
  for (ops::OpId id = 0; id < ops::table().size(); ++id)
    if (ops::blocks()[id])
      ids.push_back(id);
  return ids;
}

/// The operator over its arguments @0, @1... and nothing else.
semantics::Plan planOf(ops::OpId id) {
  semantics::GraphBuilder builder;
  std::vector<semantics::ValueId> args;
  for (unsigned k = 0; k < ops::table()[id].arity; ++k)
    args.push_back(builder.input(k, DType::F32));
  const auto result = builder.call(id, DType::F32, args);
  return {.graph = builder.finish({&result, 1}),
          .inputs = std::vector<semantics::Access>(args.size()),
          .outputs = std::vector<semantics::Access>(1)};
}

/// Random pairs, triples... of `values`.
void addMixed(Columns &columns, const std::vector<float> &values,
              unsigned count) {
  std::mt19937 generator(7);
  for (unsigned i = 0; i < count; ++i)
    for (auto &column : columns)
      column.push_back(values[generator() % values.size()]);
}

void addRandom(Columns &columns, const ops::Domain &domain, unsigned count) {
  std::mt19937 generator(8);
  std::uniform_real_distribution<float> draw(static_cast<float>(domain.low),
                                             static_cast<float>(domain.high));
  for (unsigned i = 0; i < count; ++i)
    for (auto &column : columns)
      column.push_back(draw(generator));
}

Columns argumentsFor(const ops::OpEntry &entry) {
  Columns columns(entry.arity);
  if (entry.arity == 1)
    columns[0] = specialFloats();
  else if (entry.arity == 2)
    for (float x : specialFloats())
      for (float y : specialFloats())
        columns[0].push_back(x), columns[1].push_back(y);
  else
    addMixed(columns, specialFloats(), 30000);
  addMixed(columns, steppedFloats(1 << 16, 1), 30000);
  addRandom(columns, entry.info.domain, 30001);
  return columns;
}

class EveryOperator : public testing::TestWithParam<ops::OpId> {};

} // namespace

TEST_P(EveryOperator, AsMachineCodeGivesTheInterpretersBits) {
  const ops::OpEntry &entry = ops::table()[GetParam()];
  const Columns columns = argumentsFor(entry);
  const std::size_t count = columns[0].size();
  std::vector<float> expected(count), got(count);
  std::vector<const float *> args;
  for (const auto &column : columns)
    args.push_back(column.data());
  ops::blocks()[GetParam()](count, args.data(), expected.data());

  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(planOf(GetParam()), target, level);
    ASSERT_TRUE(loop);
    std::vector<const void *> pointers = {got.data()};
    pointers.insert(pointers.end(), args.begin(), args.end());
    std::fill(got.begin(), got.end(), -77.f);
    loop.run(count, pointers);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(sameFloat(got[i], expected[i]))
          << "element " << i << ": " << got[i] << ", not " << expected[i]
          << ", of " << args[0][i] << (args.size() > 1 ? ", " : "")
          << (args.size() > 1 ? std::to_string(args[1][i]) : "");
  });
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOperator,
                         testing::ValuesIn(floatOperators()), nameOfOperator);
