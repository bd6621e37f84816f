//===- Arguments.h - Arrays of Python as tensors ----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_ARGUMENTS_H
#define KEXPR_PYTHON_ARGUMENTS_H

#include "Dlpack.h"
#include "Python.h"

#include "kexpr/Tensor.h"

#include <memory>
#include <vector>

namespace kexpr::python {

/// An argument of a call, as it lies in memory.
struct Argument {
  void *data = nullptr;
  const std::int64_t *extents = nullptr;
  const std::int64_t *strides = nullptr; ///< In bytes.
  int rank = 0;
  DType type = DType::F32;
  bool weak = false; ///< A number of Python, of which `data` is the value.

  /// Type, rank and weakness in one number, for keys.
  std::int64_t kind() const {
    return rank << 8 | static_cast<int>(type) << 1 | int(weak);
  }
  TensorView view() const;
};

/// Who made the arrays of a call, and so gets its results.
struct Library {
  /// Of torch and others that have the exchange functions of DLPack; null for
  /// NumPy.
  const DLPackExchangeAPI *exchange = nullptr;
};

/// Reads the arguments of one call, and keeps what they need until it is gone.
/// Every function that fails has set an exception of Python.
class Arguments {
public:
  Arguments() = default;
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;
  ~Arguments() {
    for (PyObject *object : owned)
      Py_DECREF(object);
    for (PyObject *object : held)
      Py_DECREF(object);
  }

  /// An input: any array or number, read where it lies if kexpr can. An object
  /// that code of Python makes an array of becomes that array, which is kept,
  /// so that reading it again runs nothing.
  bool readInput(PyObject *&object, Argument &argument) {
    return readNumpy(object, argument) || readOther(object, argument);
  }
  /// An array to be written. `written` is where: the array itself, or a copy
  /// that `writeBack` stores to it.
  bool readOutput(PyObject *object, Argument &argument);
  bool writeBack();

  /// Takes a reference that is dropped at the end.
  void keep(PyObject *object) { held.push_back(object); }
  /// Whether reading may have run code of Python, which may have changed arrays
  /// that were read before: these must be read again.
  bool ranPython() const { return ran; }

  /// The module whose `_apply` makes a call with what could not be read: a
  /// collection of Dask, or an array of a traced function. Null if there is
  /// neither.
  const char *applier() const { return other; }

  const Library &library() const { return from; }
  /// Whether any argument is read or written by way of other memory.
  bool copiesAny() const { return !owned.empty() || numberCount > 0; }

private:
  /// The common case: an array of NumPy that lies as kexpr needs it.
  static bool readNumpy(PyObject *object, Argument &argument) {
    if (Py_TYPE(object) != &PyArray_Type)
      return false;
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    const unsigned number = PyArray_TYPE(array);
    if (number >= NPY_NTYPES_LEGACY || !numpyTypes[number] ||
        !PyArray_ISNOTSWAPPED(array))
      return false;
    argument.type = static_cast<DType>(numpyTypes[number]);
    argument.data = PyArray_DATA(array);
    argument.rank = PyArray_NDIM(array);
    argument.extents = PyArray_DIMS(array);
    argument.strides = PyArray_STRIDES(array);
    argument.weak = false;
    return argument.rank <= int(MaxRank) && haveUsableStrides(argument);
  }
  /// Whether they are whole numbers of elements.
  static bool haveUsableStrides(const Argument &argument) {
    const auto mask =
        std::int64_t(sizeOfNumber[static_cast<int>(argument.type)] - 1);
    std::int64_t any = 0;
    for (int axis = 0; axis < argument.rank; ++axis)
      any |= argument.strides[axis];
    return (any & mask) == 0;
  }

  bool readOther(PyObject *&object, Argument &argument);
  bool readArray(PyArrayObject *array, Argument &argument, bool writable);
  bool readSwappedOutput(PyArrayObject *array, Argument &argument);
  bool readExchange(PyObject *object, const DLPackExchangeAPI &api,
                    Argument &argument);
  bool readNumber(PyObject *object, Argument &argument);
  bool describe(PyObject *object, const DLTensor &tensor, Argument &argument);
  std::int64_t *storage(std::size_t count) {
    numbers.push_back(std::make_unique<std::int64_t[]>(count));
    return numbers.back().get();
  }

  friend bool prepareTypes();
  static unsigned char numpyTypes[NPY_NTYPES_LEGACY];
  static unsigned char sizeOfNumber[32];

  Library from;
  std::size_t numberCount = 0;
  bool ran = false;
  const char *other = nullptr;
  std::vector<PyObject *> owned, held;
  std::vector<std::unique_ptr<std::int64_t[]>> numbers;
  struct Copy {
    PyArrayObject *from, *to;
  };
  std::vector<Copy> copies;
};

/// Where an array lies, and how much of it there is, in units of its library.
struct ArrayPlace {
  const void *data = nullptr;
  std::int64_t size = 0;

  friend bool operator==(const ArrayPlace &a, const ArrayPlace &b) {
    return a.data == b.data && a.size == b.size;
  }
};
/// Finds it for an array that calls read or write in place; false with an
/// exception.
bool placeOf(PyObject *object, ArrayPlace &place);

/// Copies an argument to memory of its own, row-major: what the result holds.
/// `storage` has its extents and strides.
std::unique_ptr<char[]> freeze(Argument &argument,
                               std::vector<std::int64_t> &storage);

/// Fills the tables of types. Once, before anything else.
bool prepareTypes();

/// DLPack's name of a type.
DLDataType dlpackType(DType type);
/// NumPy's name of a type: "float32".
const char *nameInNumpy(DType type);
/// Its description, a new reference; null with an exception for bfloat16
/// without ml_dtypes.
PyArray_Descr *describeInNumpy(DType type);
/// The type of a description of NumPy; false where kexpr has none.
bool typeOf(PyArray_Descr *description, DType &type);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_ARGUMENTS_H
