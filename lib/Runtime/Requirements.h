//===- Runtime/Requirements.h - What a kernel requires of its tensors -----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_REQUIREMENTS_H
#define KEXPR_RUNTIME_REQUIREMENTS_H

#include "Semantics/Broadcast.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace kexpr::runtime {

/// The inputs and outputs of one call.
struct CallArguments {
  semantics::Operands inputs;
  std::span<const TensorView> outputs;
};

/// The bytes between which a tensor's elements lie; none without elements.
struct ByteRange {
  const char *begin = nullptr, *end = nullptr;

  static ByteRange of(const TensorView &view);
  bool empty() const { return begin == end; }
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// The same seen from a tensor's first element, wherever that is.
struct ByteReach {
  std::int64_t begin = 0, end = 0;

  static ByteReach of(const TensorView &view);
  bool empty() const { return begin == end; }
  ByteRange from(const void *first) const {
    return {static_cast<const char *>(first) + begin,
            static_cast<const char *>(first) + end};
  }
};

/// Bytes between which the elements of a view lie; 0 without elements.
std::int64_t bytesSpanned(const TensorView &view);
/// Whether two views have the same type, shape and strides.
bool haveOneLayout(const TensorView &a, const TensorView &b);

/// An output that overlaps another one, or an input.
struct Overlap {
  std::size_t output, other;
  bool isInput;
};

/// Memory of the thread for so many positions, until it is asked for again.
std::size_t *memoryForOrder(std::size_t count);

/// Finds an output that overlaps another, or an input of which
/// `isAllowed(output, input)` is false. Sorts outputs and searches them for
/// each input.
template <class F>
std::optional<Overlap> findOverlap(std::span<const ByteRange> outputs,
                                   std::span<const ByteRange> inputs,
                                   F isAllowed) {
  std::size_t few[16];
  std::size_t *const order =
      outputs.size() <= std::size(few) ? few : memoryForOrder(outputs.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].empty())
      order[count++] = i;
  std::size_t *const last = order + count;
  const auto isBefore = [&](std::size_t a, std::size_t b) {
    return outputs[a].begin < outputs[b].begin;
  };
  if (!std::is_sorted(order, last, isBefore))
    std::sort(order, last, isBefore);
  for (std::size_t i = 1; i < count; ++i)
    if (outputs[order[i]].overlaps(outputs[order[i - 1]])) {
      const auto [first, second] = std::minmax(order[i], order[i - 1]);
      return Overlap{second, first, false};
    }
  // Outputs are disjoint, so their ends are in order as well.
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const ByteRange &range = inputs[input];
    const bool isApart = count == 0 || range.begin >= outputs[last[-1]].end ||
                         range.end <= outputs[order[0]].begin;
    if (range.empty() || isApart)
      continue;
    const std::size_t *hit =
        std::partition_point(order, last, [&](std::size_t output) {
          return outputs[output].end <= range.begin;
        });
    for (; hit != last && outputs[*hit].begin < range.end; ++hit)
      if (!isAllowed(*hit, input))
        return Overlap{*hit, input, true};
  }
  return std::nullopt;
}

/// Checks an output by itself, memory included: of a type, and well formed.
Status checkOutput(const TensorView &output, std::size_t index, DType type);

/// What the tensors of a kernel's calls must be, and the checks of calls.
/// Checks read no element and write nothing; errors name the first fault,
/// inputs before outputs.
struct Requirements {
  /// Of the plan of an expression; both must outlive this.
  Requirements(const semantics::Plan &plan, const Expression &expression);

  /// The operands whose elements are read, ascending, and their types.
  std::vector<std::uint32_t> operands;
  std::vector<DType> types;
  /// Operands of which the shape alone is used.
  std::vector<std::uint32_t> shapes;
  std::vector<DType> outputs;
  /// The operands that each output is computed from, ascending.
  std::vector<std::vector<std::uint32_t>> sources;
  /// Whether all outputs are computed from the same operands, and so have one
  /// shape.
  bool isUniform = true;
  /// The graph if it has reductions, which shapes follow from; else null.
  const semantics::Graph *reducing = nullptr;
  const Expression &expression;

  /// Checks that operands are there, well formed and of the right type.
  Status checkInputs(const semantics::Operands &inputs) const;
  /// The shape of an output for inputs that were checked.
  Expected<Shape> outputShape(const semantics::Operands &inputs,
                              std::size_t output) const;
  /// Checks inputs, outputs, and memory: it must not be null, nor shared where
  /// it may not be. Without `withMemory`, memory is left out.
  Status check(const CallArguments &call, bool withMemory = true) const;
  /// The number of elements of a call in which all types are right, everything
  /// is row-major and of one shape, nothing is null, and the output is apart
  /// from the inputs or exactly one of them; -1 for any other call, which
  /// `check` must look at. This takes nanoseconds where `check` takes hundreds.
  std::int64_t contiguousCount(const CallArguments &call) const;

  /// Checks the memory of outputs, and of `operands`. `mayBe(output, i)` says
  /// whether an output may be `operands[i]`: it has the same layout.
  template <class F>
  Status checkOverlap(std::span<const ByteRange> written,
                      std::span<const ByteRange> read, F mayBe) const {
    const auto found =
        findOverlap(written, read, [&](std::size_t output, std::size_t input) {
          return written[output].begin == read[input].begin &&
                 mayBe(output, input);
        });
    return found ? Status(overlapError(*found)) : Status();
  }

private:
  Error overlapError(const Overlap &overlap) const;
};

/// Checks that the items of a batch do not interfere: `outputs[i]` may be
/// exactly an input of item i, and shares no memory with anything else.
/// `inputs` holds operand 0's items, then operand 1's...; `read` has the memory
/// of the operands that are `used`, in the same order, `written` that of
/// `outputs`.
Status checkBatchOverlap(std::span<const TensorView> inputs,
                         std::span<const TensorView> outputs,
                         std::span<const std::uint32_t> used,
                         std::span<const ByteRange> written,
                         std::span<const ByteRange> read);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_REQUIREMENTS_H
