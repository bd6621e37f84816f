//===- Runtime/Compiler.h - From a plan to a loop -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_COMPILER_H
#define KEXPR_RUNTIME_COMPILER_H

#include "Backend/Backend.h"
#include "Code/DiskCache.h"
#include "Runtime/Background.h"
#include "Runtime/LoopTable.h"
#include "Runtime/Profile.h"
#include "Runtime/Tiers.h"
#include "Runtime/Watcher.h"
#include "Support/Guarded.h"
#include "Support/Thread.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

/// What loops are compiled for and with; shared by an engine and its kernels.
/// All members may be called from any thread.
class Compiler {
public:
  using PlanPtr = std::shared_ptr<const semantics::Plan>;

  explicit Compiler(const EngineOptions &options);
  ~Compiler();

  /// The plan as a loop of the tier that `mode` asks for, which a better one
  /// takes the place of later if it asks for that; of a lower one, down to the
  /// interpreter, where the loop is too long, or no code can be made here. Code
  /// that the cache on disk has is not generated. Plans that differ in the
  /// values of parameters alone share a loop for as long as one of its kernels
  /// lives, and of threads that ask for one at once, one makes it. What making
  /// the loop took is put in `times`.
  Expected<std::shared_ptr<const Loop>>
  compile(const semantics::Plan &plan, Mode mode,
          CompileTimes *times = nullptr) const;
  /// Has the code of a plan built in the background, to take the place of what
  /// `loop` runs.
  void improveLater(const std::shared_ptr<Loop> &loop, const PlanPtr &plan,
                    codegen::OptLevel level) const;
  /// Does `work`, which returns an Expected and may compile in this mode, where
  /// there is stack enough for it.
  template <class F>
  auto withStack(Mode mode, F work) const -> decltype(work());
  /// Waits until no tier is being built in the background.
  void settle() const { workers.settle(); }

  /// The machine; an error if the options do not describe one that runs here,
  /// or LLVM is missing.
  Expected<const codegen::Target *> target() const;
  /// An error if no code can be made here, or could not be once.
  Status codeStatus() const;
  /// The host's threads, or none.
  const Executor &executor() const { return options.executor; }
  /// An error if a directory for a cache was named but is not used.
  const Status &cacheStatus() const { return cacheFault; }
  /// What profilers and debuggers are told.
  const Profile &profile() const { return told; }
  /// Who is told what happens; null if nobody is.
  const Watcher *watcher() const { return watching.get(); }
  /// Adds what this knows: code generated, shared and kept on disk.
  void addTo(EngineStats &stats) const;

private:
  struct Spent {
    std::atomic<std::uint64_t> loops = 0;
    std::atomic<std::int64_t> nanoseconds = 0;
    operator TierStats() const {
      return {loops, std::chrono::nanoseconds(nanoseconds)};
    }
  };
  using CodePtr = std::unique_ptr<const Code>;

  void openCache();
  void warmUp() const;
  void warmUpLater();
  Expected<std::shared_ptr<Loop>> make(const semantics::Plan &plan, Mode mode,
                                       CompileTimes *times) const;
  Expected<CodePtr> generate(const semantics::Plan &plan,
                             const codegen::Target &target,
                             codegen::OptLevel level,
                             CompileTimes *times) const;
  std::string keyOnDisk(const semantics::Plan &plan,
                        codegen::OptLevel level) const;
  CodePtr find(const semantics::Plan &plan, codegen::OptLevel level,
               CompileTimes *times) const;
  void dump(const semantics::Plan &plan, codegen::OptLevel level) const;
  void keep(const semantics::Plan &plan, codegen::OptLevel level,
            const code::Image &image, const backend::Backend &backend) const;
  Expected<std::shared_ptr<const Loop>> compileHere(const semantics::Plan &plan,
                                                    Mode mode,
                                                    CompileTimes *times) const;
  Expected<CodePtr> firstCode(const semantics::Plan &plan,
                              codegen::OptLevel level,
                              CompileTimes *times) const;
  Expected<CodePtr> newCode(const semantics::Plan &plan,
                            codegen::OptLevel level, CompileTimes *times) const;
  void takeOver(Loop &loop, CodePtr code, const semantics::Plan &plan,
                codegen::OptLevel level) const;
  Expected<bool> improveFromDisk(Loop &loop, const semantics::Plan &plan,
                                 codegen::OptLevel level) const;
  void improve(Loop &loop, const semantics::Plan &plan,
               codegen::OptLevel level) const;

  const EngineOptions options;
  const std::unique_ptr<const Watcher> watching;
  const Profile told;
  /// Whether options ask for another target than this machine.
  const bool namesTarget;
  std::unique_ptr<const code::DiskCache> disk;
  Status cacheFault;
  mutable std::atomic<std::uint64_t> unpruned = 0; ///< Bytes stored since.
  mutable Mutex mutex;
  mutable std::optional<Expected<codegen::Target>> machine;
  mutable Spent baseline, optimized;
  mutable std::atomic<std::uint64_t> shared = 0, failed = 0, limited = 0;
  mutable LoopTable loops;
  /// Last, so that its jobs end before what they use.
  mutable Background workers;
};

template <class F>
auto Compiler::withStack(Mode mode, F work) const -> decltype(work()) {
  const bool generates = mode != Mode::Interpret &&
                         (mode != Mode::Tiered || namesTarget || watching);
  if (!generates)
    return work();
  decltype(work()) result = Error(ErrorCode::OutOfMemory,
                                  "the thread has too little stack to generate "
                                  "code, and no other can be started");
  onEnoughStack([&]() noexcept { result = guarded(work); });
  return result;
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_COMPILER_H
