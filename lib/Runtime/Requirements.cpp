//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Requirements.h"

#include "Support/Text.h"
#include "Support/ThreadMemory.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Operands;

/// The operands that an output is computed from, ascending. `visitors` has, for
/// every value, the number of the last output that needed it, from 1.
static std::vector<std::uint32_t>
operandsOf(const semantics::Graph &graph, std::size_t output,
           std::vector<std::size_t> &visitors) {
  std::vector<std::uint32_t> found;
  std::vector<semantics::ValueId> open = {graph.outputs[output]};
  while (!open.empty()) {
    const semantics::ValueId id = open.back();
    open.pop_back();
    if (std::exchange(visitors[id], output + 1) == output + 1)
      continue;
    const semantics::Value &value = graph.values[id];
    if (value.kind == semantics::ValueKind::Input)
      found.push_back(graph.inputs[value.input]);
    const auto args = graph.args(value);
    open.insert(open.end(), args.begin(), args.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Requirements::Requirements(const semantics::Plan &plan,
                           const Expression &expression)
    : expression(expression) {
  const semantics::Graph &graph = plan.graph;
  std::map<std::uint32_t, DType> found;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    found[graph.inputs[i]] = plan.inputs[i].type;
  for (const auto &[operand, type] : found) {
    operands.push_back(operand);
    types.push_back(type);
  }
  for (std::size_t i = 0; i < graph.numbers.size(); ++i) {
    const auto &number = graph.numbers[static_cast<semantics::NumberId>(i)];
    if (number.kind == semantics::NumberNode::Kind::Size &&
        !found.contains(number.operand))
      shapes.push_back(number.operand);
  }
  std::vector<std::size_t> visitors(graph.values.size());
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    outputs.push_back(plan.outputs[i].type);
    sources.push_back(operandsOf(graph, i, visitors));
    isUniform &= sources[i] == sources[0];
  }
  // Outputs of all shapes are those of one call.
  if (graph.hasReductions()) {
    reducing = &graph;
    isUniform = true;
  }
}

namespace {
/// What an error is about: "operand @2", "output 0".
struct Role {
  std::string_view kind;
  std::size_t index;
  std::string str() const { return concat(kind, index); }
};
} // namespace

ByteReach ByteReach::of(const TensorView &view) {
  if (view.shape().elementCount() <= 0)
    return {};
  std::int64_t lowest = 0, highest = 0;
  for (std::size_t axis = 0; axis < view.shape().rank(); ++axis) {
    const std::int64_t stride = view.strides()[axis];
    (stride < 0 ? lowest : highest) += (view.shape()[axis] - 1) * stride;
  }
  const auto size = static_cast<std::int64_t>(sizeOf(view.type()));
  return {lowest * size, (highest + 1) * size};
}

ByteRange ByteRange::of(const TensorView &view) {
  return ByteReach::of(view).from(view.data());
}

std::int64_t runtime::bytesSpanned(const TensorView &view) {
  const ByteReach reach = ByteReach::of(view);
  return reach.end - reach.begin;
}

bool runtime::haveOneLayout(const TensorView &a, const TensorView &b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         a.strides() == b.strides();
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
  // So that the bytes spanned by all axes stay far below 2^63.
  constexpr std::int64_t farthest = std::int64_t{1} << 52;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (count == 0 || shape[axis] == 1)
      continue;
    const std::int64_t most = farthest / (shape[axis] - 1);
    if (strides[axis] > most || strides[axis] < -most)
      return Error(
          ErrorCode::InvalidArgument,
          concat(role.str(), " has the impossible strides ", strides.str()));
  }
  return {};
}

static Status checkMemory(const TensorView &view, const Role &role) {
  if (view.data() || view.shape().elementCount() == 0)
    return {};
  return Error(ErrorCode::InvalidArgument,
               concat(role.str(), " of shape ", view.shape().str(),
                      " has a null pointer"));
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

/// Whether two elements of the view may share memory: in the order of strides,
/// whatever their signs, an axis does not step over all elements of the axes
/// before.
static bool overlapsItself(const TensorView &view) {
  const Shape &shape = view.shape();
  std::int64_t order[MaxRank], strides[MaxRank];
  std::size_t axes = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] > 1) {
      order[axes++] = static_cast<std::int64_t>(axis);
      strides[axis] = std::abs(view.strides()[axis]);
    }
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

static Status checkSelfOverlap(const TensorView &output, std::size_t index) {
  if (output.shape().elementCount() == 0 || !overlapsItself(output))
    return {};
  return Error(ErrorCode::OverlappingOutput,
               concat("output ", index, " of shape ", output.shape().str(),
                      " and strides ", output.strides().str(),
                      " overlaps itself"));
}

Status runtime::checkOutput(const TensorView &output, std::size_t index,
                            DType type) {
  auto status = checkView(output, {"output ", index}, type);
  if (status)
    status = checkSelfOverlap(output, index);
  return status ? checkMemory(output, {"output ", index}) : status;
}

Error Requirements::overlapError(const Overlap &overlap) const {
  return {ErrorCode::OverlappingOutput,
          overlap.isInput
              ? concat("output ", overlap.output, " overlaps operand @",
                       operands[overlap.other], " without being exactly it")
              : concat("output ", overlap.output, " overlaps output ",
                       overlap.other)};
}

static Error missing(std::uint32_t operand, std::size_t given) {
  return {ErrorCode::MissingOperand,
          concat("the expression uses operand @", operand, ", but only ", given,
                 " were given")};
}

Status Requirements::checkInputs(const Operands &inputs) const {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::uint32_t operand = operands[i];
    if (operand >= inputs.count)
      return missing(operands.back(), inputs.count);
    if (auto status =
            checkView(inputs[operand], {"operand @", operand}, types[i]);
        !status)
      return status;
  }
  for (std::uint32_t operand : shapes) {
    if (operand >= inputs.count)
      return missing(operand, inputs.count);
    const TensorView &view = inputs[operand];
    if (view.empty() || view.shape().elementCount() < 0)
      return Error(ErrorCode::MissingOperand,
                   concat("operand @", operand, " has no shape"));
  }
  return {};
}

