//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Broadcast.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::semantics;

static Error mismatch(std::uint32_t operand, const Shape &shape,
                      const Shape &others, std::size_t fromEnd) {
  return {ErrorCode::ShapeMismatch,
          concat("operand @", operand, " of shape ", shape.str(),
                 " does not broadcast with ", others.str(), ": axis ",
                 -static_cast<int>(fromEnd), " is ",
                 shape[shape.rank() - fromEnd], " here and ",
                 others[others.rank() - fromEnd], " there")};
}

Expected<Shape> semantics::broadcastShape(const Operands &operands,
                                          std::span<const std::uint32_t> used) {
  Shape result;
  for (std::uint32_t operand : used) {
    const Shape &shape = operands[operand].shape();
    if (shape == result)
      continue;
    Shape wide = shape.rank() > result.rank() ? shape : result;
    for (std::size_t end = 1; end <= wide.rank(); ++end) {
      auto extent = [end](const Shape &s) {
        return end <= s.rank() ? s[s.rank() - end] : 1;
      };
      const std::int64_t a = extent(result), b = extent(shape);
      if (a != b && a != 1 && b != 1)
        return mismatch(operand, shape, result, end);
      wide[wide.rank() - end] = a == 1 ? b : a;
    }
    result = wide;
  }
  return result;
}

std::optional<Shape> semantics::joinedShape(const Shape &a, const Shape &b) {
  Shape wide = a.rank() < b.rank() ? b : a;
  const Shape &other = a.rank() < b.rank() ? a : b;
  const std::size_t missing = wide.rank() - other.rank();
  for (std::size_t axis = 0; axis < other.rank(); ++axis) {
    std::int64_t &extent = wide[missing + axis];
    if (extent != other[axis] && extent != 1 && other[axis] != 1)
      return std::nullopt;
    extent = extent == 1 ? other[axis] : extent;
  }
  return wide;
}

Expected<std::uint32_t> semantics::axisMask(const AxisSet &set,
                                            std::size_t rank) {
  std::uint32_t mask = 0;
  // A scalar has an axis to reduce over, as in PyTorch.
  const auto axes = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
  for (std::int64_t axis : set.axes) {
    if (axis < -axes || axis >= axes)
      return Error(ErrorCode::ShapeMismatch,
                   concat("axis ", axis, " of a tensor of ", rank, " axes"));
    const std::uint32_t bit = 1u << (axis < 0 ? axis + axes : axis);
    if (mask & bit)
      return Error(ErrorCode::ShapeMismatch,
                   concat("axis ", axis, " of a tensor of ", rank,
                          " axes appears twice"));
    mask |= bit;
  }
  if (set.first > 0 && set.first >= rank)
    return Error(ErrorCode::ShapeMismatch,
                 concat("a tensor of ", rank, " axes has none from axis ",
                        set.first, " on"));
  const std::uint32_t all = (1u << rank) - 1;
  return set.axes.empty() ? all & ~((1u << set.first) - 1) : mask & all;
}

Shape semantics::reducedShape(const Shape &shape, std::uint32_t mask,
                              bool stay) {
  std::int64_t extents[MaxRank];
  std::size_t rank = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const bool isReduced = mask >> axis & 1;
    if (stay || !isReduced)
      extents[rank++] = isReduced ? 1 : shape[axis];
  }
  return {extents, rank};
}

static Shape withoutChannels(const Shape &shape) {
  return reducedShape(shape, 1u << 1, false);
}

/// Whether a view can see a tensor of a shape beside another.
static Status checkSeen(const Value &view, const Shape &shape,
                        const Shape &beside) {
  const auto groups = static_cast<std::int64_t>(view.bits);
  const auto mismatch = [](std::string message) {
    return Error(ErrorCode::ShapeMismatch, std::move(message));
  };
  if (beside.rank() < 2)
    return mismatch(
        concat("a tensor of shape ", beside.str(), " has no channels"));
  const std::int64_t channels = beside[1];
  if (channels % groups != 0)
    return mismatch(concat(channels, " channels are no ", groups, " groups"));
  const auto kind = static_cast<ViewKind>(view.op);
  if ((kind == ViewKind::Channels || kind == ViewKind::OfClass) &&
      (shape.rank() != 1 || shape[0] != channels))
    return mismatch(concat("a weight or bias of shape ", shape.str(), " for ",
                           channels, " channels"));
  if (kind == ViewKind::Split && shape.rank() == MaxRank)
    return mismatch(concat("groups of a tensor of ", MaxRank, " axes"));
  if (kind == ViewKind::Classes && shape != withoutChannels(beside))
    return mismatch(concat("classes of shape ", shape.str(),
                           " for a tensor of shape ", beside.str()));
  return {};
}

