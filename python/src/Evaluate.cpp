//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The common case of `kexpr.evaluate`: a text that was met before, without
/// options. Everything else is Python's (kexpr/_evaluate.py).
///
//===----------------------------------------------------------------------===//
#include "Evaluate.h"

#include "Kernel.h"
#include "Options.h"
#include "Raise.h"

using namespace kexpr;
using namespace kexpr::python;

/// What kexpr/_evaluate.py gave: kernels by text, and what does the rest.
static PyObject *kernels, *otherwise;

/// The value of a name in a mapping, a new reference; null where it has none,
/// and with an exception where that is why.
static PyObject *find(PyObject *names, PyObject *name) {
  if (PyDict_CheckExact(names)) {
#if PY_VERSION_HEX >= 0x030d0000 && !defined(Py_LIMITED_API)
    PyObject *value = nullptr;
    PyDict_GetItemRef(names, name, &value);
    return value;
#else
    PyObject *value = PyDict_GetItemWithError(names, name);
    return value ? newRef(value) : nullptr;
#endif
  }
  PyObject *value = PyObject_GetItem(names, name);
  if (!value && PyErr_ExceptionMatches(PyExc_KeyError))
    PyErr_Clear();
  return value;
}

namespace {
/// The values of a kernel's operands.
class Values {
public:
  Values(PyObject *names, PyObject *globals) : names(names), globals(globals) {}
  Values(const Values &) = delete;
  Values &operator=(const Values &) = delete;
  ~Values() {
    for (PyObject *value : all)
      Py_DECREF(value);
  }

  /// Whether all were found. An exception may be set otherwise.
  bool find(const KernelState &state) {
    for (std::size_t i = 0; i < state.operandCount(); ++i) {
      PyObject *name = state.nameObject(i);
      PyObject *value = ::find(names, name);
      if (!value && !PyErr_Occurred() && globals)
        value = ::find(globals, name);
      if (!value)
        return false;
      all.push_back(value);
    }
    return true;
  }
  PyObject *const *data() const { return all.data(); }
  std::size_t size() const { return all.size(); }

private:
  PyObject *names, *globals;
  std::vector<PyObject *> all;
};
} // namespace

/// The variables of the function that called this one.
static PyObject *callersLocals() {
#if PY_VERSION_HEX >= 0x030d0000 && !defined(Py_LIMITED_API)
  return PyEval_GetFrameLocals();
#else
  PyObject *locals = PyEval_GetLocals();
  Py_XINCREF(locals);
  return locals;
#endif
}

static PyObject *evaluateAny(PyObject *const *arguments, Py_ssize_t count,
                             PyObject *keywords) {
  Ref<> local;
  PyObject *outer = nullptr;
  if (count == 1) {
    outer = PyEval_GetGlobals();
    if (outer)
      local.reset(callersLocals());
    if (!local) {
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "evaluate has no caller whose "
                                            "variables it could read");
      return nullptr;
    }
  }
  PyObject *given = count > 1 ? arguments[1] : local.get();
  if (!keywords && (count == 1 || count == 2) && given != Py_None &&
      !isContextUsed() && PyUnicode_CheckExact(arguments[0])) {
    const Ref<> kernel(::find(kernels, arguments[0]));
    if (KernelState *state = kernel ? kernelState(kernel.get()) : nullptr) {
      Values values(given, outer);
      if (values.find(*state))
        return state->call(kernel.get(), values.data(), values.size(), nullptr);
    }
  }
  if (PyErr_Occurred())
    return nullptr;
  // (locals, globals, text, names=None, /, **options)
  std::vector<PyObject *> all{local ? local.get() : Py_None,
                              outer ? outer : Py_None};
  const Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
  all.insert(all.end(), arguments, arguments + count + named);
  return PyObject_Vectorcall(otherwise, all.data(), std::size_t(count + 2),
                             keywords);
}

PyObject *python::evaluate(PyObject *, PyObject *const *arguments,
                           Py_ssize_t count, PyObject *keywords) {
  return guarded([&] { return evaluateAny(arguments, count, keywords); });
}

void python::setEvaluate(PyObject *cache, PyObject *function) {
  kernels = newRef(cache);
  otherwise = newRef(function);
}
