//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The loops of every reduction and instruction set against the definition of
/// its tree, and against what it means.
///
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"
#include "TestUtil/Floats.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// The tree of Reduction.h, by recursion.
template <class R, DType Form> class Tree {
public:
  using T = ops::Element<Form>;
  using E = typename R::template Element<T>;
  using V = ops::Scalar<E>;
  static constexpr int parts = R::template parts<T>;
  using State = ops::Several<V, parts>;

  explicit Tree(const std::vector<E> &elements) : elements(elements) {}

  E result() const {
    const V count{static_cast<E>(elements.size())};
    return R::finish(blocks(0, (elements.size() + block - 1) / block), count)
        .rep;
  }
  /// Of a lane's first `count` elements of a block.
  State lane(std::size_t first, std::size_t count) const {
    if (count == 0)
      return none(first);
    const State before = lane(first, count - 1);
    const std::size_t last = first + (count - 1) * ops::ReductionLanes;
    return last < elements.size() ? R::step(before, V{elements[last]}) : before;
  }

private:
  static constexpr auto block = static_cast<std::size_t>(ops::ReductionBlock);

  static State none(std::size_t first = 0) {
    State state;
    for (int p = 0; p < parts; ++p)
      state.each[p] =
          R::identity(static_cast<unsigned>(p), V{static_cast<E>(first)});
    return state;
  }
  /// Lanes j, j + stride, j + 2 * stride... of a block.
  State lanes(std::size_t first, std::size_t j, std::size_t stride) const {
    if (stride == ops::ReductionLanes)
      return lane(first + j, block / ops::ReductionLanes);
    return R::combine(lanes(first, j, 2 * stride),
                      lanes(first, j + stride, 2 * stride));
  }
  State blocks(std::size_t from, std::size_t to) const {
    if (from == to)
      return none();
    if (from + 1 == to)
      return lanes(from * block, 0, 1);
    std::size_t half = 1;
    while (2 * half < to - from)
      half *= 2;
    return R::combine(blocks(from, from + half), blocks(from + half, to));
  }

  const std::vector<E> &elements;
};

/// The same by loops.
template <class E>
E resultOf(const ops::ReductionLoops &loops, const std::vector<E> &elements) {
  constexpr std::size_t lanes = ops::ReductionLanes;
  constexpr auto block = static_cast<std::size_t>(ops::ReductionBlock);
  // The sizes of open trees of blocks, and their states.
  std::vector<std::pair<std::size_t, std::vector<E>>> open;
  auto close = [&] {
    const auto later = std::move(open.back());
    open.pop_back();
    open.back().first += later.first;
    loops.combine(1, open.back().second.data(), 1, later.second.data(), 1);
  };
  for (std::size_t from = 0; from < elements.size(); from += block) {
    std::vector<E> states(lanes * loops.parts), state;
    loops.reset(lanes, states.data(), lanes, static_cast<std::int64_t>(from),
                1);
    loops.along(std::min(block, elements.size() - from), &elements[from],
                states.data());
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      loops.combine(half, states.data(), lanes, &states[half], lanes);
    for (unsigned p = 0; p < loops.parts; ++p)
      state.push_back(states[p * lanes]);
    open.emplace_back(1, state);
    while (open.size() > 1 && open.back().first == open.end()[-2].first)
      close();
  }
  while (open.size() > 1)
    close();
  if (open.empty()) {
    open.emplace_back(0, std::vector<E>(loops.parts));
    loops.reset(1, open.back().second.data(), 1, 0, 1);
  }
  E result{};
  loops.finish(1, open.back().second.data(), 1,
               static_cast<std::int64_t>(elements.size()), &result);
  return result;
}

template <class E> bool isSame(E a, E b) {
  if constexpr (std::is_floating_point_v<E>)
    return sameFloat(a, b);
  else
    return a == b;
}

