//===- kexpr/SumState.h - Sums of parts, to be merged -----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUMSTATE_H
#define KEXPR_SUMSTATE_H

#include "kexpr/Error.h"
#include "kexpr/Span.h"
#include "kexpr/Tensor.h"

#include <memory>
#include <string>
#include <string_view>

namespace kexpr {
namespace runtime {
struct SumStateImpl;
} // namespace runtime

inline namespace v2 {

/// What the sums and means of a kernel are of some of their elements
/// (`Kernel::sumState`), exactly: merged with the states of the other elements,
/// in any order, it gives the bits that one call over all of them gives. Cheap
/// to copy; usable by any number of threads as long as none merges.
class KEXPR_API SumState {
public:
  /// Reads what `bytes` gave, in this process or another one, on any machine.
  /// Errors: InvalidArgument for bytes that are damaged, cut off, or no state;
  /// Unsupported for those of a later version; OutOfMemory.
  static Expected<SumState> parse(std::string_view bytes);
  /// The state as bytes, for a file or another process. Equal sums have equal
  /// bytes. Errors: OutOfMemory.
  Expected<std::string> bytes() const;

  /// Adds what another state holds; after an error, nothing. Copies made before
  /// stay as they are. Errors: TypeMismatch for results of other types,
  /// ShapeMismatch for other shapes, InvalidArgument for another number of
  /// outputs, or sums where there are means; OutOfMemory.
  Status merge(const SumState &other);

  /// Rounds each result, once, and writes it. Outputs are as those of the
  /// kernel: of these types and shapes, in any strides. Errors: those of
  /// `Kernel::run`, with nothing written.
  Status finish(Span<const TensorView> outputs) const;

  std::size_t outputCount() const;
  /// Of an output, whose index is less than `outputCount()`.
  DType outputType(std::size_t index = 0) const;
  Shape outputShape(std::size_t index = 0) const;

  /// For the library itself.
  explicit SumState(std::shared_ptr<const runtime::SumStateImpl> state)
      : impl(std::move(state)) {}

private:
  std::shared_ptr<const runtime::SumStateImpl> impl;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_SUMSTATE_H
