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
#include "Ops/KnownDivisor.h"
#include "TestUtil/Floats.h"

#include <limits>
#include <random>
#include <tuple>
#include <utility>

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// One column for each argument.
/// Of bools, one byte each.
template <class T>
using Column =
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;
template <class T> using Columns = std::vector<Column<T>>;

template <class T> bool isSame(auto a, auto b) {
  if constexpr (std::is_floating_point_v<T>)
    return sameFloat(a, b);
  else
    return a == b;
}

using Case = std::tuple<ops::OpId, ops::Arithmetic>;

std::string nameOfCase(const testing::TestParamInfo<Case> &info) {
  const auto &[id, arithmetic] = info.param;
  std::string name(ops::allOperators()[id].info.name);
  name += '_';
  name += nameOf(ops::typeOf(arithmetic));
  return arithmetic == ops::Arithmetic::F32Accurate ? name + "_accurate"
         : arithmetic == ops::Arithmetic::F32Fast   ? name + "_fast"
                                                    : name;
}

std::vector<Case> everyCase() {
  std::vector<Case> cases;
  for (ops::OpId id = 0; id < ops::allOperators().size(); ++id)
    for (std::size_t a = 0; a < ops::ArithmeticCount; ++a)
      if (ops::allOperators()[id].works(static_cast<ops::Arithmetic>(a)))
        cases.emplace_back(id, static_cast<ops::Arithmetic>(a));
  return cases;
}

semantics::Plan planOf(ops::OpId id, ops::Arithmetic arithmetic) {
  semantics::GraphBuilder builder;
  std::vector<semantics::ValueId> args;
  const ops::OpEntry &entry = ops::allOperators()[id];
  for (unsigned k = 0; k < entry.arity; ++k)
    args.push_back(builder.input(k, entry.info.takesCondition && k == 0
                                        ? DType::Bool
                                        : ops::typeOf(arithmetic)));
  const auto result = builder.call(id, args);
  semantics::Plan plan{.graph = builder.finish({&result, 1}),
                       .inputs = {},
                       .outputs = {},
                       .precision = arithmetic == ops::Arithmetic::F32Accurate
                                        ? Precision::Accurate
                                    : arithmetic == ops::Arithmetic::F32Fast
                                        ? Precision::Fast
                                        : Precision::Default};
  plan.setContiguous();
  return plan;
}

template <class T>
void addMixed(Columns<T> &columns, const Column<T> &values, unsigned count) {
  std::mt19937 generator(7);
  for (unsigned i = 0; i < count; ++i)
    for (auto &column : columns)
      column.push_back(values[generator() % values.size()]);
}

template <class T>
void addRandom(Columns<T> &columns, const ops::Domain &domain, unsigned count) {
  std::mt19937 generator(8);
  std::uniform_real_distribution<double> draw(domain.low, domain.high);
  for (unsigned i = 0; i < count; ++i)
    for (auto &column : columns)
      if constexpr (std::is_floating_point_v<T>)
        column.push_back(static_cast<T>(draw(generator)));
      else
        column.push_back(static_cast<T>(static_cast<int>(draw(generator))));
}

template <class T> Column<T> stepped() {
  const auto steps = steppedFloats(1 << 16, 1);
  if constexpr (std::is_same_v<T, float>)
    return Column<T>(steps.begin(), steps.end());
  Column<T> result;
  std::mt19937_64 generator(9);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if constexpr (std::is_same_v<T, double>)
      result.push_back(std::bit_cast<double>(generator()));
    else
      result.push_back(static_cast<T>(generator() & ~std::uint64_t{0}));
  return result;
}

template <class T> Column<T> specials() {
  if constexpr (std::is_floating_point_v<T>) {
    const auto floats = specialFloats();
    return {floats.begin(), floats.end()};
  } else {
    using Limits = std::numeric_limits<T>;
    Column<T> values = {Limits::min(), Limits::max()};
    for (int i = -70; i <= 70; ++i)
      values.push_back(static_cast<T>(i));
    return values;
  }
}

template <class T> Columns<T> argumentsFor(const ops::OpEntry &entry) {
  const Column<T> special = specials<T>();
  Columns<T> columns(entry.arity);
  if (entry.arity == 1)
    columns[0] = special;
  else if (entry.arity == 2)
    for (auto x : special)
      for (auto y : special)
        columns[0].push_back(x), columns[1].push_back(y);
  else
    addMixed<T>(columns, special, 30000);
  addMixed<T>(columns, stepped<T>(), 30000);
  addRandom<T>(columns, entry.info.domain, 30001);
  if (entry.info.name == "exp_of") // Its y is the largest x.
    for (std::size_t i = 0; i < columns[0].size(); ++i)
      if (columns[0][i] > columns[1][i])
        std::swap(columns[0][i], columns[1][i]);
  if constexpr (std::is_same_v<T, float>)
    if (entry.info.name == "div_by") // The last two are of its y.
      for (std::size_t i = 0; i < columns[0].size(); ++i) {
        auto parts = ops::reciprocalToDivideBy(columns[1][i]);
        if (!parts)
          parts = ops::reciprocalToDivideBy(columns[1][i] = 12);
        columns[2][i] = parts->high;
        columns[3][i] = parts->low;
      }
  return columns;
}

template <class Out, class T>
void checkResults(ops::OpId id, ops::Arithmetic arithmetic) {
  const auto columns = argumentsFor<T>(ops::allOperators()[id]);
  const std::size_t count = columns[0].size();
  Column<Out> expected(count), got(count);
  std::vector<const void *> args;
  for (const auto &column : columns)
    args.push_back(column.data());
  // The first column, as a condition.
  Column<bool> truths(count);
  for (std::size_t i = 0; i < count; ++i)
    truths[i] = columns[0][i] > 0;
  if (ops::allOperators()[id].info.takesCondition)
    args[0] = truths.data();
  ops::blocks(arithmetic)[id](count, args.data(), expected.data());

  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(planOf(id, arithmetic), target, level);
    ASSERT_TRUE(loop);
    std::vector<const void *> pointers = {got.data()};
    pointers.insert(pointers.end(), args.begin(), args.end());
    std::fill(got.begin(), got.end(), Out(-77));
    loop.run(static_cast<std::int64_t>(count), pointers);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(isSame<Out>(got[i], expected[i]))
          << "element " << i << ": " << +got[i] << ", not " << +expected[i]
          << ", of " << +columns[0][i] << (columns.size() > 1 ? ", " : "")
          << (columns.size() > 1 ? std::to_string(columns[1][i]) : "");
  });
}

template <class T> void checkTiers(ops::OpId id, ops::Arithmetic arithmetic) {
  if (ops::allOperators()[id].info.result == ops::ResultRule::Bool)
    checkResults<bool, T>(id, arithmetic);
  else
    checkResults<T, T>(id, arithmetic);
}

template <std::size_t... A>
void checkCase(const Case &which, std::index_sequence<A...>) {
  const auto &[id, arithmetic] = which;
  ((static_cast<std::size_t>(arithmetic) == A
        ? checkTiers<ops::ElementIn<static_cast<ops::Arithmetic>(A)>>(
              id, arithmetic)
        : void()),
   ...);
}

class EveryOperator : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(EveryOperator, AsMachineCodeGivesTheInterpretersBits) {
  checkCase(GetParam(), std::make_index_sequence<ops::ArithmeticCount>{});
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOperator, testing::ValuesIn(everyCase()),
                         nameOfCase);
