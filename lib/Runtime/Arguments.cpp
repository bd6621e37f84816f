//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Arguments.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

/// Names what an error is about: "operand @2", "output 0".
struct Role {
  std::string_view kind;
  std::size_t index;
  std::string str() const { return concat(kind, index); }
};

/// The bytes between a view's first and last element.
static std::pair<const char *, const char *> extentOf(const TensorView &view) {
  const char *first = static_cast<const char *>(view.data());
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < view.shape().rank(); ++axis)
    last += (view.shape()[axis] - 1) * view.strides()[axis];
  const auto size = static_cast<std::int64_t>(sizeOf(view.type()));
  return {first, first + (last + 1) * size};
}

static Status checkLayout(const TensorView &view, const Role &role) {
  const Shape &shape = view.shape(), &strides = view.strides();
  if (!shape.valid())
    return Error(ErrorCode::InvalidArgument,
                 concat(role.str(), " has more than ", MaxRank, " axes"));
  if (strides.rank() != shape.rank())
    return Error(ErrorCode::InvalidArgument,
                 concat(role.str(), " has ", shape.rank(), " axes and ",
                        strides.rank(), " strides"));
  const std::int64_t count = shape.elementCount();
  if (count < 0)
    return Error(ErrorCode::InvalidArgument,
                 concat(role.str(), " has the impossible shape ", shape.str()));
  // Bounds every byte offset far from the end of 64 bits.
  constexpr std::int64_t farthest = std::int64_t{1} << 56;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (strides[axis] < 0 || (count > 0 && shape[axis] > 1 &&
                              strides[axis] > farthest / (shape[axis] - 1)))
      return Error(
          ErrorCode::InvalidArgument,
          concat(role.str(), " has the impossible strides ", strides.str()));
  if (count > 0 && !view.data())
    return Error(
        ErrorCode::InvalidArgument,
        concat(role.str(), " of shape ", shape.str(), " has a null pointer"));
  return {};
}

static Status checkView(const TensorView &view, const Role &role, DType type) {
  if (view.empty())
    return Error(ErrorCode::MissingOperand, concat(role.str(), " is empty"));
  if (view.type() != type)
    return Error(ErrorCode::TypeMismatch,
                 concat(role.str(), " is ", nameOf(view.type()),
                        "; it must be ", nameOf(type)));
  return checkLayout(view, role);
}

/// Whether two elements of the view may share memory: axes ordered by stride
/// must each step over all of the axes inside it.
static bool overlapsItself(const TensorView &view) {
  const Shape &shape = view.shape(), &strides = view.strides();
  std::int64_t order[MaxRank];
  std::size_t axes = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] > 1)
      order[axes++] = static_cast<std::int64_t>(axis);
  std::sort(order, order + axes, [&](std::int64_t a, std::int64_t b) {
    return strides[a] < strides[b];
  });
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < axes; ++i) {
    if (strides[order[i]] <= covered)
      return true;
    covered += (shape[order[i]] - 1) * strides[order[i]];
  }
  return false;
}

static bool share(const TensorView &a, const TensorView &b) {
  if (a.shape().elementCount() <= 0 || b.shape().elementCount() <= 0)
    return false;
  const auto [beginA, endA] = extentOf(a);
  const auto [beginB, endB] = extentOf(b);
  return beginA < endB && beginB < endA;
}

static bool same(const TensorView &a, const TensorView &b) {
  return a.data() == b.data() && a.type() == b.type() &&
         a.shape() == b.shape() && a.strides() == b.strides();
}

static Status checkOverlap(const Arguments &call, const Demands &demands,
                           std::size_t index) {
  const TensorView &output = call.outputs[index];
  if (overlapsItself(output))
    return Error(ErrorCode::OverlappingOutput,
                 concat("output ", index, " of shape ", output.shape().str(),
                        " and strides ", output.strides().str(),
                        " overlaps itself"));
  for (std::uint32_t operand : demands.operands)
    if (share(output, call.inputs[operand]) &&
        !same(output, call.inputs[operand]))
      return Error(ErrorCode::OverlappingOutput,
                   concat("output ", index, " overlaps operand @", operand,
                          " without being exactly it"));
  for (std::size_t other = 0; other < index; ++other)
    if (share(output, call.outputs[other]))
      return Error(ErrorCode::OverlappingOutput,
                   concat("output ", index, " overlaps output ", other));
  return {};
}

static Error missing(std::uint32_t operand, std::size_t given) {
  return {ErrorCode::MissingOperand,
          concat("the expression uses operand @", operand, ", but only ", given,
                 " were given")};
}

