//===- Bench/ExpressionFile.h - Lists of expressions to measure ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_EXPRESSIONFILE_H
#define KEXPR_TOOLS_BENCH_EXPRESSIONFILE_H

#include "kexpr/Tensor.h"

#include <string>
#include <vector>

namespace kexpr::tools {

/// An expression to measure. Without shapes it is measured at sizes chosen on
/// the command line, all operands equal.
struct BenchCase {
  std::string name;
  std::string expression;
  std::vector<Shape> shapes;
};

/// Reads `name<TAB>expression<TAB>shapes` line by line; shapes are written
/// `8x256x56x56;256x1x1`, operand by operand, and may be left out. Empty lines
/// and lines that start with `#` are skipped. Errors: Io, and those of a shape,
/// with file and line.
Expected<std::vector<BenchCase>> readExpressionFile(const std::string &path);

/// Seven expressions of networks: from a residual add, bound by memory, to
/// sines and cosines, bound by arithmetic.
const std::vector<BenchCase> &workset();

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_EXPRESSIONFILE_H
