//===- Runtime/Instrumentation.h - What an engine shows of its work -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_INSTRUMENTATION_H
#define KEXPR_RUNTIME_INSTRUMENTATION_H

#include "Code/Directory.h"
#include "CodeGen/CodeGen.h"
#include "Runtime/EventLog.h"
#include "Support/Fork.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

class KernelImpl;

/// Reports the work of an engine, by lines (KEXPR_LOG) and by folders with the
/// stages of each loop (KEXPR_DUMP). What fails here fails no kernel. All
/// members may be called from any thread, by one that holds no lock: lines may
/// go to the host's code.
class Instrumentation {
public:
  using Time = std::chrono::nanoseconds;

  /// As options and environment say; null if they ask for nothing.
  static std::unique_ptr<const Instrumentation>
  of(const EngineOptions &options);

  /// See Engine.h.
  Status dumpStatus() const;
  const Status &logStatus() const { return log.status(); }

  // Plans have a source.

  void compiled(const semantics::Plan &plan, codegen::OptLevel level,
                const codegen::Target &target, const CompileTimes &times,
                std::size_t bytes) const;
  /// Code of a level runs instead of what ran before.
  void improved(const semantics::Plan &plan, codegen::OptLevel level) const;
  void failed(const semantics::Plan &plan, codegen::OptLevel level,
              const Error &error) const;
  void diskAsked(const semantics::Plan &plan, codegen::OptLevel level,
                 bool isFound, Time time) const;
  /// The bytes, or why there are none.
  void diskStored(const semantics::Plan &plan, codegen::OptLevel level,
                  const Expected<std::size_t> &bytes, Time time) const;
  void missed(const Expression &expression) const;
  void inserted(const KernelImpl &kernel, Time time) const;
  void evicted(const KernelImpl &kernel) const;

  bool wantsDumps() const { return directory != nullptr; }
  /// Writes the folder of a loop, unless another thread or process has.
  void dump(const semantics::Plan &plan, codegen::OptLevel level,
            const Expected<const codegen::Target *> &target) const;

private:
  explicit Instrumentation(EventLog log) : log(std::move(log)) {}
  template <class F> void say(bool isOn, F text) const;
  Status writeFolder(const semantics::Plan &plan, codegen::OptLevel level,
                     const codegen::Target &target) const;

  EventLog log;
  /// Where folders go; null if nowhere.
  std::shared_ptr<const code::Directory> directory;
  codegen::TargetOptions targetOptions;
  mutable Mutex mutex;
  mutable Status dumpFault;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_INSTRUMENTATION_H
