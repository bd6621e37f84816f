//===- Runtime/LoopVariants.h - The compiled loops of a kernel ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_LOOPVARIANTS_H
#define KEXPR_RUNTIME_LOOPVARIANTS_H

#include "Runtime/Compiler.h"
#include "Runtime/Traversal.h"

namespace kexpr::runtime {

/// The loops compiled for a plan so far: one for contiguous operands from the
/// start, and one for each combination of access patterns that a call had.
/// To find one takes no lock. All members may be called from any thread.
class LoopVariants {
public:
  /// `contiguous` is the loop of `plan`, in which everything is contiguous. The
  /// others must outlive this.
  LoopVariants(const Compiler &compiler, const semantics::Plan &plan, Mode mode,
               LoopPtr contiguous)
      : compiler(compiler), plan(plan), mode(mode),
        first(variants.push(std::move(contiguous)).loop.get()) {}

  const Loop &contiguous() const { return *first; }
  /// The loop for the access patterns of a traversal, compiled if it is the
  /// first with these.
  Expected<const Loop *> loopFor(const Traversal &traversal) const {
    return loopFor(traversal.allPatterns());
  }
  /// The same for the patterns of outputs, then of inputs.
  Expected<const Loop *>
  loopFor(std::span<const semantics::AccessPattern> patterns) const;
  /// The loop that computes what `regular`, one of these, does, but writes past
  /// the caches; null while there is none. For outputs that a plan which
  /// streams may have.
  const Loop *streaming(const Loop &regular) const;
  /// How many there are, not counting those that stream.
  std::size_t count() const { return variants.size(); }
  /// Bytes of machine code and constants.
  std::size_t codeSize() const;

private:
  struct Variant {
    LoopPtr loop;
    /// The same loop with streaming stores, once it was asked for.
    mutable LoopPtr streaming = nullptr;
    mutable std::atomic<const Loop *> streams = nullptr;
  };
  /// Access patterns past these share the loop in which everything is strided.
  static constexpr std::size_t MaxVariants = 64;

  const Loop *makeStreaming(const Variant &variant) const;

  const Compiler &compiler;
  const semantics::Plan &plan;
  const Mode mode;
  mutable AppendList<Variant> variants;
  const Loop *const first;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LOOPVARIANTS_H
