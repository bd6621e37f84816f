//===- Runtime/Profile.h - What profilers and debuggers are told ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_PROFILE_H
#define KEXPR_RUNTIME_PROFILE_H

#include "Code/Directory.h"
#include "Code/Listener.h"
#include "CodeGen/CodeGen.h"
#include "Semantics/Plan.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

/// The listeners of an engine, and the files that they find listings in. All
/// members may be called from any thread.
class Profile {
public:
  /// With what the environment adds. What cannot be had is left out.
  explicit Profile(ListenerOptions options);

  /// Who loaded code is announced to; null if nobody listens.
  const code::Listeners *listeners() const {
    return audience.empty() ? nullptr : &audience;
  }
  /// The listing of an expression, in a file where listeners read one; null if
  /// nobody listens.
  std::shared_ptr<const syntax::Listing>
  listingOf(const Expression &expression) const;
  /// The first thing that failed.
  Status status() const;

private:
  void addWords(std::string_view words);
  void openDirectory();
  void addListeners();

  ListenerOptions options;
  std::shared_ptr<const code::Directory> directory;
  std::string directoryPath;
  code::Listeners audience;
  mutable Mutex mutex;
  mutable Status fault;
};

/// What the code of a plan that has a listing is called: the listing's name,
/// and what makes it another code than that over contiguous f32 at its best:
/// `add(@0,@1) [baseline, @1 constant]`.
std::string nameOf(const semantics::Plan &plan, codegen::OptLevel level);
/// The plan with that name for its listing, from which code takes its own.
semantics::Plan named(const semantics::Plan &plan, codegen::OptLevel level);

/// What to add to the key of a plan where code has names; empty without.
std::string nameKey(const semantics::Plan &plan);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_PROFILE_H
