//===- Runtime/Overlap.h - Memory that tensors share ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_OVERLAP_H
#define KEXPR_RUNTIME_OVERLAP_H

#include "Support/InlineBuffer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace kexpr::runtime {

/// The bytes from a tensor's first element to its last; none without elements.
struct Piece {
  const char *begin = nullptr, *end = nullptr;

  bool empty() const { return begin == end; }
  bool meets(const Piece &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// An output that meets another one, or an input.
struct Overlap {
  std::size_t output, other;
  bool isInput;
};

/// Finds an output that meets another, or an input of which `isAllowed(output,
/// input)` is false. Takes time in proportion to pieces, sorted, where there
/// are many.
template <class F>
std::optional<Overlap> findOverlap(std::span<const Piece> outputs,
                                   std::span<const Piece> inputs, F isAllowed) {
  InlineBuffer<std::size_t, 16> order(outputs.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].empty())
      order[count++] = i;
  std::size_t *const last = order.data() + count;
  std::sort(order.data(), last, [&](std::size_t a, std::size_t b) {
    return outputs[a].begin < outputs[b].begin;
  });
  for (std::size_t i = 1; i < count; ++i)
    if (outputs[order[i]].meets(outputs[order[i - 1]])) {
      const auto [first, second] = std::minmax(order[i], order[i - 1]);
      return Overlap{second, first, false};
    }
  // Outputs are disjoint, so their ends are in order as well.
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const Piece &piece = inputs[input];
    if (piece.empty())
      continue;
    const std::size_t *hit =
        std::partition_point(order.data(), last, [&](std::size_t output) {
          return outputs[output].end <= piece.begin;
        });
    for (; hit != last && outputs[*hit].begin < piece.end; ++hit)
      if (!isAllowed(*hit, input))
        return Overlap{*hit, input, true};
  }
  return std::nullopt;
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_OVERLAP_H
