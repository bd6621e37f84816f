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
template <class Op, ops::Arithmetic A> class Loops {
  using Element = ops::ElementIn<A>;
  static constexpr std::size_t arity = ops::arityOf<Op>;
  static constexpr Element Guard = -123.25;

public:
  template <class T> void add(const std::array<T, arity> &given) {
    Arguments<Op, Element> arguments;
    std::copy(given.begin(), given.end(), arguments.begin());
    for (std::size_t k = 0; k < arity; ++k)
      columns[k].push_back(arguments[k]);
    expected.push_back(formulaOf<Op, A>(arguments));
  }

  void checkAll() const { check(0, expected.size()); }

  /// Runs all loops over [first, first + count) of the columns.
  void check(std::size_t first, std::size_t count) const {
    for (ops::BlockFn loop : loops()) {
      const void *args[arity];
      for (std::size_t k = 0; k < arity; ++k)
        args[k] = columns[k].data() + first;
      std::vector<Element> out(count + 1, Guard);
      loop(count, args, out.data());
      compare(first, count, out);
      EXPECT_EQ(out[count], Guard) << "wrote past " << count;
      checkInPlace(loop, first, count);
    }
  }

private:
  /// Those of the baseline, and those that this CPU runs best.
  static std::array<ops::BlockFn, 2> loops() {
    const ops::OpId id = *ops::find(Op::info.name);
    const auto baseline = ops::blockTables<ops::Isa::Baseline>();
    return {baseline.operators[static_cast<std::size_t>(A)][id],
            ops::blocks(A)[id]};
  }

  void checkInPlace(ops::BlockFn loop, std::size_t first,
                    std::size_t count) const {
    for (std::size_t place = 0; place < arity; ++place) {
      const void *args[arity];
      for (std::size_t k = 0; k < arity; ++k)
        args[k] = columns[k].data() + first;
      const Element *from = columns[place].data() + first;
      std::vector<Element> inOut(from, from + count);
      args[place] = inOut.data();
      loop(count, args, inOut.data());
      compare(first, count, inOut);
    }
  }

  void compare(std::size_t first, std::size_t count,
               const std::vector<Element> &got) const {
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_PRED2(sameFloat, got[i], expected[first + i])
          << Op::info.name << " of " << columns[0][first + i] << "... at " << i
          << " of " << count << ", arithmetic " << static_cast<int>(A);
  }

  std::array<std::vector<Element>, arity> columns;
  std::vector<Element> expected;
};

template <class Op> class BlockLoops : public ::testing::Test {
protected:
  void add(const Arguments<Op> &arguments) {
    single.add(arguments);
    accurate.add(arguments);
    fast.add(arguments);
    wide.add(arguments);
  }
  template <class F> void forEach(F visit) const {
    visit(single);
    visit(accurate);
    visit(fast);
    visit(wide);
  }

  Loops<Op, ops::Arithmetic::F32> single;
  Loops<Op, ops::Arithmetic::F32Accurate> accurate;
  Loops<Op, ops::Arithmetic::F32Fast> fast;
  Loops<Op, ops::Arithmetic::F64> wide;
};

TYPED_TEST_SUITE(BlockLoops, FloatToFloatOperators, OperatorNames);

TYPED_TEST(BlockLoops, EqualTheFormulaBitForBit) {
  auto add = [this](const auto &arguments) { this->add(arguments); };
  forEachSpecial<TypeParam>(add);
  forEachStepped<TypeParam>(1 << 14, add);
  forEachRandom<TypeParam>(1 << 14, add);
  this->forEach([](const auto &loops) { loops.checkAll(); });
}

TYPED_TEST(BlockLoops, TakeEveryLength) {
  forEachRandom<TypeParam>(
      600, [this](const auto &arguments) { this->add(arguments); });
  this->forEach([](const auto &loops) {
    for (std::size_t count = 0; count <= 17; ++count)
      loops.check(count, count);
    for (std::size_t count : {255, 256, 257, 512, 513})
      loops.check(1, count);
  });
}

} // namespace
