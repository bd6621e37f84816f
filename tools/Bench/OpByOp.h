//===- Bench/OpByOp.h - An expression run as frameworks run it ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_OPBYOP_H
#define KEXPR_TOOLS_BENCH_OPBYOP_H

#include "Common/Array.h"
#include "kexpr/Engine.h"

#include <vector>

namespace kexpr::tools {

/// The rival of a fused kernel: one operator at a time, each with a kernel of
/// its own over whole tensors, as good as kexpr makes it, and each with a
/// temporary tensor that is allocated in the call and freed after its last
/// use.
class OpByOp {
public:
  /// Walks the reverse Polish order for operands of these shapes. Operators
  /// whose arguments are all literals stay literals. Errors: those of
  /// compiling an operator.
  static Expected<OpByOp> make(const Engine &engine,
                               const Expression &expression,
                               Span<const Shape> shapes);

  /// The results, in tensors of their own.
  Expected<std::vector<Array>> run(Span<const TensorView> inputs,
                                   const RunOptions &options) const;

private:
  friend class OpByOpBuilder;

  /// Where a tensor is: an input, or the result of a step.
  struct Source {
    bool isInput = false;
    std::uint32_t index = 0;
  };
  struct Step {
    Kernel kernel;
    std::vector<Source> arguments;
    Shape shape;
    /// Steps whose results nothing needs after this one.
    std::vector<std::uint32_t> lastUses;
  };

  void findLastUses();

  std::vector<Step> steps;
  std::vector<std::uint32_t> results;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_OPBYOP_H
