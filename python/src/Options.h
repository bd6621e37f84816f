//===- Options.h - Options of a context -------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_OPTIONS_H
#define KEXPR_PYTHON_OPTIONS_H

#include "Python.h"

#include "kexpr/Precision.h"

#include <optional>

namespace kexpr::python {

/// How calls are made in this context (`kexpr.options`).
struct CallOptions {
  unsigned threads = 0;
  std::optional<Precision> precision;
};

/// Those of the context; false with an exception.
bool readContext(CallOptions &options);

/// Whether any context has options.
bool isContextUsed();

/// Sets the variable of the context: its values are None, or tuples of the
/// number of threads and the precision, either None. It is looked at from then
/// on.
void setContextVariable(PyObject *variable);

/// While it lives, NumPy allocates arrays that begin at a cache line, and huge
/// ones in huge pages; does nothing unless asked to.
class AlignedArrays {
public:
  explicit AlignedArrays(bool wanted);
  ~AlignedArrays();
  AlignedArrays(const AlignedArrays &) = delete;
  AlignedArrays &operator=(const AlignedArrays &) = delete;

private:
  PyObject *before = nullptr;
};

} // namespace kexpr::python

#endif // KEXPR_PYTHON_OPTIONS_H
