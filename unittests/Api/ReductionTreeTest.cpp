//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions other than sums, which ReductionBitsTest.cpp has, have the bits of
// the same tree, which is written naively in ReductionTree.h.
//
//===----------------------------------------------------------------------===//
#include "Api/ReductionTree.h"
#include "Api/Rows.h"

namespace kexpr::test::rows::tree {
namespace {

template <class T> T meanOf(const std::vector<T> &row) {
  const auto count = static_cast<double>(row.size());
  if constexpr (std::is_same_v<T, double>) {
    const Pair sum = rootOf<Pair>(row, [](T x, auto) { return Pair{x}; });
    const double mean = (sum.high + sum.lost) / count;
    return mean + (std::fma(-mean, count, sum.high) + sum.lost) / count;
  } else {
    const auto wide = [](T x, auto) { return static_cast<double>(x); };
    return static_cast<T>(rootOf<double>(row, wide) / count);
  }
}

template <class T> T productOf(const std::vector<T> &row) {
  if constexpr (std::is_integral_v<T>) {
    std::uint64_t product = 1;
    for (const T x : row)
      product *= static_cast<std::uint64_t>(x);
    return static_cast<T>(product);
  } else {
    const auto product =
        rootOf<Product>(row, [](T x, auto) { return Product(x); });
    const double lost = std::is_same_v<T, double> ? product.lost : 0;
    return static_cast<T>(
        std::ldexp(product.high + lost, static_cast<int>(product.exponent)));
  }
}

template <bool IsLargest, class T>
Best<T, IsLargest> bestOf(const std::vector<T> &row) {
  using State = Best<T, IsLargest>;
  return rootOf<State>(row, [](T x, std::int64_t index) {
    return State{x, index};
  });
}

/// The first of the best, whatever the order.
template <bool IsLargest, class T>
std::int64_t placeOf(const std::vector<T> &row) {
  const T best = bestOf<IsLargest>(row).value;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] == best || (best != best && row[i] != row[i]))
      return static_cast<std::int64_t>(i);
  return -1;
}

/// Seven rows of numbers whose products stay near 1, or among which zeros of
/// both signs are the largest, or the smallest.
template <class T> Tensor rowsOf(std::int64_t count, bool isNearZero) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(count) + 1);
  std::vector<T> all;
  for (std::int64_t i = 0; i < 7 * count; ++i) {
    const std::uint64_t draw = bits();
    const double part = static_cast<double>(draw >> 11) * 0x1p-53;
    const double sign = draw & 1 ? -1 : 1;
    const double side = i / count % 2 ? -1 : 1;
    if (isNearZero)
      all.push_back(static_cast<T>(draw % 8 < 5 ? sign * 0.0 : side * part));
    else if constexpr (std::is_integral_v<T>)
      all.push_back(static_cast<T>(draw));
    else
      all.push_back(static_cast<T>(sign * std::exp2(2 * part - 1)));
  }
  return Tensor(dtypeOf<T>, {7, count}, all);
}

/// By rows and by columns, whatever way.
template <class T, class Of>
void expectRows(const char *name, const Tensor &rows, Of of,
                const std::vector<Way> &ways) {
  using Result = decltype(of(std::vector<T>()));
  const std::int64_t count = rows.shape[1];
  const auto all = rows.values<T>();
  std::vector<Result> results;
  for (auto row = all.begin(); row != all.end(); row += count)
    results.push_back(of(std::vector<T>(row, row + count)));
  const Tensor expected(dtypeOf<Result>, {7}, results);
  Tensor columns(rows.type, {count, 7}, {1, count});
  std::memcpy(columns.view().data(), all.data(), all.size() * sizeof(T));
  const std::string byRows = std::string(name) + "(@0,-1)",
                    byColumns = std::string(name) + "(@0,0)";
  for (const Way &way : ways) {
    SCOPED_TRACE(std::string(name) + " of " + std::to_string(count) + ", " +
                 way.str());
    ASSERT_EQ(outputsOf(byRows, {rows}, way)[0].bytes(), expected.bytes());
    const Tensor across = columns.with({7, 1});
    for (const Tensor &input : {columns, across})
      ASSERT_EQ(outputsOf(byColumns, {input}, way)[0].bytes(),
                expected.bytes());
  }
}

template <class T>
void expectAll(std::int64_t count, const std::vector<Way> &ways) {
  const Tensor rows = rowsOf<T>(count, false);
  expectRows<T>("prod", rows, productOf<T>, ways);
  if constexpr (std::is_floating_point_v<T>)
    expectRows<T>("mean", rows, meanOf<T>, ways);
  for (const Tensor &each : {rows, rowsOf<T>(count, true)}) {
    const auto most = [](const auto &row) { return bestOf<true>(row).value; };
    const auto least = [](const auto &row) { return bestOf<false>(row).value; };
    expectRows<T>("amax", each, most, ways);
    expectRows<T>("amin", each, least, ways);
    expectRows<T>("argmax", each, placeOf<true, T>, ways);
    expectRows<T>("argmin", each, placeOf<false, T>, ways);
  }
}

template <class T> struct ReductionTree : testing::Test {};
using Types = testing::Types<float, double, std::int64_t>;
TYPED_TEST_SUITE(ReductionTree, Types);

TYPED_TEST(ReductionTree, IsThatOfEveryReduction) {
  std::mt19937 random(5);
  std::vector<std::int64_t> counts = {1, 2, 31, 33, 65, 2047, 2049, 4096};
  for (int i = 0; i < 4; ++i)
    counts.push_back(1 + random() % (i < 2 ? 300 : 9000));
  for (const std::int64_t count : counts)
    expectAll<TypeParam>(count, allWays());
}

TYPED_TEST(ReductionTree, IsThatOfAnyNumberOfThreads) {
  std::vector<Way> ways;
  for (const unsigned threads : {1, 2, 3, 4, 16})
    ways.push_back({Mode::Optimized, 0, runOptions(threads)});
  expectAll<TypeParam>((1 << 17) + 1, ways);
}

} // namespace
} // namespace kexpr::test::rows::tree
