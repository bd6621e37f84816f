//===- Runtime/Arguments.h - What a call was given, checked ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ARGUMENTS_H
#define KEXPR_RUNTIME_ARGUMENTS_H

#include "Semantics/Broadcast.h"

#include <span>

namespace kexpr::runtime {

/// The inputs and outputs of one call.
struct Arguments {
  semantics::Operands inputs;
  std::span<const TensorView> outputs;
  /// The operands that the expression uses, ascending.
  std::span<const std::uint32_t> used;
  /// What they must all be of.
  DType type = DType::F32;
};

/// The broadcast shape of a call, or the first thing wrong with it: operands
/// that are missing, malformed or of the wrong type, outputs of the wrong type
/// or shape, memory that is null or shared where it may not be. Reads no
/// element and writes nothing.
Expected<Shape> checkArguments(const Arguments &arguments);

/// The part of `checkArguments` that concerns the inputs.
Expected<Shape> checkInputs(const semantics::Operands &inputs,
                            std::span<const std::uint32_t> used, DType type);

/// Whether the items of a batch keep out of each other's way: `outputs[i]` may
/// share memory with the inputs of item i alone, and with no other output.
/// `inputs` holds operand 0's items, then operand 1's...
Status checkBatchOverlap(std::span<const TensorView> inputs,
                         std::span<const TensorView> outputs,
                         std::span<const std::uint32_t> used);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ARGUMENTS_H
