//===- Runtime/EngineListeners.h - Profilers and debuggers ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ENGINELISTENERS_H
#define KEXPR_RUNTIME_ENGINELISTENERS_H

#include "Code/Directory.h"
#include "Code/Listener.h"
#include "CodeGen/CodeGen.h"
#include "Semantics/Plan.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

/// The listeners of an engine, and the files with listings that they read. All
/// members may be called from any thread.
class EngineListeners {
public:
  /// Those of `options` and of the environment. Those that fail are left out.
  explicit EngineListeners(ListenerOptions options);

  /// The listeners that loaded code is announced to; null if there are none.
  const code::Listeners *listeners() const {
    return all.empty() ? nullptr : &all;
  }
  /// The listing of an expression, also as a file where listeners read files;
  /// null if there are no listeners.
  std::shared_ptr<const syntax::Listing>
  listingOf(const Expression &expression) const;
  /// The first error.
  Status status() const;

private:
  void addWords(std::string_view words);
  void openDirectory();

  ListenerOptions options;
  std::shared_ptr<const code::Directory> directory;
  std::string directoryPath;
  code::Listeners all;
  mutable Mutex mutex;
  mutable Status fault;
};

/// The name of code for a plan with a listing: the listing's, and each
/// difference from optimised code over contiguous f32, as in
/// `add(@0,@1) [baseline, @1 constant]`.
std::string nameOf(const semantics::Plan &plan, codegen::OptLevel level);
/// The plan with that name for its listing, from which code takes its own.
semantics::Plan named(const semantics::Plan &plan, codegen::OptLevel level);

/// The part of a plan's key that is due to names; empty if code has none.
std::string nameKey(const semantics::Plan &plan);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ENGINELISTENERS_H