Expected<Shape> Requirements::outputShape(const Operands &inputs,
                                          std::size_t output) const {
  if (reducing) {
    semantics::ValueId at = 0;
    auto shapes = semantics::shapesOf(*reducing, inputs, at);
    if (!shapes)
      return Error(shapes.error().code(), shapes.error().message(),
                   std::string(expression.text()),
                   expression.nodes()[reducing->origins[at]].range);
    return (*shapes)[reducing->outputs[output]];
  }
  auto shape = semantics::broadcastShape(inputs, sources[output]);
  if (shape && shape->elementCount() < 0)
    return Error(ErrorCode::ShapeMismatch,
                 concat("the operands broadcast to the impossible shape ",
                        shape->str()));
  return shape;
}

Status Requirements::check(const CallArguments &call, bool withMemory) const {
  if (call.outputs.size() != outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the expression has ", outputs.size(), " outputs, but ",
                        call.outputs.size(), " were given"));
  if (auto status = checkInputs(call.inputs); !status)
    return status;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const TensorView &output = call.outputs[i];
    auto shape = outputShape(call.inputs, i);
    if (!shape)
      return shape.error();
    if (auto status = checkView(output, {"output ", i}, outputs[i]); !status)
      return status;
    if (output.shape() != *shape)
      return Error(ErrorCode::ShapeMismatch,
                   concat("output ", i, " has shape ", output.shape().str(),
                          reducing ? "; its expression has "
                                   : "; its operands broadcast to ",
                          shape->str()));
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    if (auto status = checkSelfOverlap(call.outputs[i], i); !status)
      return status;
  if (!withMemory)
    return {};
  InlineBuffer<ByteRange, 8> written(outputs.size());
  InlineBuffer<ByteRange, 16> read(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const TensorView &input = call.inputs[operands[i]];
    if (auto status = checkMemory(input, {"operand @", operands[i]}); !status)
      return status;
    read[i] = ByteRange::of(input);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (auto status = checkMemory(call.outputs[i], {"output ", i}); !status)
      return status;
    written[i] = ByteRange::of(call.outputs[i]);
  }
  return checkOverlap({written.data(), written.size()},
                      {read.data(), read.size()},
                      [&](std::size_t output, std::size_t input) {
                        return haveOneLayout(call.outputs[output],
                                             call.inputs[operands[input]]);
                      });
}

static constinit thread_local ThreadMemory orderOfThread;

std::size_t *runtime::memoryForOrder(std::size_t count) {
  return static_cast<std::size_t *>(
      orderOfThread.get(count * sizeof(std::size_t)));
}

Status runtime::checkBatchOverlap(std::span<const TensorView> inputs,
                                  std::span<const TensorView> outputs,
                                  std::span<const std::uint32_t> used,
                                  std::span<const ByteRange> written,
                                  std::span<const ByteRange> read) {
  const std::size_t batch = outputs.size();
  const auto found =
      findOverlap(written, read, [&](std::size_t output, std::size_t i) {
        const TensorView &input = inputs[used[i / batch] * batch + i % batch];
        return output == i % batch && input.data() == outputs[output].data() &&
               haveOneLayout(input, outputs[output]);
      });
  if (!found)
    return {};
  return Error(ErrorCode::OverlappingOutput,
               concat("the output of batch item ", found->output, " overlaps ",
                      found->isInput
                          ? concat("operand @", used[found->other / batch],
                                   " of item ", found->other % batch)
                          : concat("that of item ", found->other)));
}

/// The elements of a row-major view with memory; -1 for another.
static std::int64_t countIfRowMajor(const TensorView &view, DType type) {
  const Shape &shape = view.shape(), &strides = view.strides();
  if (view.type() != type || !view.data() || !shape.valid() ||
      strides.rank() != shape.rank())
    return -1;
  // Far from where counting bytes could overflow.
  constexpr std::int64_t most = std::int64_t{1} << 48;
  std::int64_t count = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    if (strides[axis] != count || shape[axis] <= 0 || shape[axis] > most)
      return -1;
    count *= shape[axis];
    if (count > most)
      return -1;
  }
  return count;
}

/// Whether two views of so many elements are the same memory or have none in
/// common.
static bool isSameOrApart(const TensorView &input, const TensorView &output,
                          std::int64_t count) {
  const auto first = reinterpret_cast<std::uintptr_t>(input.data());
  const auto second = reinterpret_cast<std::uintptr_t>(output.data());
  const auto elements = static_cast<std::uintptr_t>(count);
  if (first == second)
    return input.type() == output.type();
  return first < second ? second - first >= elements * sizeOf(input.type())
                        : first - second >= elements * sizeOf(output.type());
}

std::int64_t Requirements::contiguousCount(const CallArguments &call) const {
  if (reducing || call.outputs.size() != 1 || outputs.size() != 1 ||
      !shapes.empty() ||
      (!operands.empty() && operands.back() >= call.inputs.count))
    return -1;
  const TensorView &output = call.outputs[0];
  const std::int64_t count = countIfRowMajor(output, outputs[0]);
  if (count < 0)
    return -1;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const TensorView &input = call.inputs[operands[i]];
    if (input.type() != types[i] || !input.data() ||
        input.shape() != output.shape() ||
        input.strides() != output.strides() ||
        !isSameOrApart(input, output, count))
      return -1;
  }
  return count;
}
