//===- Ulp/Kernels.h - One expression as every kernel that computes it ---===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_KERNELS_H
#define KEXPR_TOOLS_ULP_KERNELS_H

#include "Ulp/Subject.h"
#include "kexpr/Engine.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace kexpr::tools {

/// One kernel for each vector width, all at one precision; they must compute
/// the same bits.
struct KernelSet {
  Precision precision;
  std::vector<unsigned> widths;
  std::vector<Kernel> kernels;
  /// Nothing where it is not to be compared.
  std::optional<Kernel> interpreter = {};
};

/// The widths of vectors that this CPU has, ascending; none where machine code
/// cannot be made.
const std::vector<unsigned> &hostWidths();

/// Compiles machine code of `expression` over operands of `type`, a set for
/// each precision; f64 knows one only. Without widths, for each width this CPU
/// has. Errors: those of Engine::compile, and Unsupported for a width that this
/// CPU lacks.
Expected<std::vector<KernelSet>>
compileKernels(const Expression &expression, DType type,
               std::span<const Precision> precisions,
               std::span<const unsigned> widths, bool withInterpreter);

/// Arrays of equal length of f32 or f64.
class Columns {
public:
  void resize(DType newType, std::size_t columns, std::size_t newLength) {
    type = newType;
    length = newLength;
    stride = length * sizeOf(type);
    memory.resize(columns * stride);
  }
  std::size_t size() const { return length; }
  double at(std::size_t column, std::size_t i) const {
    return type == DType::F32 ? floats(column)[i]
                              : static_cast<const double *>(data(column))[i];
  }
  void set(std::size_t column, std::size_t i, double x) {
    void *start = const_cast<void *>(data(column));
    if (type == DType::F32)
      static_cast<float *>(start)[i] = static_cast<float>(x);
    else
      static_cast<double *>(start)[i] = x;
  }
  const float *floats(std::size_t column) const {
    return static_cast<const float *>(data(column));
  }
  /// Whether another of the same sizes has the same bits.
  bool isIdentical(const Columns &other) const {
    return std::memcmp(memory.data(), other.memory.data(), memory.size()) == 0;
  }
  /// For reading and, of columns that may change, for writing.
  TensorView view(std::size_t column) const {
    return {data(column), type, {static_cast<std::int64_t>(length)}};
  }

private:
  const void *data(std::size_t column) const {
    return memory.data() + column * stride;
  }

  DType type = DType::F32;
  std::size_t length = 0;
  /// Bytes of a column.
  std::size_t stride = 0;
  std::vector<std::byte> memory;
};

/// The results of a set of kernels, and of the oracle: the interpreter, or the
/// first kernel where there is no interpreter.
class Block {
public:
  /// Both must live as long as this.
  Block(const KernelSet &set, const Subject &subject)
      : set(&set), subject(&subject), results(set.kernels.size()) {}

  Status compute(const Columns &inputs);

  /// By kernel.
  const Columns &operator[](std::size_t kernel) const {
    return results[kernel];
  }
  bool isLikeOracle(std::size_t kernel, std::size_t output,
                    std::size_t i) const {
    return sameNumber(results[kernel].at(output, i), oracle().at(output, i));
  }
  /// Whether all results are the same bit for bit, as they should be.
  bool isIdentical() const { return areSame; }
  /// Whether all kernels and the oracle have the same result.
  bool isShared(std::size_t output, std::size_t i) const {
    for (std::size_t kernel = 0; !areSame && kernel < results.size(); ++kernel)
      if (!isLikeOracle(kernel, output, i))
        return false;
    return true;
  }

private:
  const Columns &oracle() const {
    return set->interpreter ? interpreted : results.front();
  }
  Status compute(const Kernel &kernel, const Columns &inputs, Columns &out);

  const KernelSet *set;
  const Subject *subject;
  std::vector<Columns> results;
  Columns interpreted;
  bool areSame = false;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_KERNELS_H
