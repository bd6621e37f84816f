//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatrixProduct.h"

#include <cmath>
#include <cstring>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr int Rows = MatrixProduct::Rows;
/// Rows and vectors of a tile, whose sums stay in registers.
static constexpr int TileRows = 8, TileVectors = 2;

using Vector = float __attribute__((vector_size(64), aligned(4)));
static constexpr int TileColumns = TileVectors * sizeof(Vector) / sizeof(float);

MatrixProduct::MatrixProduct() : a(Rows * Rows), b(a.size()), c(a.size()) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 31) * 0.125f - 2;
    b[i] = static_cast<float>(i % 29) * 0.25f - 3;
  }
}

static void computeTile(const float *a, const float *b, float *c) {
  Vector sums[TileRows][TileVectors] = {};
  for (int k = 0; k < Rows; ++k)
    for (int v = 0; v < TileVectors; ++v) {
      Vector right;
      std::memcpy(&right, b + k * Rows + v * (TileColumns / TileVectors),
                  sizeof right);
      for (int row = 0; row < TileRows; ++row)
        sums[row][v] += a[row * Rows + k] * right;
    }
  for (int row = 0; row < TileRows; ++row)
    std::memcpy(c + row * Rows, sums[row], sizeof sums[row]);
}

void MatrixProduct::compute() {
#pragma omp parallel for collapse(2) schedule(static)
  for (int column = 0; column < Rows; column += TileColumns)
    for (int row = 0; row < Rows; row += TileRows)
      computeTile(&a[row * Rows], &b[column], &c[row * Rows + column]);
}

Status MatrixProduct::verify() const {
  for (int row = 0; row < Rows; ++row)
    for (int column = row % 7; column < Rows; column += 7) {
      double sum = 0, size = 0;
      for (int k = 0; k < Rows; ++k) {
        const double product =
            static_cast<double>(a[row * Rows + k]) * b[k * Rows + column];
        sum += product;
        size += std::abs(product);
      }
      if (!(std::abs(c[row * Rows + column] - sum) <= 1e-5 * size))
        return Error(ErrorCode::InvalidArgument, "the matrix product is wrong");
    }
  return {};
}
