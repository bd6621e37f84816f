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

std::int64_t runtime::bytesSpanned(const TensorView &view) {
  if (view.shape().elementCount() <= 0)
    return 0;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < view.shape().rank(); ++axis)
    last += (view.shape()[axis] - 1) * view.strides()[axis];
  return (last + 1) * static_cast<std::int64_t>(sizeOf(view.type()));
}

Piece runtime::pieceOf(const TensorView &view) {
  const char *first = static_cast<const char *>(view.data());
  return {first, first + bytesSpanned(view)};
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
  // Bounds the bytes that all axes span far from the end of 64 bits.
  constexpr std::int64_t farthest = std::int64_t{1} << 52;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (strides[axis] < 0 || (count > 0 && shape[axis] > 1 &&
                              strides[axis] > farthest / (shape[axis] - 1)))
      return Error(
          ErrorCode::InvalidArgument,
          concat(role.str(), " has the impossible strides ", strides.str()));
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

static Status checkSelfOverlap(const TensorView &output, std::size_t index) {
  if (output.shape().elementCount() == 0 || !overlapsItself(output))
    return {};
  return Error(ErrorCode::OverlappingOutput,
               concat("output ", index, " of shape ", output.shape().str(),
                      " and strides ", output.strides().str(),
                      " overlaps itself"));
}

Error runtime::errorOf(const Overlap &overlap, const Demands &demands) {
  return {ErrorCode::OverlappingOutput,
          overlap.isInput
              ? concat("output ", overlap.output, " overlaps operand @",
                       demands.operands[overlap.other],
                       " without being exactly it")
              : concat("output ", overlap.output, " overlaps output ",
                       overlap.other)};
}

static Status checkOverlaps(const Arguments &call, const Demands &demands) {
  InlineBuffer<Piece, 8> outputs(call.outputs.size());
  InlineBuffer<Piece, 16> inputs(demands.operands.size());
  std::transform(call.outputs.begin(), call.outputs.end(), outputs.data(),
                 pieceOf);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = pieceOf(call.inputs[demands.operands[i]]);
  const auto found = findOverlap(
      {outputs.data(), outputs.size()}, {inputs.data(), inputs.size()},
      [&](std::size_t output, std::size_t input) {
        const TensorView &view = call.inputs[demands.operands[input]];
        return call.outputs[output].data() == view.data() &&
               haveOneLayout(call.outputs[output], view);
      });
  return found ? Status(errorOf(*found, demands)) : Status();
}

/// Null pointers, and overlaps.
static Status checkMemory(const Arguments &call, const Demands &demands) {
  for (std::uint32_t operand : demands.operands)
    if (auto status = checkMemory(call.inputs[operand], {"operand @", operand});
        !status)
      return status;
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    if (auto status = checkMemory(call.outputs[i], {"output ", i}); !status)
      return status;
  return checkOverlaps(call, demands);
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

Status runtime::checkArguments(const Arguments &call, const Demands &demands,
                               bool withMemory) {
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
    if (auto status = checkSelfOverlap(call.outputs[i], i); !status)
      return status;
  return withMemory ? checkMemory(call, demands) : Status();
}

Status runtime::checkBatchOverlap(std::span<const TensorView> inputs,
                                  std::span<const TensorView> outputs,
                                  std::span<const std::uint32_t> used) {
  const std::size_t batch = outputs.size();
  InlineBuffer<Piece, 16> written(batch), read(batch * used.size());
  std::transform(outputs.begin(), outputs.end(), written.data(), pieceOf);
  for (std::size_t i = 0; i < read.size(); ++i)
    read[i] = pieceOf(inputs[used[i / batch] * batch + i % batch]);
  const auto found = findOverlap(
      {written.data(), batch}, {read.data(), read.size()},
      [&](std::size_t output, std::size_t i) {
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
