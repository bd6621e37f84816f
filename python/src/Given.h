//===- Given.h - What a call of a kernel was given ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_GIVEN_H
#define KEXPR_PYTHON_GIVEN_H

#include "Kernel.h"
#include "Options.h"

namespace kexpr::python {

/// Arguments that need no memory of their own.
inline constexpr std::size_t Few = 12;

struct KernelState::Given {
  explicit Given(std::size_t operands, std::size_t outputs)
      : operands(operands), outputs(outputs) {
    if (operands + outputs > Few) {
      manyObjects.resize(operands + outputs);
      manyTensors.resize(operands + outputs);
      objects = manyObjects.data();
      tensors = manyTensors.data();
    }
  }
  Given(const Given &) = delete;
  Given &operator=(const Given &) = delete;

  PyObject *output(std::size_t i) const { return objects[operands + i]; }
  /// What the key of a known call begins with.
  std::int64_t mode() const {
    return std::int64_t(options.threads) << 8 |
           std::int64_t(options.precision ? int(*options.precision) + 1 : 0)
               << 2 |
           std::int64_t(reader.library().exchange != nullptr) << 1 |
           std::int64_t(hasOutputs);
  }

  const std::size_t operands, outputs;
  PyObject *fewObjects[Few] = {};
  Argument fewTensors[Few];
  std::vector<PyObject *> manyObjects;
  std::vector<Argument> manyTensors;
  /// Operands, then outputs; borrowed.
  PyObject **objects = fewObjects;
  Argument *tensors = fewTensors;
  bool hasOutputs = false;
  PyObject *where = nullptr;
  CallOptions options;
  Arguments reader;
};

/// Makes the names of arguments that calls know; false with an exception.
bool internNames();

} // namespace kexpr::python

#endif // KEXPR_PYTHON_GIVEN_H
