//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiTensors.h"

#include "Api/CApiOptions.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::capi;

static bool isEmpty(const kexpr_tensor &tensor) {
  return !tensor.data && tensor.type == 0 && tensor.rank == 0 &&
         !tensor.shape && !tensor.strides;
}

static Error invalid(const char *what, std::size_t index, std::string fault) {
  return {ErrorCode::InvalidArgument, concat(what, ' ', index, ' ', fault)};
}

/// Whether the members of a tensor say what they must; what they say is for
/// the kernel to check.
static Status check(const kexpr_tensor &tensor, const char *what,
                    std::size_t index) {
  if (kexpr_dtype_size(tensor.type) == 0)
    return invalid(
        what, index,
        concat("has type ", tensor.type, ", which is no element type"));
  if (tensor.rank > MaxRank)
    return invalid(
        what, index,
        concat("has ", tensor.rank, " axes; the most are ", MaxRank));
  if (tensor.rank > 0 && !tensor.shape)
    return invalid(what, index,
                   concat("has ", tensor.rank, " axes and a null shape"));
  return {};
}

static TensorView viewOf(const kexpr_tensor &tensor) {
  const auto type = static_cast<DType>(tensor.type);
  const Shape shape(tensor.shape, tensor.rank);
  if (!tensor.strides)
    return TensorView(tensor.data, type, shape);
  return TensorView(tensor.data, type, shape,
                    Shape(tensor.strides, tensor.rank));
}

kexpr_tensor capi::tensorOf(const TensorView &view) {
  const Shape &shape = view.shape();
  const bool isRowMajor = view.strides() == contiguousStrides(shape);
  return {view.data(), static_cast<kexpr_dtype>(view.type()),
          static_cast<std::uint32_t>(shape.rank()), shape.begin(),
          isRowMajor ? nullptr : view.strides().begin()};
}

Status Tensors::read(const kexpr_tensor *tensors, std::size_t count,
                     const char *what) {
  if (!tensors && count > 0)
    return Error(ErrorCode::InvalidArgument,
                 concat(count, ' ', what, "s at a null pointer"));
  if (count > Few)
    many.resize(count);
  TensorView *views = count > Few ? many.data() : few;
  for (std::size_t i = 0; i < count; ++i) {
    if (isEmpty(tensors[i]))
      continue;
    if (auto status = check(tensors[i], what, i); !status)
      return status;
    views[i] = viewOf(tensors[i]);
  }
  all = {views, count};
  return {};
}

Status Call::read(const Arguments &given) {
  if (auto status = inputs.read(given.inputs, given.inputCount, "input");
      !status)
    return status;
  if (auto status = outputs.read(given.outputs, given.outputCount, "output");
      !status)
    return status;
  auto read = optionsOf(given.options);
  if (!read)
    return read.error();
  options = *read;
  return {};
}

size_t kexpr_dtype_size(kexpr_dtype type) {
  return type > 0 && type < 256 ? sizeOf(static_cast<DType>(type)) : 0;
}

const char *kexpr_dtype_name(kexpr_dtype type) {
  return kexpr_dtype_size(type) > 0 ? nameOf(static_cast<DType>(type)).data()
                                    : "?";
}

kexpr_code kexpr_dtype_parse(const char *name, kexpr_dtype *type,
                             kexpr_error **error) {
  if (type)
    *type = 0;
  return attempt(error, [&]() -> Status {
    if (!name || !type)
      return isNull(name ? "the place for the type" : "the name");
    auto parsed = parseDType(name);
    if (!parsed)
      return parsed.error();
    *type = static_cast<kexpr_dtype>(*parsed);
    return {};
  });
}