/// A tensor at the class of each row of one of shape `beside`.
static SeenShape seenAtClasses(ViewKind kind, const Shape &shape,
                               const Shape &strides, const Shape &beside) {
  std::int64_t steps[MaxRank] = {};
  const std::size_t missing = beside.rank() - shape.rank();
  if (kind == ViewKind::AtClass)
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      steps[axis + missing] = shape[axis] == 1 ? 0 : strides[axis];
  if (kind == ViewKind::OfClass)
    steps[1] = strides[0];
  return {reducedShape(beside, 1u << 1, true), {steps, beside.rank()}};
}

Expected<SeenShape> semantics::seenBy(const Value &view, const Shape &shape,
                                      const Shape &strides,
                                      const Shape &beside) {
  if (auto status = checkSeen(view, shape, beside); !status)
    return status.error();
  const auto groups = static_cast<std::int64_t>(view.bits);
  const std::int64_t channels = beside[1], each = channels / groups;
  std::vector<std::int64_t> extents, steps;
  const auto add = [&](std::int64_t extent, std::int64_t step) {
    extents.push_back(extent);
    steps.push_back(step);
  };
  const auto kind = static_cast<ViewKind>(view.op);
  switch (kind) {
  case ViewKind::Channels:
    add(channels, strides[0]);
    extents.resize(beside.rank() - 1, 1);
    break;
  case ViewKind::Split:
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (axis == 1)
        add(groups, strides[1] * each);
      add(axis == 1 ? each : shape[axis], strides[axis]);
    }
    break;
  case ViewKind::Repeat:
    add(shape[0], strides[0]);
    add(groups, strides[1]);
    add(each, 0);
    break;
  case ViewKind::Join:
    add(shape[0], strides[0]);
    add(channels, strides[2]);
    extents.resize(beside.rank(), 1);
    break;
  case ViewKind::Classes:
    add(shape[0], strides[0]);
    add(1, 0);
    for (std::size_t axis = 1; axis < shape.rank(); ++axis)
      add(shape[axis], strides[axis]);
    break;
  case ViewKind::AtClass:
  case ViewKind::OfClass:
  case ViewKind::IsClass:
    return seenAtClasses(kind, shape, strides, beside);
  }
  steps.resize(extents.size(), 0);
  return SeenShape{{extents.data(), extents.size()},
                   {steps.data(), steps.size()}};
}

static Expected<Shape> shapeOf(const Graph &graph, const Value &value,
                               const std::vector<Shape> &shapes) {
  if (value.kind == ValueKind::View) {
    const Shape &own = shapes[value.args[1]];
    auto seen =
        seenBy(value, own, contiguousStrides(own), shapes[value.args[0]]);
    return seen ? Expected<Shape>(seen->shape) : seen.error();
  }
  Shape shape;
  for (ValueId arg : graph.args(value)) {
    auto joined = joinedShape(shape, shapes[arg]);
    if (!joined)
      return Error(ErrorCode::ShapeMismatch,
                   concat("the shapes ", shape.str(), " and ",
                          shapes[arg].str(), " do not broadcast"));
    shape = *joined;
  }
  if (shape.elementCount() < 0)
    return Error(
        ErrorCode::ShapeMismatch,
        concat("the operands broadcast to the impossible shape ", shape.str()));
  if (!value.goesOverAxes())
    return shape;
  const AxisSet &axes = graph.axisSets[value.input];
  const auto mask = axisMask(axes, shape.rank());
  if (!mask)
    return mask.error();
  if (value.kind == ValueKind::Scan)
    return shape;
  const Shape reduced = reducedShape(shape, *mask, axes.stay);
  if (shape.elementCount() == 0 && reduced.elementCount() > 0 &&
      !value.takesNone())
    return Error(ErrorCode::ShapeMismatch,
                 concat('\'', graph.nameOf(value),
                        "' has no result of no elements: the shape is ",
                        shape.str()));
  return reduced;
}

