//===- Region.h - Kernels within a graph of the host ------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_REGION_H
#define KEXPR_PYTHON_REGION_H

#include "Python.h"

#include "kexpr/Engine.h"

#include <nanobind/nanobind.h>

namespace kexpr::python {

/// Adds `Region`, a kernel for tensors of known shapes and strides, and
/// `make_regions`, which says what becomes one.
void addRegion(nanobind::module_ &module, const Engine &engine);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_REGION_H
