//===- Raise.h - Errors as exceptions of Python -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_RAISE_H
#define KEXPR_PYTHON_RAISE_H

#include "Python.h"

#include "kexpr/Error.h"

#include <exception>
#include <new>
#include <string>

namespace kexpr::python {

/// Classes of kexpr/_errors.py.
enum class Errors { DType, Shape, Value, Unsupported, Arity };

/// Sets an exception with a formatted sentence (`PyUnicode_FromFormat`).
/// Returns null, for functions that return an object.
PyObject *raise(Errors kind, const char *format, ...);

/// Sets the exception that stands for an error of kexpr.
PyObject *raise(const Error &error);

/// Has the exception that is set say what it is about: "operand 'x'". Returns
/// false.
bool isAbout(const std::string &what);

/// What a function of Python's protocols returns, with an exception where the
/// standard library throws one.
template <class Run> PyObject *guarded(const Run &run) {
  try {
    return run();
  } catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

} // namespace kexpr::python

#endif // KEXPR_PYTHON_RAISE_H
