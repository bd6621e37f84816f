//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The block loops of every instruction set against the formulas as scalars.
///
//===----------------------------------------------------------------------===//
#include "OperatorTypes.h"

#include "Ops/BlockLoops.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// The tables that this machine can run.
std::vector<const ops::BlockFn *> tables() {
  std::vector<const ops::BlockFn *> found = {
      ops::blockTable<ops::Isa::Baseline>(), ops::blocks().data()};
  return found;
}

template <class Op> class BlockLoops : public ::testing::Test {
protected:
  static constexpr std::size_t arity = ops::arityOf<Op>;
  static constexpr float Guard = -123.25f;

  void add(const Arguments<Op> &arguments) {
    for (std::size_t k = 0; k < arity; ++k)
      columns[k].push_back(arguments[k]);
    expected.push_back(formulaOf<Op>(arguments));
  }

  /// Runs all loops over [first, first + count) of the columns.
  void check(std::size_t first, std::size_t count) const {
    const ops::OpId id = *ops::find(Op::info.name);
    for (const ops::BlockFn *table : tables()) {
      const float *args[arity];
      for (std::size_t k = 0; k < arity; ++k)
        args[k] = columns[k].data() + first;
      std::vector<float> out(count + 1, Guard);
      table[id](count, args, out.data());
      compare(first, count, out);
      EXPECT_EQ(out[count], Guard) << "wrote past " << count;
      checkInPlace(table[id], first, count);
    }
  }

private:
  void checkInPlace(ops::BlockFn loop, std::size_t first,
                    std::size_t count) const {
    for (std::size_t place = 0; place < arity; ++place) {
      const float *args[arity];
      for (std::size_t k = 0; k < arity; ++k)
        args[k] = columns[k].data() + first;
      std::vector<float> inOut(args[place], args[place] + count);
      args[place] = inOut.data();
      loop(count, args, inOut.data());
      compare(first, count, inOut);
    }
  }

  void compare(std::size_t first, std::size_t count,
               const std::vector<float> &got) const {
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_PRED2(sameFloat, got[i], expected[first + i])
          << Op::info.name << " of " << columns[0][first + i] << "... at " << i
          << " of " << count;
  }

protected:
  std::array<std::vector<float>, arity> columns;
  std::vector<float> expected;
};

TYPED_TEST_SUITE(BlockLoops, FloatToFloatOperators, OperatorNames);

TYPED_TEST(BlockLoops, EqualTheFormulaBitForBit) {
  auto add = [this](const auto &arguments) { this->add(arguments); };
  forEachSpecial<TypeParam>(add);
  forEachStepped<TypeParam>(1 << 14, add);
  forEachRandom<TypeParam>(1 << 14, add);
  this->check(0, this->expected.size());
}

TYPED_TEST(BlockLoops, TakeEveryLength) {
  forEachRandom<TypeParam>(
      600, [this](const auto &arguments) { this->add(arguments); });
  for (std::size_t count = 0; count <= 17; ++count)
    this->check(count, count);
  for (std::size_t count : {255, 256, 257, 512, 513})
    this->check(1, count);
}

} // namespace
