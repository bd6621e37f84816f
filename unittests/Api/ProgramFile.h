//===- ProgramFile.h - Programs and what PyTorch computes for them --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads what utils/torch_programs.py writes. Lines that start with # are
/// comments; every other line is a program of four cells split by tabs:
///
///   exact|approximate   expression   operand ...   output ...
///
/// An operand is `type:shape:strides:bytes`, an output `type:shape:bytes` or,
/// in an approximate program, `type:shape:expected:tolerances`. Extents and
/// strides are split by commas; bytes are hexadecimal and little-endian. An
/// expected float of an approximate program is an f64 without its last two
/// bytes, or with them where the output is f64; a tolerance is the two leading
/// bytes of an f64, and infinity where the element is not compared.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_PROGRAMFILE_H
#define KEXPR_UNITTESTS_API_PROGRAMFILE_H

#include "kexpr/kexpr.h"

#include <string>
#include <vector>

namespace kexpr::test {

struct ProgramOperand {
  DType type = DType::F32;
  Shape shape;
  /// In elements.
  Shape strides;
  /// From the first element of the view to the last.
  std::vector<unsigned char> bytes;
};

struct ProgramOutput {
  DType type = DType::F32;
  Shape shape;
  /// Row-major elements. Empty for the floats of an approximate program...
  std::vector<unsigned char> bytes;
  /// ... whose values are here.
  std::vector<double> values;
  /// One an element in an approximate program, none in an exact one.
  std::vector<double> tolerances;
};

struct Program {
  /// In the file, counted from 1.
  std::size_t line = 0;
  bool exact = false;
  std::string expression;
  std::vector<ProgramOperand> operands;
  std::vector<ProgramOutput> outputs;
};

/// The program of one line, or InvalidArgument, which says the line.
Expected<Program> parseProgram(const std::string &text, std::size_t line);

/// All programs of a file. Errors: Io, and those of `parseProgram`.
Expected<std::vector<Program>> readPrograms(const std::string &path);

/// Whether a type is one of the floats.
bool isFloat(DType type);

/// An element of a float type as a double, which holds it exactly.
double floatAt(const unsigned char *element, DType type);

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_PROGRAMFILE_H