Expected<std::vector<Shape>>
semantics::shapesOf(const Graph &graph, const Operands &operands, ValueId &at) {
  std::vector<Shape> shapes(graph.values.size());
  for (at = 0; at < shapes.size(); ++at) {
    const Value &value = graph.values[at];
    if (value.kind == ValueKind::Input) {
      shapes[at] = operands[graph.inputs[value.input]].shape();
      continue;
    }
    auto shape = shapeOf(graph, value, shapes);
    if (!shape)
      return shape.error();
    shapes[at] = *shape;
  }
  return shapes;
}

AccessPattern LoopNest::pattern(std::size_t slot) const {
  const std::int64_t bytes = axes ? stride(slot, axes - 1) : 0;
  // Any kernel can run a loop of one element.
  if (axes == 0 || bytes == size(slot))
    return AccessPattern::Contiguous;
  return bytes == 0 ? AccessPattern::Constant : AccessPattern::Strided;
}

void LoopNest::build(const Shape &shape,
                     std::span<const TensorView *const> slots) {
  axes = 0;
  for (std::size_t s = 0; s < slotCount; ++s) {
    base[s] = slots[s]->data();
    sizes[s] = static_cast<std::int64_t>(sizeOf(slots[s]->type()));
  }
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1)
      continue;
    extents[axes] = shape[axis];
    for (std::size_t s = 0; s < slotCount; ++s) {
      const Shape &own = slots[s]->shape();
      const std::size_t missing = shape.rank() - own.rank();
      const bool moves = axis >= missing && own[axis - missing] != 1;
      step[s * MaxRank + axes] =
          moves ? slots[s]->strides()[axis - missing] * sizes[s] : 0;
    }
    ++axes;
  }
  flipAxes();
  sortAxes();
  mergeAxes();
}

void LoopNest::flipAxes() {
  isFlipped = false;
  for (unsigned axis = 0; axis < axes; ++axis) {
    if (step[axis] >= 0)
      continue;
    for (std::size_t s = 0; s < slotCount; ++s) {
      std::int64_t &bytes = step[s * MaxRank + axis];
      start[s] = (isFlipped ? start[s] : 0) + bytes * (extents[axis] - 1);
      bytes = -bytes;
    }
    isFlipped = true;
  }
  moveToFirsts(base.data());
}

void LoopNest::flip(void **pointers) const {
  for (std::size_t s = 0; s < slotCount; ++s)
    // A call that is prepared for later has no memory yet.
    if (pointers[s])
      pointers[s] = static_cast<char *>(pointers[s]) + start[s];
}

void LoopNest::sortAxes() {
  // The first output's longest steps go outermost, so that it is written in
  // memory order. Axes are few and mostly in order: insertion sort.
  for (unsigned i = 1; i < axes; ++i)
    for (unsigned k = i; k > 0 && step[k - 1] < step[k]; --k) {
      std::swap(extents[k - 1], extents[k]);
      for (std::size_t s = 0; s < slotCount; ++s)
        std::swap(step[s * MaxRank + k - 1], step[s * MaxRank + k]);
    }
}

bool LoopNest::canMerge(unsigned outer, unsigned inner) const {
  for (std::size_t s = 0; s < slotCount; ++s)
    if (stride(s, outer) != stride(s, inner) * extents[inner])
      return false;
  return true;
}

void LoopNest::mergeAxes() {
  if (axes == 0)
    return;
  unsigned last = 0;
  for (unsigned axis = 1; axis < axes; ++axis) {
    const bool merge = canMerge(last, axis);
    const std::int64_t extent = (merge ? extents[last] : 1) * extents[axis];
    last += !merge;
    extents[last] = extent;
    for (std::size_t s = 0; s < slotCount; ++s)
      step[s * MaxRank + last] = step[s * MaxRank + axis];
  }
  axes = last + 1;
}