/// Those of the baseline, and those that this CPU runs best.
template <DType Form>
std::array<ops::ReductionLoops, 2> loopsOf(ops::ReductionId id) {
  return {ops::blockTables<ops::Isa::Baseline>()
              .reductions[id][ops::positionOf(Form)],
          ops::loopsOf(id, Form)};
}

/// Calls `visit.template operator()<R, Form>(id)` for everything there is.
template <class F> void forEachForm(F visit) {
  ops::ReductionId id = 0;
  ops::AllReductions::forEach([&]<class R>() {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto one = [&]<DType Form>() {
        SCOPED_TRACE(std::string(R::info.name) + " of " +
                     std::string(nameOf(Form)));
        if constexpr (ops::worksIn(R::info.types, Form))
          visit.template operator()<R, Form>(id);
        else
          EXPECT_EQ(ops::loopsOf(id, Form).parts, 0u);
      };
      (one.template operator()<ops::AllTypes[K]>(), ...);
    }
    (std::make_index_sequence<std::size(ops::AllTypes)>{});
    ++id;
  });
}

/// Elements of a form, made for a reduction: those of f32 are f32 in f64.
template <class R, DType Form, class Draw>
auto draw(std::size_t count, Draw next) {
  using T = ops::Element<Form>;
  std::vector<typename Tree<R, Form>::E> elements(count);
  for (auto &element : elements)
    if (constexpr bool isTruth = R::info.types == ops::ReductionTypes::Truth;
        isTruth)
      element = static_cast<T>(next.template operator()<T>() != T{});
    else
      element = next.template operator()<T>();
  return elements;
}

/// Of any exponent, or any bits.
struct Random {
  std::mt19937_64 generator{5};
  bool isTame = true;
  template <class T> T operator()() {
    if constexpr (std::is_floating_point_v<T>) {
      static const auto specials = specialFloats();
      if (!isTame && generator() % 50 == 0)
        return static_cast<T>(specials[generator() % specials.size()]);
      const T x = std::uniform_real_distribution<T>(-2, 2)(generator);
      return isTame ? x : x * std::exp2(static_cast<T>(generator() % 40) - 20);
    } else {
      return static_cast<T>(generator());
    }
  }
};

template <class R, DType Form, class E>
void expectTheTree(ops::ReductionId id, const std::vector<E> &elements) {
  const E expected = Tree<R, Form>(elements).result();
  for (const ops::ReductionLoops &loops : loopsOf<Form>(id))
    ASSERT_PRED2(isSame<E>, resultOf(loops, elements), expected)
        << elements.size() << " elements";
}

} // namespace

TEST(Reductions, LoopsAreOfTheDefinitionsTree) {
  forEachForm([]<class R, DType Form>(ops::ReductionId id) {
    Random random;
    for (bool isTame : {true, false})
      for (std::size_t count :
           {0,   1,    2,    3,    31,   32,   33,   63,   64,    65,
            100, 2047, 2048, 2049, 4095, 4096, 6145, 8193, 14337, 20000}) {
        random.isTame = isTame;
        expectTheTree<R, Form>(id, draw<R, Form>(count, [&]<class T>() {
                                 return random.template operator()<T>();
                               }));
      }
  });
}

TEST(Reductions, AStateForEachElementIsLikeALane) {
  forEachForm([]<class R, DType Form>(ops::ReductionId id) {
    using E = typename Tree<R, Form>::E;
    constexpr std::size_t rows = 5, pitch = 71, count = 67;
    Random random;
    random.isTame = false;
    const auto elements = draw<R, Form>(rows * count, [&]<class T>() {
      return random.template operator()<T>();
    });
    for (const ops::ReductionLoops &loops : loopsOf<Form>(id)) {
      std::vector<E> states(pitch * loops.parts, E{77});
      loops.reset(count, states.data(), pitch, 0, 0);
      for (std::size_t row = 0; row < rows; ++row)
        loops.across(count, &elements[row * count], states.data(), pitch);
      for (std::size_t i = 0; i < pitch; ++i) {
        std::vector<E> column;
        for (std::size_t row = 0; i < count && row < rows; ++row)
          column.resize(column.size() + (row ? ops::ReductionLanes : 1)),
              column.back() = elements[row * count + i];
        const auto lane = Tree<R, Form>(column).lane(0, rows);
        for (unsigned p = 0; p < loops.parts; ++p)
          ASSERT_PRED2(isSame<E>, states[p * pitch + i],
                       i < count ? lane.each[p].rep : E{77})
              << "part " << p << " of " << i;
      }
    }
  });
}

