//===- Semantics/Interpreter.h - A plan run without a compiler ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_INTERPRETER_H
#define KEXPR_SEMANTICS_INTERPRETER_H

#include "Semantics/Plan.h"

namespace kexpr::semantics {

/// Runs a plan block by block, one operator at a time over a block that stays
/// in cache. The oracle for generated code, and the tier without it. Immutable
/// once made; `run` may be called from any thread.
class Interpreter {
public:
  explicit Interpreter(const Plan &plan);

  /// Allocates the scratch of the calling thread now, so that `run` need not.
  void reserve() const;

  /// Does what a `LoopFn` does. Scratch is a buffer of the calling thread, of
  /// at most `MaxScratch` bytes or 64 elements a register, whatever `count`.
  void run(std::int64_t count, void *const *pointers,
           const std::int64_t *strides) const;

  /// Bytes of scratch that the size of blocks is chosen for.
  static constexpr std::size_t MaxScratch = 64 * 1024;

private:
  struct Step {
    ops::BlockFn function;
    std::uint32_t result;
    std::array<std::uint32_t, ops::MaxArity> args;
    std::uint32_t arity;
  };
  struct Block;

  void assignRegisters();
  std::size_t registerBytes() const {
    return registerCount * static_cast<std::size_t>(blockSize) * elementSize +
           stateBytes();
  }
  std::size_t stateBytes() const;
  /// Bytes for the addresses of values, and of the arguments of a row.
  std::size_t pointerBytes() const {
    return (registers.size() + plan.slots()) * sizeof(const void *);
  }
  void runRow(std::int64_t count, void *const *pointers,
              const std::int64_t *strides) const;
  void reduce(const Block &block, std::size_t output, void *const *pointers,
              const std::int64_t *strides) const;
  void openStates(const Block &block) const;
  void closeStates(const Block &block, std::int64_t count,
                   void *const *pointers, const std::int64_t *strides) const;
  void fillConstants(Block &block, void *const *pointers) const;
  const std::byte *contiguous(const Value &value, const std::byte *base,
                              std::byte *own, const Block &block) const;
  void load(Block &block, void *const *pointers,
            const std::int64_t *strides) const;
  void compute(Block &block) const;
  void store(const Block &block, void *const *pointers,
             const std::int64_t *strides) const;

  Plan plan;
  std::vector<Step> steps;
  /// The register of every value. Inputs and constants keep theirs.
  std::vector<std::uint32_t> registers;
  std::uint32_t registerCount = 0;
  /// Bytes that a register has for an element: those of the widest value.
  std::size_t elementSize = 1;
  std::int64_t blockSize = 0;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_INTERPRETER_H
