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
#include "Runtime/Watcher.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

/// The last tier of a mode that generates code.
codegen::OptLevel levelOf(Mode mode);

/// What loops are compiled for and with; shared by an engine and its kernels.
/// All members may be called from any thread.
class Compiler {
public:
  explicit Compiler(const EngineOptions &options);
  ~Compiler();

  /// The plan as a loop of the tier that `mode` asks for, which a better one
  /// takes the place of later if it asks for that; the interpreter where the
  /// target has no fused multiply-add. Code that the cache on disk has is not
  /// generated. Plans that differ in the values of parameters alone share a
  /// loop for as long as one of its kernels lives, and of threads that ask for
  /// one at once, one makes it. What making the loop took is put in `times`.
  Expected<std::shared_ptr<const Loop>>
  compile(const semantics::Plan &plan, Mode mode,
          CompileTimes *times = nullptr) const;
  /// A loop that runs what `loop` runs now until the code of `plan`, which
  /// computes the same from the same memory, was built in the background, in
  /// the last tier of `mode`. No better tier of `loop` takes its place.
  std::shared_ptr<const Loop>
  replaceLater(const Loop &loop, const semantics::Plan &plan, Mode mode) const;
  /// Waits until no tier is being built in the background.
  void settle() const { workers.settle(); }

  /// The machine; an error if the options do not describe one that runs here,
  /// or LLVM is missing.
  Expected<const codegen::Target *> target() const;
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
  void improveLater(const std::shared_ptr<Loop> &loop,
                    const std::shared_ptr<const semantics::Plan> &plan,
                    codegen::OptLevel level) const;
  void takeOver(Loop &loop, CodePtr code, const semantics::Plan &plan,
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
  mutable std::mutex mutex;
  mutable std::optional<Expected<codegen::Target>> machine;
  mutable Spent baseline, optimized;
  mutable std::atomic<std::uint64_t> shared = 0, failed = 0;
  mutable LoopTable loops;
  /// Last, so that its jobs end before what they use.
  mutable Background workers;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_COMPILER_H
