//===- Fuzz/Programs.h - Random programs ------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_PROGRAMS_H
#define KEXPR_UNITTESTS_FUZZ_PROGRAMS_H

#include "Fuzz/Choices.h"
#include "kexpr/Tensor.h"

#include <string>
#include <vector>

namespace kexpr::fuzz {

/// An operand: memory, and a view of some of it.
struct Operand {
  Shape shape;
  Shape strides;
  DType type = DType::F32;
  std::vector<char> memory;
  std::int64_t first = 0; ///< Bytes before the first element.

  TensorView view() const {
    return {static_cast<const void *>(memory.data() + first), type, shape,
            strides};
  }
};

/// An expression with operands to run it on, whose shapes broadcast.
struct Program {
  std::string text;
  std::vector<Operand> operands;
};

/// A program of any operators that compute in f32.
Program makeProgram(Choices &choices);

/// An expression, or what is left of one after a few random changes.
std::string makeText(Choices &choices);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_PROGRAMS_H
