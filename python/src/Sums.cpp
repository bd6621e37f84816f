//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sums.h"

#include "Kernel.h"
#include "Raise.h"

#include "kexpr/SumState.h"

namespace nb = nanobind;
using namespace kexpr;
using namespace kexpr::python;

[[noreturn]] static void fail() { throw nb::python_error(); }

[[noreturn]] static void fail(const Error &error) {
  raise(error);
  fail();
}

static nb::object bytesOf(const SumState &state) {
  const auto bytes = state.bytes();
  if (!bytes)
    fail(bytes.error());
  return nb::bytes(bytes->data(), bytes->size());
}

static SumState parsed(const nb::bytes &bytes) {
  auto state = SumState::parse({bytes.c_str(), bytes.size()});
  if (!state)
    fail(state.error());
  return std::move(*state);
}

static nb::object sumState(nb::handle kernel, const nb::args &arrays) {
  KernelState *state = kernelState(kernel.ptr());
  if (!state)
    throw nb::type_error("not a kexpr.Kernel");
  std::vector<PyObject *> all;
  for (nb::handle array : arrays)
    all.push_back(array.ptr());
  const auto sums = state->sumState(all.data(), all.size());
  if (!sums)
    fail();
  return bytesOf(*sums);
}

static nb::object mergeSums(const nb::bytes &first, const nb::iterable &rest) {
  SumState sum = parsed(first);
  for (nb::handle one : rest) {
    const SumState other = parsed(nb::cast<nb::bytes>(one));
    if (const Status status = sum.merge(other); !status)
      fail(status.error());
  }
  return bytesOf(sum);
}

static nb::object finishSums(const nb::bytes &bytes) {
  const SumState sum = parsed(bytes);
  nb::list arrays;
  std::vector<TensorView> outputs;
  for (std::size_t i = 0; i < sum.outputCount(); ++i) {
    const Shape shape = sum.outputShape(i);
    std::vector<npy_intp> extents(shape.begin(), shape.end());
    PyArray_Descr *description = describeInNumpy(sum.outputType(i));
    PyObject *array =
        description ? PyArray_NewFromDescr(&PyArray_Type, description,
                                           int(extents.size()), extents.data(),
                                           nullptr, nullptr, 0, nullptr)
                    : nullptr;
    if (!array)
      fail();
    arrays.append(nb::steal(array));
    outputs.emplace_back(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)),
                         sum.outputType(i), shape);
  }
  if (const Status status = sum.finish(outputs); !status)
    fail(status.error());
  return nb::tuple(arrays);
}

void python::addSums(nb::module_ &module) {
  module.def("sum_state", sumState);
  module.def("merge_sums", mergeSums);
  module.def("finish_sums", finishSums);
}
