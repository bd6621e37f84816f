//===- Runtime/Loop.h - Loops that are ready to be called -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_LOOP_H
#define KEXPR_RUNTIME_LOOP_H

#include "Code/CodeMemory.h"
#include "Runtime/AppendList.h"
#include "Runtime/SingleFlight.h"
#include "Semantics/Interpreter.h"
#include "kexpr/Kernel.h"

#include <functional>
#include <optional>

namespace kexpr::runtime {

/// A plan of one tier: machine code, or the interpreter. Immutable.
struct Code {
  Tier tier = Tier::Interpreter;
  std::shared_ptr<const code::LoadedCode> machine;
  semantics::LoopFn function = nullptr; ///< In `machine`; null if interpreted.
  std::optional<semantics::Interpreter> interpreter;

  void run(std::int64_t count, void *const *pointers,
           const std::int64_t *strides) const {
    if (function)
      function(count, pointers, strides);
    else
      interpreter->run(count, pointers, strides);
  }
  /// Allocates the memory that the calling thread needs to run this.
  void reserve() const {
    if (!function)
      interpreter->reserve();
  }
};

/// How many bytes further on the next of several calls stores output i:
/// `steps[i * pitch]`. Null if that is not known.
struct NextCall {
  const std::int64_t *steps = nullptr;
  std::size_t pitch = 1;
};

/// A compiled plan. Its code may be replaced by better code while other threads
/// run it: results have the same bits.
class Loop {
public:
  Loop(const semantics::Plan &plan, std::unique_ptr<const Code> first);

  /// Runs the code that there is by now, as a `LoopFn`. Results do not depend
  /// on addresses.
  void run(std::int64_t count, void *const *pointers,
           const std::int64_t *strides) const {
    if (count < longLoop || !runAligned(count, pointers, strides))
      code().run(count, pointers, strides);
  }
  /// The same, but `streaming`, the loop of this plan that stores past the
  /// caches, does all elements from the first on that begins a line in every
  /// output. Pointers are as before when it returns.
  void runStreamed(const Loop &streaming, std::int64_t count, void **pointers,
                   const std::int64_t *strides, NextCall next) const;
  /// How many elements, those of a cache line at most, such a call does first
  /// for the others to be stored to aligned addresses.
  std::int64_t headOf(std::int64_t count, void *const *pointers) const;

  /// Valid for as long as the loop lives.
  const Code &code() const { return *current.load(std::memory_order_acquire); }
  void improve(std::unique_ptr<const Code> better) {
    current.store(tiers.push(std::move(better)).get(),
                  std::memory_order_release);
  }
  /// Bytes of machine code and constants, of all tiers.
  std::size_t codeSize() const {
    std::size_t bytes = 0;
    for (const auto &code : tiers)
      bytes += code->machine ? code->machine->size() : 0;
    return bytes;
  }

  const std::vector<semantics::Access> outputs, inputs;

private:
  bool runAligned(std::int64_t count, void *const *pointers,
                  const std::int64_t *strides) const;
  void move(std::int64_t elements, void **pointers,
            const std::int64_t *strides) const;
  std::int64_t beforeLine(std::int64_t count, void *const *pointers) const;
  void runBeforeLine(std::int64_t count, void **pointers,
                     const std::int64_t *strides) const;

  /// Pointers that a call takes.
  const std::size_t slots;
  /// Of outputs, the binary logarithm of an element's bytes.
  const std::vector<unsigned> shifts;
  const std::size_t narrowest; ///< The output that has the fewest.
  /// The least count for which alignment of stores pays.
  const std::int64_t longLoop;
  std::atomic<const Code *> current = nullptr;
  /// Code that was replaced may still be running, so it is kept.
  AppendList<std::unique_ptr<const Code>> tiers;
};

using LoopPtr = std::shared_ptr<const Loop>;

/// The loops that kernels share, by key, each for as long as somebody holds it.
/// All members may be called from any thread.
class LoopTable {
public:
  /// The loop of a key; null if there is none.
  LoopPtr find(const std::string &key) const;

  /// The loop of a key, made by `make` if there is none, as by a
  /// `SingleFlight`. `isNew` says whether this call made it.
  Expected<LoopPtr>
  findOrMake(const std::string &key,
             const std::function<Expected<std::shared_ptr<Loop>>()> &make,
             bool &isNew);

private:
  SingleFlight<LoopPtr> flights;
  mutable Mutex mutex; ///< Taken after that of `flights`.
  TextMap<std::weak_ptr<const Loop>> loops;
  /// Entries at which those of loops that are gone are removed.
  std::size_t sweepAt = 64;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LOOP_H
