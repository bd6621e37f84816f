//===- Sums.h - Sums of parts, as bytes -------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_SUMS_H
#define KEXPR_PYTHON_SUMS_H

#include "Python.h"

#include <nanobind/nanobind.h>

namespace kexpr::python {

/// Adds the functions that give, merge and round states of sums, which hosts
/// use that have their arrays in parts.
void addSums(nanobind::module_ &module);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_SUMS_H
