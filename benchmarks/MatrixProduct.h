//===- MatrixProduct.h - What a host has its own threads do -----*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BENCHMARKS_MATRIXPRODUCT_H
#define KEXPR_BENCHMARKS_MATRIXPRODUCT_H

#include "kexpr/Error.h"

#include <vector>

namespace kexpr::tools {

/// Square matrices of f32 and their product by OpenMP.
class MatrixProduct {
public:
  static constexpr int Rows = 512;

  MatrixProduct();

  void compute();
  /// Whether the product is what sums of doubles are, but for roundings.
  Status verify() const;

private:
  std::vector<float> a, b, c;
};

} // namespace kexpr::tools

#endif // KEXPR_BENCHMARKS_MATRIXPRODUCT_H
