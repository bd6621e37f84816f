//===- Network.h - Networks of PNNX -----------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_NETWORK_H
#define KEXPR_PYTHON_NETWORK_H

#include "Python.h"

#include "kexpr/Engine.h"

#include <nanobind/nanobind.h>

namespace kexpr::python {

/// Adds `Network`, which `kexpr.pnnx.load` makes.
void addNetwork(nanobind::module_ &module, const Engine &engine);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_NETWORK_H
