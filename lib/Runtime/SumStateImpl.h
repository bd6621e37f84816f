//===- Runtime/SumStateImpl.h - What a SumState is ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_SUMSTATEIMPL_H
#define KEXPR_RUNTIME_SUMSTATEIMPL_H

#include "Ops/ExactSums.h"
#include "kexpr/SumState.h"

#include <span>
#include <vector>

namespace kexpr::runtime {

/// The sums or means of one output.
struct OutputSums {
  bool isMean = false;
  DType type = DType::F32; ///< Of results.
  Shape shape;             ///< Of results.
  std::int64_t count = 0;  ///< Elements of each result.
  /// See ops::ExactSums; those of results in row-major order.
  std::vector<std::int64_t> states;

  const ops::ExactSums &exact() const { return ops::ExactSums::of(type); }
  /// "sums of f32, of shape [3]".
  std::string str() const;
};

struct SumStateImpl {
  std::vector<OutputSums> outputs;

  /// See SumState.h.
  static Expected<SumStateImpl> parse(std::string_view bytes);
  std::string bytes() const;
  /// After an error it is of no more use.
  Status merge(const SumStateImpl &other);
  Status finish(std::span<const TensorView> to) const;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_SUMSTATEIMPL_H