Status runtime::checkInputs(const semantics::Operands &inputs,
                            const Demands &demands) {
  for (std::size_t i = 0; i < demands.operands.size(); ++i) {
    const std::uint32_t operand = demands.operands[i];
    if (operand >= inputs.count)
      return missing(demands.operands.back(), inputs.count);
    if (auto status = checkView(inputs[operand], {"operand @", operand},
                                demands.types[i]);
        !status)
      return status;
  }
  for (std::uint32_t operand : demands.shapes) {
    if (operand >= inputs.count)
      return missing(operand, inputs.count);
    const TensorView &view = inputs[operand];
    if (view.empty() || view.shape().elementCount() < 0)
      return Error(ErrorCode::MissingOperand,
                   concat("operand @", operand, " has no shape"));
  }
  return {};
}

Expected<Shape> runtime::outputShape(const semantics::Operands &inputs,
                                     const Demands &demands,
                                     std::size_t output) {
  auto shape = semantics::broadcastShape(inputs, demands.sources[output]);
  if (shape && shape->elementCount() < 0)
    return Error(ErrorCode::ShapeMismatch,
                 concat("the operands broadcast to the impossible shape ",
                        shape->str()));
  return shape;
}

Status runtime::checkArguments(const Arguments &call, const Demands &demands) {
  if (call.outputs.size() != demands.outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the expression has ", demands.outputs.size(),
                        " outputs, but ", call.outputs.size(), " were given"));
  if (auto status = checkInputs(call.inputs, demands); !status)
    return status;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const TensorView &output = call.outputs[i];
    auto shape = outputShape(call.inputs, demands, i);
    if (!shape)
      return shape.error();
    if (auto status = checkView(output, {"output ", i}, demands.outputs[i]);
        !status)
      return status;
    if (output.shape() != *shape)
      return Error(ErrorCode::ShapeMismatch,
                   concat("output ", i, " has shape ", output.shape().str(),
                          "; its operands broadcast to ", shape->str()));
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    if (call.outputs[i].shape().elementCount() > 0)
      if (auto status = checkOverlap(call, demands, i); !status)
        return status;
  return {};
}

namespace {
/// The bytes of one batch item's output.
struct Written {
  const char *begin;
  const char *end;
  std::size_t item;
};
} // namespace

static Error batchOverlap(std::size_t item, const std::string &other) {
  return {ErrorCode::OverlappingOutput,
          concat("the output of batch item ", item, " overlaps ", other)};
}

/// What is written, in memory order; an error where two items write to the same
/// bytes.
static Expected<std::vector<Written>>
sortedOutputs(std::span<const TensorView> outputs) {
  std::vector<Written> written;
  written.reserve(outputs.size());
  for (std::size_t item = 0; item < outputs.size(); ++item)
    if (outputs[item].shape().elementCount() > 0) {
      const auto [begin, end] = extentOf(outputs[item]);
      written.push_back({begin, end, item});
    }
  const auto isBefore = [](const Written &a, const Written &b) {
    return a.begin < b.begin;
  };
  if (!std::is_sorted(written.begin(), written.end(), isBefore))
    std::sort(written.begin(), written.end(), isBefore);
  for (std::size_t i = 1; i < written.size(); ++i)
    if (written[i].begin < written[i - 1].end)
      return batchOverlap(written[i].item,
                          concat("that of item ", written[i - 1].item));
  return written;
}

Status runtime::checkBatchOverlap(std::span<const TensorView> inputs,
                                  std::span<const TensorView> outputs,
                                  std::span<const std::uint32_t> used) {
  const auto written = sortedOutputs(outputs);
  if (!written)
    return written.error();
  if (written->empty())
    return {};
  const char *const lowest = written->front().begin;
  const char *const highest = written->back().end;
  const std::size_t batch = outputs.size();
  for (std::uint32_t operand : used)
    for (std::size_t item = 0; item < batch; ++item) {
      const TensorView &input = inputs[operand * batch + item];
      if (input.shape().elementCount() <= 0)
        continue;
      const auto [begin, end] = extentOf(input);
      if (end <= lowest || highest <= begin)
        continue;
      // Outputs are disjoint, so their ends are in order as well.
      auto hit = std::partition_point(
          written->begin(), written->end(),
          [begin = begin](const Written &w) { return w.end <= begin; });
      for (; hit != written->end() && hit->begin < end; ++hit)
        if (hit->item != item || !same(input, outputs[item]))
          return batchOverlap(hit->item,
                              concat("operand @", operand, " of item ", item));
    }
  return {};
}
