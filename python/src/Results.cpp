//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Results.h"

#include "Raise.h"

using namespace kexpr;
using namespace kexpr::python;

/// Bytes from which arrays begin at a cache line. NumPy's own begin at 16.
static constexpr std::size_t AlignedBytes = std::size_t{1} << 15;

static PyObject *newArray(const KnownCall::Output &output) {
  const AlignedArrays aligned(output.bytes >= AlignedBytes);
  PyArray_Descr *description = output.description.get();
  Py_INCREF(reinterpret_cast<PyObject *>(description));
  return PyArray_NewFromDescr(
      &PyArray_Type, description, int(output.extents.size()),
      output.extents.data(),
      output.isRowMajor ? nullptr : output.strides.data(), nullptr, 0, nullptr);
}

namespace {
/// A tensor of DLPack that lies in the memory of another, row-major one.
struct OrderedTensor {
  DLManagedTensorVersioned tensor;
  DLManagedTensorVersioned *memory;
  std::vector<std::int64_t> extents, strides;

  static DLManagedTensorVersioned *make(DLManagedTensorVersioned *memory,
                                        const KnownCall::Output &output) {
    auto *made = new OrderedTensor{*memory, memory, output.extents, {}};
    for (const std::int64_t stride : output.strides)
      made->strides.push_back(stride / std::int64_t(sizeOf(output.type)));
    made->tensor.dl_tensor.shape = made->extents.data();
    made->tensor.dl_tensor.strides = made->strides.data();
    made->tensor.manager_ctx = made;
    made->tensor.deleter = [](DLManagedTensorVersioned *self) {
      const std::unique_ptr<OrderedTensor> owned(
          static_cast<OrderedTensor *>(self->manager_ctx));
      owned->memory->deleter(owned->memory);
    };
    return &made->tensor;
  }
};
} // namespace

bool Results::makeArray(void *&pointer) {
  const KnownCall::Output &output = call.outputs[made];
  arrays[made] = newArray(output);
  if (!arrays[made])
    return false;
  pointer = PyArray_DATA(reinterpret_cast<PyArrayObject *>(arrays[made]));
  return true;
}

bool Results::makeTensor(void *&pointer) {
  const KnownCall::Output &output = call.outputs[made];
  DLTensor prototype = {};
  prototype.device = {kDLCPU, 0};
  prototype.ndim = int(output.extents.size());
  prototype.shape = const_cast<std::int64_t *>(output.extents.data());
  prototype.dtype = dlpackType(output.type);
  const auto fail = [](void *, const char *, const char *message) {
    raise(Errors::Value, "%s", message);
  };
  if (exchange->managed_tensor_allocator(&prototype, &tensors[made], nullptr,
                                         fail) != 0)
    return false;
  if (!output.isRowMajor)
    tensors[made] = OrderedTensor::make(tensors[made], output);
  const DLTensor &tensor = tensors[made]->dl_tensor;
  pointer = static_cast<char *>(tensor.data) + tensor.byte_offset;
  return true;
}

/// Makes an exception of NumPy or PyTorch about an output one of kexpr.
static bool refuseOutput() {
  const bool isOfType = PyErr_ExceptionMatches(PyExc_TypeError);
  if (!isOfType && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_RuntimeError))
    return false;
  PyObject *type = nullptr, *value = nullptr, *place = nullptr;
  PyErr_Fetch(&type, &value, &place);
  raise(isOfType ? Errors::DType : Errors::Shape, "out: %S", value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(place);
  return false;
}

/// A tensor of bfloat16, of which NumPy has no array, in float32.
static PyObject *readableByNumpy(PyObject *tensor) {
  const Ref<> type(PyObject_GetAttrString(tensor, "dtype"));
  const Ref<> name(type ? PyObject_Str(type.get()) : nullptr);
  if (!name)
    return nullptr;
  return PyUnicode_CompareWithASCIIString(name.get(), "torch.bfloat16") == 0
             ? PyObject_CallMethod(tensor, "float", nullptr)
             : newRef(tensor);
}

bool python::copyResult(PyObject *to, PyObject *from, PyObject *where) {
  Ref<> source(from);
  if (!source)
    return false;
  if (!PyArray_Check(to)) {
    Ref<> torch(PyImport_ImportModule("torch"));
    Ref<> tensor(
        torch ? PyObject_CallMethod(torch.get(), "as_tensor", "O", source.get())
              : nullptr);
    if (tensor && where) {
      Ref<> mask(PyObject_CallMethod(torch.get(), "as_tensor", "O", where));
      tensor.reset(mask ? PyObject_CallMethod(torch.get(), "where", "OOO",
                                              mask.get(), tensor.get(), to)
                        : nullptr);
    }
    Ref<> done(tensor ? PyObject_CallMethod(to, "copy_", "O", tensor.get())
                      : nullptr);
    return done || refuseOutput();
  }
  if (!PyArray_Check(from) && !PyArray_CheckScalar(from))
    source.reset(readableByNumpy(from));
  if (!source)
    return false;
  const Ref<> numpy(PyImport_ImportModule("numpy"));
  const Ref<> copy(numpy ? PyObject_GetAttrString(numpy.get(), "copyto")
                         : nullptr);
  PyObject *function = copy.get();
  if (!function)
    return false;
  Ref<> done(where ? PyObject_CallFunction(function, "OOsO", to, source.get(),
                                           "same_kind", where)
                   : PyObject_CallFunction(function, "OOs", to, source.get(),
                                           "same_kind"));
  return done || refuseOutput();
}
