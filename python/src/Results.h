//===- Results.h - Arrays and tensors that calls give ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_RESULTS_H
#define KEXPR_PYTHON_RESULTS_H

#include "Kernel.h"

#include <utility>

namespace kexpr::python {

/// The outputs of one call that are made for it.
class Results {
public:
  Results(const KnownCall &call, const DLPackExchangeAPI *exchange)
      : call(call), exchange(exchange) {}
  Results(const Results &) = delete;
  Results &operator=(const Results &) = delete;
  ~Results() {
    for (std::size_t i = 0; i < made; ++i)
      if (exchange) {
        if (tensors[i])
          tensors[i]->deleter(tensors[i]);
      } else {
        Py_XDECREF(arrays[i]);
      }
  }

  /// Makes all, and says where each begins; false with an exception.
  bool make(void **pointers) {
    const std::size_t count = call.outputs.size();
    if (count > 1) {
      manyArrays.resize(count);
      manyTensors.resize(count);
      arrays = manyArrays.data();
      tensors = manyTensors.data();
    }
    for (; made < count; ++made)
      if (!(exchange ? makeTensor(pointers[made]) : makeArray(pointers[made])))
        return false;
    return true;
  }
  /// Output `i` as an object; null with an exception.
  PyObject *take(std::size_t i) {
    if (!exchange)
      return PyArray_Return(
          reinterpret_cast<PyArrayObject *>(std::exchange(arrays[i], nullptr)));
    void *object = nullptr;
    if (exchange->managed_tensor_to_py_object_no_sync(
            std::exchange(tensors[i], nullptr), &object) != 0)
      return nullptr;
    return static_cast<PyObject *>(object);
  }

private:
  bool makeArray(void *&pointer);
  bool makeTensor(void *&pointer);

  const KnownCall &call;
  const DLPackExchangeAPI *exchange;
  std::size_t made = 0;
  PyObject *oneArray = nullptr;
  DLManagedTensorVersioned *oneTensor = nullptr;
  std::vector<PyObject *> manyArrays;
  std::vector<DLManagedTensorVersioned *> manyTensors;
  PyObject **arrays = &oneArray;
  DLManagedTensorVersioned **tensors = &oneTensor;
};

/// Stores a result to an output of another type, shape or place, or those of
/// its elements that `where` chooses. Takes the reference to `from`; false with
/// an exception.
bool copyResult(PyObject *to, PyObject *from, PyObject *where);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_RESULTS_H
