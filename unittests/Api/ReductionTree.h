//===- ReductionTree.h - The tree of reductions, written naively ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// States are added with `+`; one that is made of nothing has no elements.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_REDUCTIONTREE_H
#define KEXPR_UNITTESTS_API_REDUCTIONTREE_H

#include "kexpr/Tensor.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace kexpr::test::rows {

/// What is known of a sum: rounded, and what that lost.
struct Pair {
  double high, lost = 0;
};
inline Pair operator+(Pair a, Pair b) {
  const double high = a.high + b.high, part = high - a.high;
  return {high,
          (a.lost + b.lost) + ((a.high - (high - part)) + (b.high - part))};
}

/// A product below 1, the exponent of two that it lacks, and what its rounding
/// lost, which f64 alone needs.
struct Product {
  Product() = default;
  explicit Product(double x) {
    int lacking = 0;
    high = std::frexp(x, &lacking);
    exponent = lacking;
  }
  double high = 1, lost = 0;
  std::int64_t exponent = 0;
};
inline Product operator+(Product a, Product b) {
  Product product(a.high * b.high);
  const double lost =
      std::fma(a.high, b.lost, std::fma(a.high, b.high, -a.high * b.high)) +
      a.lost * b.high;
  product.lost = std::ldexp(lost, -static_cast<int>(product.exponent));
  product.exponent += a.exponent + b.exponent;
  return product;
}

/// The best element, or none, and its index. Of equal ones the left one stays,
/// and NaN is the best.
template <class T, bool IsLargest> struct Best {
  T value = 0;
  std::int64_t index = -1;
};
template <class T, bool IsLargest>
Best<T, IsLargest> operator+(Best<T, IsLargest> a, Best<T, IsLargest> b) {
  if (a.index < 0 || b.index < 0)
    return a.index < 0 ? b : a;
  const bool isNan = b.value != b.value;
  return isNan || (IsLargest ? b.value > a.value : b.value < a.value) ? b : a;
}

/// The tree of docs/types.md over elements from `first` on, by recursion: a
/// lane is what went before and its last element, lanes are folded by halves,
/// and of blocks the largest power of two that leaves some is one side.
template <class State> class Tree {
public:
  explicit Tree(const std::vector<State> &elements) : all(elements) {}
  State root() const {
    const std::size_t blocks = (all.size() + 2047) / 2048;
    return blocks ? ofBlocks(0, blocks) : State{};
  }

private:
  State ofLane(std::size_t first, std::size_t turn) const {
    const State before = turn ? ofLane(first, turn - 1) : State{};
    const std::size_t at = first + 32 * turn;
    return at < all.size() ? before + all[at] : before;
  }
  State ofLanes(std::size_t first, std::size_t lanes) const {
    return lanes == 32
               ? ofLane(first, 63)
               : ofLanes(first, 2 * lanes) + ofLanes(first + lanes, 2 * lanes);
  }
  State ofBlocks(std::size_t first, std::size_t count) const {
    if (count == 1)
      return ofLanes(2048 * first, 1);
    std::size_t left = 1;
    while (2 * left < count)
      left *= 2;
    return ofBlocks(first, left) + ofBlocks(first + left, count - left);
  }
  const std::vector<State> &all;
};

/// The state of all elements of a row, each of which `make` makes one of.
template <class State, class Row, class Make>
State rootOf(const Row &row, Make make) {
  std::vector<State> states;
  for (std::size_t i = 0; i < row.size(); ++i)
    states.push_back(make(row[i], static_cast<std::int64_t>(i)));
  return Tree<State>(states).root();
}

template <class T> constexpr DType dtypeOf = DType::F32;
template <> inline constexpr DType dtypeOf<double> = DType::F64;
template <> inline constexpr DType dtypeOf<std::int64_t> = DType::I64;

} // namespace kexpr::test::rows

#endif // KEXPR_UNITTESTS_API_REDUCTIONTREE_H
