//===- Runtime/Compiler.h - From a plan to a loop -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_COMPILER_H
#define KEXPR_RUNTIME_COMPILER_H

#include "Backend/Backend.h"
#include "Code/Ahead.h"
#include "Runtime/Background.h"
#include "Runtime/EngineListeners.h"
#include "Runtime/Instrumentation.h"
#include "Runtime/Loop.h"
#include "Support/Guarded.h"
#include "Support/Thread.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

/// The last tier of a mode that generates code.
codegen::OptLevel levelOf(Mode mode);

/// The last tier of a plan in a mode; none where it is interpreted. The code
/// generator takes more than twice as long for twice as long a loop, so that
/// long ones get a lower tier than the mode says: see `CompileOptions::mode`.
std::optional<codegen::OptLevel> lastLevel(const semantics::Plan &plan,
                                           Mode mode);

/// Unsupported for a machine without fused multiply-add.
Status checkFma(const codegen::Target &target);

/// Where code is taken from.
enum class CodeOrigin : std::uint8_t {
  Disk,      ///< From the cache on disk alone.
  Generator, ///< From the code generator alone.
  Any,       ///< From the cache on disk, or else from the code generator.
};

/// Compiles plans for an engine, which shares it with its kernels. All members
/// may be called from any thread.
class Compiler {
public:
  using PlanPtr = std::shared_ptr<const semantics::Plan>;

  explicit Compiler(const EngineOptions &options);

  /// A loop for the plan, of the tier that `mode` says, or in tiered mode of
  /// the interpreter until the background has code. Where the loop is too long,
  /// or no code can be made here, it is of a lower tier, down to the
  /// interpreter. Code on disk is not generated again. Plans that differ in the
  /// values of parameters alone share a loop for as long as one of its kernels
  /// lives, as by a `SingleFlight`. `times` gets what making the loop took.
  Expected<LoopPtr> compile(const semantics::Plan &plan, Mode mode,
                            CompileTimes *times = nullptr) const;
  /// Compiles a plan in the background, to replace the code of `loop`.
  void improveLater(const std::shared_ptr<Loop> &loop, const PlanPtr &plan,
                    codegen::OptLevel level) const;
  /// Does `work`, which returns an Expected or a Status and may compile in this
  /// mode, where there is enough stack for it. Lines for the host's log wait
  /// until it is done.
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
  /// An error if a cache directory was named that cannot be used.
  const Status &cacheStatus() const { return cacheFault; }
  const EngineListeners &listeners() const { return codeListeners; }
  /// Null if neither lines nor dumps are asked for.
  const Instrumentation *instrumentation() const { return log.get(); }
  /// Adds what is counted here: code generated, shared and kept on disk.
  void addTo(EngineStats &stats) const;

private:
  struct TierCounter {
    std::atomic<std::uint64_t> loops = 0;
    std::atomic<std::int64_t> nanoseconds = 0;
    void add(std::chrono::nanoseconds time) {
      ++loops;
      nanoseconds += time.count();
    }
    operator TierStats() const {
      return {loops, std::chrono::nanoseconds(nanoseconds)};
    }
  };
  using CodePtr = std::unique_ptr<Code>;

  static CodePtr codeOf(std::shared_ptr<const code::LoadedCode> machine,
                        codegen::OptLevel level);
  Expected<std::shared_ptr<Loop>>
  makeLoop(const semantics::Plan &plan, Mode mode, CompileTimes *times) const;
  /// The code of a plan. Null where there is none on disk, if it may come from
  /// there alone, and where the processor or the system can have none.
  Expected<CodePtr> codeFor(const semantics::Plan &plan,
                            codegen::OptLevel level, CodeOrigin origin,
                            CompileTimes *times) const;
  std::string keyOnDisk(const semantics::Plan &plan,
                        codegen::OptLevel level) const;
  std::optional<code::Image> findOnDisk(const semantics::Plan &plan,
                                        codegen::OptLevel &level) const;
  Expected<const code::AheadCache *>
  aheadWriter(const codegen::Target &target) const;
  Status makeAhead(const semantics::Plan &plan) const;
  void keep(const semantics::Plan &plan, codegen::OptLevel level,
            const code::Image &image, const backend::Backend &backend) const;
  void dump(const semantics::Plan &plan, codegen::OptLevel level) const;
  Expected<bool> improve(Loop &loop, const semantics::Plan &plan,
                         codegen::OptLevel level, CodeOrigin origin) const;
  void openCache();
  void warmUp() const;

  const EngineOptions options;
  const std::unique_ptr<const Instrumentation> log;
  const EngineListeners codeListeners;
  /// Whether options ask for another target than this machine.
  const bool namesTarget;
  std::unique_ptr<const code::DiskCache> disk;
  /// What the directory has that was made ahead of time; null without.
  std::unique_ptr<const code::AheadCache> ahead;
  Status cacheFault;
  /// Bytes stored on disk since it was pruned.
  mutable std::atomic<std::uint64_t> unpruned = 0;
  mutable Mutex mutex;
  mutable std::optional<Expected<codegen::Target>> machine;
  /// Of the directory for another machine, once code was put there.
  mutable std::unique_ptr<const code::AheadCache> written;
  mutable TierCounter baseline, optimized;
  mutable std::atomic<std::uint64_t> shared = 0, failed = 0, limited = 0;
  mutable LoopTable loops;
  /// Last, so that its jobs end before the members that they use.
  mutable Background workers;
};

template <class F>
auto Compiler::withStack(Mode mode, F work) const -> decltype(work()) {
  const bool generates =
      !options.aheadDirectory.empty() ||
      (mode != Mode::Interpret && (mode != Mode::Tiered || namesTarget || log));
  const auto quietly = [&work] {
    const EventLog::Deferral lines;
    return work();
  };
  if (!generates)
    return quietly();
  decltype(work()) result = Error(ErrorCode::OutOfMemory,
                                  "the thread has too little stack to generate "
                                  "code, and no other can be started");
  onEnoughStack([&]() noexcept { result = guarded(quietly); });
  return result;
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_COMPILER_H
