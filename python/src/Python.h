//===- Python.h - Python's and NumPy's headers ------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_PYTHON_H
#define KEXPR_PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL kexpr_numpy_functions
#ifndef KEXPR_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <memory>
#include <unistd.h>

namespace kexpr::python {

struct DropReference {
  template <class T> void operator()(T *object) const {
    Py_DECREF(reinterpret_cast<PyObject *>(object));
  }
};
/// A reference that is dropped at the end.
template <class T = PyObject> using Ref = std::unique_ptr<T, DropReference>;

inline PyObject *newRef(PyObject *object) {
  Py_INCREF(object);
  return object;
}

/// Takes the GIL by `take`. A thread that asks for it while Python shuts down
/// is ended by unwinding, which no destructor lets pass, and libstdc++, which
/// the module holds, catches: it waits for the end of the process, as Python
/// itself has it from 3.14 on.
template <class F> auto takeGil(F take) {
  try {
    return take();
  } catch (...) {
    for (;;)
      pause();
  }
}

/// Lets other threads of Python run while it lives.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil() {
    takeGil([this] { PyEval_RestoreThread(state); });
  }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  friend class Interrupts;
  PyThreadState *state;
};

/// Holds the GIL while it lives, in any thread.
class WithGil {
public:
  WithGil() : state(takeGil(PyGILState_Ensure)) {}
  ~WithGil() { PyGILState_Release(state); }
  WithGil(const WithGil &) = delete;
  WithGil &operator=(const WithGil &) = delete;

private:
  PyGILState_STATE state;
};

} // namespace kexpr::python

#endif // KEXPR_PYTHON_PYTHON_H