TEST(Reductions, NanShowsWhereverItIs) {
  forEachForm([]<class R, DType Form>(ops::ReductionId id) {
    using E = typename Tree<R, Form>::E;
    if constexpr (std::is_floating_point_v<E>) {
      Random random;
      auto elements = draw<R, Form>(
          2100, [&]<class T>() { return random.template operator()<T>(); });
      for (const ops::ReductionLoops &loops : loopsOf<Form>(id))
        for (std::size_t i = 0; i < elements.size(); ++i) {
          const E old = std::exchange(elements[i], E(NAN));
          const E result = resultOf(loops, elements);
          if constexpr (R::info.result == ops::ReductionResult::Index)
            ASSERT_EQ(result, E(i));
          else
            ASSERT_EQ(std::isnan(result),
                      R::info.name != "largest" && R::info.name != "count")
                << i;
          elements[i] = old;
        }
    }
  });
}

namespace {

template <class E> using Row = std::vector<E>;

/// A result by name, which both sets of loops agree on.
template <DType Form, class E>
E reduced(const char *name, const Row<E> &elements) {
  const auto [baseline, best] = loopsOf<Form>(*ops::findReduction(name));
  const E result = resultOf(baseline, elements);
  EXPECT_PRED2(isSame<E>, resultOf(best, elements), result);
  return result;
}

double single(const char *name, const Row<double> &elements) {
  return reduced<DType::F32>(name, elements);
}
double wide(const char *name, const Row<double> &elements) {
  return reduced<DType::F64>(name, elements);
}

template <class E> Row<E> times(std::size_t count, E x) {
  return Row<E>(count, x);
}
template <class E> Row<E> operator+(Row<E> a, const Row<E> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr double Infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST(Reductions, OfNoElements) {
  for (auto of : {single, wide}) {
    EXPECT_PRED2(isSame<double>, of("sum", {}), 0.0);
    EXPECT_EQ(of("prod", {}), 1);
    EXPECT_TRUE(std::isnan(of("mean", {})));
  }
  using Bytes = Row<std::uint8_t>;
  EXPECT_EQ(reduced<DType::U8>("any", Bytes()), 0);
  EXPECT_EQ(reduced<DType::U8>("all", Bytes()), 1);
  EXPECT_EQ(reduced<DType::I64>("prod", Row<std::int64_t>()), 1);
}

TEST(Reductions, OfInfinities) {
  for (auto of : {single, wide})
    for (std::size_t before : {0, 1, 40, 3000}) {
      const auto ones = times(before, 1.0);
      for (double inf : {Infinity, -Infinity}) {
        EXPECT_EQ(of("sum", ones + Row<double>{inf, 5, -3}), inf);
        EXPECT_EQ(of("mean", ones + Row<double>{inf, 5, -3, inf}), inf);
        EXPECT_EQ(of("prod", ones + Row<double>{inf, 5, 3}), inf);
        EXPECT_EQ(of("prod", ones + Row<double>{inf, 5, -1e-300}), -inf);
        EXPECT_TRUE(std::isnan(of("prod", ones + Row<double>{inf, 0})));
        EXPECT_TRUE(std::isnan(of("prod", Row<double>{0, inf} + ones)));
        EXPECT_TRUE(std::isnan(of("sum", Row<double>{-inf, 1, inf} + ones)));
        EXPECT_TRUE(std::isnan(of("mean", ones + Row<double>{-inf, inf})));
      }
    }
  // All of them at the end that loses.
  EXPECT_EQ(reduced<DType::F64>("amax", times(100, -Infinity)), -Infinity);
  EXPECT_EQ(reduced<DType::F64>("amin", times(100, Infinity)), Infinity);
}

TEST(Reductions, ZerosHaveSigns) {
  for (auto of : {single, wide})
    for (std::size_t count : {1, 2, 33, 2100}) {
      // As in PyTorch, where a sum begins with 0.
      EXPECT_PRED2(isSame<double>, of("sum", times(count, -0.0)), 0.0);
      EXPECT_PRED2(isSame<double>, of("prod", times(count, -0.0)),
                   count % 2 ? -0.0 : 0.0);
      EXPECT_PRED2(isSame<double>,
                   of("prod", times(count, 2.0) + times(1, -0.0)), -0.0);
    }
  EXPECT_PRED2(isSame<double>, reduced<DType::F64>("amax", times(100, -0.0)),
               -0.0);
  EXPECT_PRED2(isSame<float>, reduced<DType::F32>("amin", times(7, -0.0f)),
               -0.0f);
}

TEST(Reductions, NothingOverflowsOnTheWay) {
  EXPECT_EQ(single("sum", {3e38, 3e38, -3e38}), 3e38);
  EXPECT_EQ(single("mean", {3e38, 3e38}), 3e38);
  const double big = 0x1p127, little = 0x1p-149;
  EXPECT_EQ(single("prod", times(500, big) + times(500, 1 / big)), 1);
  EXPECT_EQ(single("prod", times(500, 1 / big) + times(500, big)), 1);
  EXPECT_EQ(single("prod", times(149, big) + times(127, little)), 1);
  EXPECT_EQ(single("prod", times(3000, big)), Infinity);
  EXPECT_EQ(static_cast<float>(single("prod", times(3000, -little))), 0);
  // Of the largest significands that a product has beside its exponent.
  EXPECT_NEAR(
      single("prod", times(4096, 0x1.fffffep124) + times(4096, 0x1p-125)),
      std::pow(0x1.fffffep-1, 4096), 1e-9);
  EXPECT_NEAR(wide("prod", times(4096, 0x1.fffffep124) + times(4096, 0x1p-125)),
              std::pow(0x1.fffffep-1, 4096), 1e-12);
  const double huge = 0x1p1023, least = 0x1p-1074;
  EXPECT_EQ(wide("prod", times(1074, huge) + times(1023, least)), 1);
  EXPECT_EQ(wide("prod", times(1023, least) + times(1074, huge)), 1);
  EXPECT_EQ(wide("prod", times(2, huge) + times(1, least)), 0x1p972);
  EXPECT_EQ(wide("prod", times(2100, huge)), Infinity);
  EXPECT_EQ(wide("prod", times(2101, -huge)), -Infinity);
  EXPECT_PRED2(isSame<double>, wide("prod", times(2101, -least)), -0.0);
}

TEST(Reductions, ProductsMayBeSubnormal) {
  EXPECT_EQ(wide("prod", {0x1p-1022, 0x1.8p-10}), 0x1.8p-1032);
  EXPECT_EQ(wide("prod", {0x1p-1074}), 0x1p-1074);
  EXPECT_EQ(wide("prod", {0x1p-1074, 0.25}), 0);
  EXPECT_EQ(wide("prod", {0x1.4p-1072, 3}), 0x1.ep-1071);
  EXPECT_EQ(wide("prod", {0x1.8p-1073, 0x1p-1000, 0x1p1000}), 0x1.8p-1073);
  EXPECT_EQ(single("prod", {0x1p-149, 0x1.8p-1}), 0x1.8p-150);
}

TEST(Reductions, IntegersWrap) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  using Integers = Row<std::int64_t>;
  EXPECT_EQ(reduced<DType::I64>("sum", Integers{most, 1}), least);
  EXPECT_EQ(reduced<DType::I64>("sum", times(2100, least)), 0);
  EXPECT_EQ(reduced<DType::I64>("prod", Integers{most, most}), 1);
  EXPECT_EQ(reduced<DType::I64>("prod", times<std::int64_t>(63, 2)), least);
  EXPECT_EQ(reduced<DType::I64>("amin", Integers{most, least, 0}), least);
  EXPECT_EQ(reduced<DType::I8>("amax", Row<std::int8_t>{-128, -127}), -127);
}

// A sum of so few bits is exact in a long double, and is rounded but once.
TEST(Reductions, SumsAreRoundedOnce) {
  std::mt19937_64 generator(3);
  for (std::size_t count : {2, 3, 40, 1000, 4000}) {
    for (int run = 0; run < 50; ++run) {
      Row<double> elements(count);
      for (double &x : elements)
        x = std::ldexp(
            static_cast<double>(static_cast<std::int64_t>(generator()) >> 13),
            -50);
      const auto sum = ops::Sum::reference(std::span<const long double>(
          Row<long double>(elements.begin(), elements.end())));
      ASSERT_EQ(wide("sum", elements), static_cast<double>(sum));
      const double mean = wide("mean", elements);
      const long double exact = sum / static_cast<long double>(count);
      const double ulp = std::ldexp(1.0, std::ilogb(mean) - 52);
      ASSERT_LE(std::fabs(static_cast<double>(mean - exact)), 0.5005 * ulp);
    }
  }
}

// What is lost at every other step comes back.
TEST(Reductions, SumsOfDoublesDoNotCancel) {
  for (std::size_t count : {1, 32, 33, 5000})
    EXPECT_EQ(wide("sum", times(count, 0x1p300) + times(count, 1.0) +
                              times(count, -0x1p300)),
              static_cast<double>(count));
}

TEST(Reductions, ProductsAreAsExactAsTheySay) {
  std::mt19937_64 generator(4);
  std::uniform_real_distribution<double> draw(0.5, 2);
  for (std::size_t count : {1, 2, 5, 40})
    for (int run = 0; run < 200; ++run) {
      Row<double> elements(count);
      for (double &x : elements)
        x = draw(generator);
      const long double exact =
          ops::Prod::reference(std::span<const long double>(
              Row<long double>(elements.begin(), elements.end())));
      const double product = wide("prod", elements);
      const double ulp = std::ldexp(1.0, std::ilogb(product) - 52);
      // The long double itself loses 2^-12 ulp a step.
      ASSERT_LE(std::fabs(static_cast<double>(product - exact)),
                (0.5 + static_cast<double>(count) * 0x1p-12) * ulp);
    }
}

TEST(Reductions, FloatsAreWithinTheirBound) {
  std::mt19937_64 generator(6);
  std::uniform_real_distribution<float> draw(0.5, 2);
  for (std::size_t count : {1, 40, 700, 5000})
    for (int run = 0; run < 20; ++run) {
      Row<double> elements(count);
      for (double &x : elements)
        x = draw(generator);
      for (const char *name : {"sum", "mean", "prod"}) {
        const ops::ReductionEntry &entry =
            ops::allReductions()[*ops::findReduction(name)];
        const double exact = entry.reference(elements);
        const auto got = static_cast<float>(single(name, elements));
        EXPECT_LE(ulpError(got, exact), entry.info.ulp.f32)
            << name << " of " << count;
      }
    }
}

TEST(Reductions, ComparisonsMeanWhatTheyMeanOfTwo) {
  Random random;
  random.isTame = false;
  for (std::size_t count : {1, 31, 33, 2049}) {
    const auto elements = draw<ops::Amax, DType::F64>(
        count, [&]<class T>() { return random.template operator()<T>(); });
    for (const char *name : {"amax", "amin"}) {
      const double result = reduced<DType::F64>(name, elements);
      const double expected =
          ops::allReductions()[*ops::findReduction(name)].reference(elements);
      EXPECT_TRUE(result == expected ||
                  (std::isnan(result) && std::isnan(expected)));
    }
  }
  // The state that is first in the tree is the one that is kept.
  EXPECT_PRED2(isSame<double>,
               reduced<DType::F64>("amax", Row<double>{0.0, -0.0}), 0.0);
  EXPECT_PRED2(isSame<double>,
               reduced<DType::F64>("amax", Row<double>{-0.0, 0.0}), -0.0);
}

TEST(Reductions, TruthIsFoundWhereverItIs) {
  for (std::size_t i = 0; i < 2100; ++i) {
    Row<std::uint8_t> none(2100, 0), all(2100, 1);
    none[i] = 1, all[i] = 0;
    ASSERT_EQ(reduced<DType::U8>("any", none), 1) << i;
    ASSERT_EQ(reduced<DType::U8>("all", all), 0) << i;
  }
  EXPECT_EQ(reduced<DType::U8>("any", Row<std::uint8_t>(2100, 0)), 0);
  EXPECT_EQ(reduced<DType::U8>("all", Row<std::uint8_t>(2100, 1)), 1);
}

/// Rows that lie one behind the other, or side by side.
template <class R, DType Form>
void expectScans(ops::ReductionId id, std::size_t rows, std::size_t length) {
  Random random;
  const auto elements = draw<R, Form>(rows * length, random);
  using E = typename Tree<R, Form>::E;
  std::vector<E> expected;
  const ops::ReductionLoops &best = ops::loopsOf(id, Form);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<E> state(best.parts);
    best.reset(1, state.data(), 1, 0, 0);
    for (std::size_t i = 0; i < length; ++i) {
      best.across(1, &elements[row * length + i], state.data(), 1);
      best.finish(1, state.data(), 1, 1, &expected.emplace_back());
    }
  }
  for (const ops::ReductionLoops &loops : loopsOf<Form>(id))
    for (const bool isAcross : {false, true}) {
      const std::size_t toRow = isAcross ? 1 : length,
                        toElement = isAcross ? rows : 1;
      std::vector<E> states(loops.parts * rows), scanned(rows * length);
      for (std::size_t i = 0; i < rows * length; ++i)
        scanned[i / length * toRow + i % length * toElement] = elements[i];
      loops.reset(rows, states.data(), rows, 0, 0);
      // In two pieces: states go on.
      const std::size_t half = length / 2;
      for (const auto &[from, count] :
           {std::pair{std::size_t{0}, half}, std::pair{half, length - half}})
        loops.scan(rows, states.data(), rows, static_cast<std::int64_t>(count),
                   scanned.data() + from * toElement,
                   static_cast<std::int64_t>(toRow),
                   static_cast<std::int64_t>(toElement));
      for (std::size_t i = 0; i < rows * length; ++i)
        ASSERT_TRUE(isSame(scanned[i / length * toRow + i % length * toElement],
                           expected[i]))
            << rows << " rows of " << length << ", " << i;
    }
}

TEST(Reductions, ScansAreOneElementAfterTheOther) {
  forEachForm([]<class R, DType Form>(ops::ReductionId id) {
    EXPECT_EQ(ops::loopsOf(id, Form).scan != nullptr, !R::info.scan.empty());
    if constexpr (!R::info.scan.empty())
      for (const std::size_t rows : {1, 3, 8, 17, 70})
        for (const std::size_t length : {0, 1, 2, 100})
          expectScans<R, Form>(id, rows, length);
  });
}

TEST(Reductions, AreFoundByName) {
  ops::ReductionId id = 0;
  for (const ops::ReductionEntry &entry : ops::allReductions()) {
    EXPECT_EQ(ops::findReduction(entry.info.name), id++);
    EXPECT_FALSE(entry.info.doc.empty());
  }
  EXPECT_FALSE(ops::findReduction("su"));
}
