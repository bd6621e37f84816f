//===- Evaluate.h - kexpr.evaluate ------------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_EVALUATE_H
#define KEXPR_PYTHON_EVALUATE_H

#include "Python.h"

namespace kexpr::python {

/// `evaluate(text, names=None, /, **options)`, of a caller in Python.
PyObject *evaluate(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                   PyObject *keywords);

/// Gives it a dict of kernels by text, which it reads, and the function that is
/// called for what it does not find there: with the caller's local and global
/// names in front of the arguments.
void setEvaluate(PyObject *cache, PyObject *function);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_EVALUATE_H
