//===- Backend/Backend.h - LLVM's half of the library ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM is large: loading it takes longer than everything else a small process
/// does. So what needs it stands behind this interface, in a library of its own
/// that is loaded when code must be generated and not before.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BACKEND_BACKEND_H
#define KEXPR_BACKEND_BACKEND_H

#include "Code/Identity.h"
#include "Code/Image.h"
#include "CodeGen/CodeListing.h"
#include "CodeGen/LoopReport.h"

namespace kexpr::backend {

/// A plan as machine code, and where the time went.
struct Compiled {
  code::Image image;
  std::chrono::nanoseconds emit{};    ///< Plan to LLVM IR.
  std::chrono::nanoseconds codegen{}; ///< LLVM IR to object code.
  std::chrono::nanoseconds link{};    ///< Object code to image.
};

/// All members may be called from any thread at once.
class Backend {
public:
  virtual ~Backend() = default;

  // See the headers of CodeGen.
  virtual Expected<codegen::Target>
  makeTarget(const codegen::TargetOptions &options) const = 0;
  virtual code::AheadTarget
  aheadTargetOf(const codegen::Target &target) const = 0;
  virtual Status checkRunsHere(const codegen::Target &target) const = 0;
  virtual Expected<std::string> dump(const semantics::Plan &plan,
                                     const codegen::Target &target,
                                     codegen::OptLevel level,
                                     codegen::Stage stage) const = 0;
  virtual Expected<std::string> dumpAfter(const semantics::Plan &plan,
                                          const codegen::Target &target,
                                          codegen::OptLevel level,
                                          std::string_view pass) const = 0;
  virtual Expected<std::string> objectOf(const semantics::Plan &plan,
                                         const codegen::Target &target,
                                         codegen::OptLevel level,
                                         const std::string &name) const = 0;
  virtual Expected<codegen::LoopReport>
  reportLoop(const semantics::Plan &plan, const codegen::Target &target,
             codegen::OptLevel level) const = 0;

  virtual Expected<codegen::CodeListing>
  listCode(const semantics::Plan &plan, const codegen::Target &target,
           codegen::OptLevel level) const = 0;

  /// Generates code for a target, of this machine or another, and links it. The
  /// image has symbols if the plan has a listing.
  virtual Expected<Compiled> compile(const semantics::Plan &plan,
                                     const codegen::Target &target,
                                     codegen::OptLevel level) const = 0;

  /// See Use.
  virtual void waitAtEndOfMain() const = 0;

  /// See Jit/Prune.h.
  virtual void prune(const std::string &directory, std::uint64_t bytes,
                     bool isDue) const = 0;
  /// The file that LLVM's code is in.
  virtual const code::FileStamp &llvm() const = 0;
};

/// Whether this build has a backend: without one all that is not in a cache of
/// code is interpreted.
bool isPartOfBuild();

/// The backend, loaded by the first call and never unloaded. CompileFailed,
/// with the reason, where it cannot be: the next call tries again.
Expected<const Backend *> load();

/// Whether `load` has succeeded.
bool isLoaded();

/// Has the calling thread, should it end the process, wait for those that load
/// the backend or use it first. For one that may have another thread do so;
/// what `load` does, too.
void waitAtExit();

} // namespace kexpr::backend

#endif // KEXPR_BACKEND_BACKEND_H
