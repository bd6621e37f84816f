//===- Runtime/Arguments.h - What a call was given, checked ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ARGUMENTS_H
#define KEXPR_RUNTIME_ARGUMENTS_H

#include "Runtime/Demands.h"
#include "Runtime/Overlap.h"
#include "Semantics/Broadcast.h"

#include <span>

namespace kexpr::runtime {

/// The inputs and outputs of one call.
struct Arguments {
  semantics::Operands inputs;
  std::span<const TensorView> outputs;
};

/// The first thing wrong with the inputs: operands that are missing, malformed
/// or of the wrong type, or that do not broadcast.
Status checkInputs(const semantics::Operands &inputs, const Demands &demands);

/// The shape that an output has for inputs that are right.
Expected<Shape> outputShape(const semantics::Operands &inputs,
                            const Demands &demands, std::size_t output);

/// The first thing wrong with a call: what `checkInputs` finds, outputs of the
/// wrong type or shape, memory that is null or shared where it may not be.
/// Reads no element and writes nothing. Without `withMemory`, what is said of
/// memory is left out.
Status checkArguments(const Arguments &arguments, const Demands &demands,
                      bool withMemory = true);

/// Bytes from the first element of a view that is right to its last; 0 without
/// elements.
std::int64_t bytesSpanned(const TensorView &view);
/// Where they are.
Piece pieceOf(const TensorView &view);
/// Whether two views have their elements in the same places, if they begin in
/// the same one.
bool haveOneLayout(const TensorView &a, const TensorView &b);
/// The error of an overlap in a call.
Error errorOf(const Overlap &overlap, const Demands &demands);

/// Whether the items of a batch keep out of each other's way: `outputs[i]` may
/// be exactly an input of item i, and shares no memory with anything else.
/// `inputs` holds operand 0's items, then operand 1's...
Status checkBatchOverlap(std::span<const TensorView> inputs,
                         std::span<const TensorView> outputs,
                         std::span<const std::uint32_t> used);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ARGUMENTS_H
