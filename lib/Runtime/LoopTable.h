//===- Runtime/LoopTable.h - The loops that kernels share -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_LOOPTABLE_H
#define KEXPR_RUNTIME_LOOPTABLE_H

#include "Runtime/Flight.h"
#include "Runtime/Loop.h"
#include "Support/Hash.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace kexpr::runtime {

/// Loops by what makes them differ, for as long as somebody has them. All
/// members may be called from any thread.
class LoopTable {
public:
  using LoopPtr = std::shared_ptr<const Loop>;

  /// The loop of a key; null if there is none.
  LoopPtr find(const std::string &key) const;

  /// The loop of a key, made by `make` if there is none. Of threads that ask
  /// for one key at once, one makes it and the others wait; if it fails, the
  /// next one tries. `isNew` says whether this call made it.
  Expected<LoopPtr>
  findOrMake(const std::string &key,
             const std::function<Expected<std::shared_ptr<Loop>>()> &make,
             bool &isNew);

private:
  struct Slot {
    std::weak_ptr<const Loop> loop;
    std::shared_ptr<Flight> flight; ///< Null if nobody makes it.
  };
  struct TextHash {
    std::size_t operator()(const std::string &text) const {
      return hashOf(text);
    }
  };

  LoopPtr claim(const std::string &key, const std::shared_ptr<Flight> &own);
  void finish(const std::string &key, const LoopPtr &loop, Flight &flight);

  mutable Mutex mutex;
  std::unordered_map<std::string, Slot, TextHash> loops;
  /// Entries at which those of loops that are gone are removed.
  std::size_t sweepAt = 64;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LOOPTABLE_H
