//===- kexpr/Engine.h - Compiles and caches kernels -------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_ENGINE_H
#define KEXPR_ENGINE_H

#include "kexpr/Infix.h"
#include "kexpr/Kernel.h"
#include "kexpr/Precision.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr {
namespace runtime {
class EngineImpl;
}

inline namespace v2 {

/// Which tier `Engine::compile` makes.
enum class Mode : std::uint8_t {
  Optimized, ///< Machine code that runs fastest.
  Baseline,  ///< Machine code that is there soonest.
  Interpret, ///< Never generates code, for hosts that forbid it.
  /// A kernel that is interpreted at once; a background thread of the engine
  /// builds machine code, baseline then optimised, that takes over while other
  /// threads run the kernel. Results have the same bits throughout.
  Tiered,
};

struct CompileOptions {
  /// Long expressions get a lower tier than their mode says, as the time that
  /// the code generator takes is not proportional to length: those past 6,000
  /// primitive operations an element (`Kernel::operationsPerElement`, and those
  /// of rows; those of integers count four times), or 512 operands, literals
  /// and outputs together, get no optimised code, and those past 20,000, or
  /// 1,024, are interpreted. An addition is one operation, exp some 18, tanh
  /// 50, pow 117. `Kernel::tier` tells, and `EngineStats::limited` counts.
  Mode mode = Mode::Optimized;
  ParseLimits limits = {};
  Precision precision = Precision::Default;
  /// `operandTypes[k]` is the type of `@k`; operands past its end are F32.
  /// Types of results follow PyTorch's promotion, but that f16 and bf16 stay
  /// f32 inside the loop and are rounded once.
  std::vector<DType> operandTypes = {};
  /// The operands that are 0-d tensors. Where types meet, these do not widen a
  /// tensor of the same category. Elsewhere it makes no difference, and they
  /// need not be named.
  std::vector<std::uint32_t> zeroDimOperands = {};
  /// What a text is written in. An `Expression` was read already, so that this
  /// and what follows is not looked at.
  Syntax syntax = Syntax::Pnnx;
  /// Whose types operators of infix text compute in. Texts of PNNX have
  /// PyTorch's; asking for others is Unsupported.
  Semantics semantics = Semantics::Default;
  /// Of infix text: `InfixOptions::operands`.
  std::vector<std::string> operandNames = {};
  /// Of infix text: the operands that are Python numbers
  /// (`OperandKind::Number`).
  std::vector<std::uint32_t> numberOperands = {};
};

/// Profilers and debuggers that see kernels by name, `add(mul(@0,@1),@2)`, with
/// lines of a listing of the expression. The environment variable
/// KEXPR_LISTENERS adds to them: a list of `perf-map`, `jitdump`, `gdb`,
/// `vtune`, or `all`, with commas between. What fails there hinders no kernel
/// (`Engine::listenerStatus`). Expressions that do not have the same text share
/// no machine code then. Nothing is done, and nothing costs, if there are none.
struct ListenerOptions {
  /// The file /tmp/perf-PID.map, for `perf report` and `perf top`.
  bool perfMap = false;
  /// The file jit-PID.dump, for `perf inject --jit`: code and lines, too.
  bool jitDump = false;
  /// GDB's and LLDB's interface for generated code.
  bool debugger = false;
  /// The library of Intel's VTune, in programs that VTune starts.
  bool vtune = false;
  /// Where listings and jit-PID.dump go, made if it is missing; empty is what
  /// KEXPR_PROFILE_DIR says, else `kexpr/profile` in the user's cache. It must
  /// belong to the user, and nobody else may be able to write to it.
  std::string directory = {};
};

struct EngineOptions {
  /// LLVM's name of the CPU to generate for; empty is the host's. It must be
  /// able to run on the host.
  std::string cpu = {};
  /// LLVM features to add to or remove from it, as `+avx2,-avx512f`.
  std::string features = {};
  /// 128, 256 or 512, for every kernel. 0 is the widest that the CPU computes
  /// in at full speed, 512 from Ice Lake and Zen 4 on; on Skylake with AVX-512
  /// it is 512 for kernels of many operations and 256 for others.
  unsigned vectorBits = 0;
  /// Kernels the cache keeps; the least recently used goes first. Kernels that
  /// a host holds live on.
  std::size_t maxKernels = 4096;
  /// Bytes that they keep: machine code, texts and graphs. Where one more
  /// kernel passes either bound, the cache makes room for several. What comes
  /// to a kernel later counts once some more kernels have come.
  std::size_t maxCodeBytes = std::size_t{256} << 20;
  /// A directory in which machine code is kept from process to process, made
  /// if it is missing; empty is what the environment variable KEXPR_CACHE_DIR
  /// says, and without it nothing is kept. Any number of processes may share
  /// one, on any number of machines: an entry is known by the processor and the
  /// build of the code generator that made it. It and its files must belong to
  /// the user or to root, and nobody else may be able to write to them; else it
  /// is not used (`Engine::cacheStatus`). What cannot be read or written there
  /// fails no compilation; a directory that is read-only is read. Code that was
  /// put there ahead of time (`aheadDirectory`, `kexpr-aot`) is used where the
  /// processor has what it needs, also by a build without LLVM; a build with it
  /// makes its own for targets that options name, and for listeners.
  std::string cacheDirectory = {};
  /// Bytes kept there at most, besides code made ahead of time; the least
  /// recently used goes first. Passed by a
  /// sixteenth, a process, until the directory is looked at again.
  std::uint64_t maxDiskBytes = std::uint64_t{1} << 30;
  /// A directory that gets a folder for every loop of machine code that is made
  /// or found on disk, with all its stages (docs/inspection.md); empty is what
  /// the environment variable KEXPR_DUMP says. It must be one that
  /// `cacheDirectory` could be. Compilations take several times longer and fail
  /// for none of it (`Engine::dumpStatus`).
  std::string dumpDirectory = {};
  /// The events to log, a line each: `compile`, `cache`, both with a comma, or
  /// `none`; empty is what the environment variable KEXPR_LOG says.
  std::string log = {};
  /// Receives the lines, without line feeds, instead of standard error, soon
  /// after the event. Any thread may call it, several at once. It may compile
  /// and free engines, which is then not logged; it must not throw.
  std::function<void(std::string_view line)> logSink = {};
  /// Prepares the code generator on a background thread when the engine is
  /// made, which takes most of the time of a process's first compilation.
  bool warmUp = false;
  ListenerOptions listeners = {};
  /// Threads of the host that kernels of this engine run on instead of
  /// oneTBB's, unless `Executor::run` is null.
  Executor executor = {};
  /// A directory that gets the machine code of every loop that kernels of this
  /// engine ask for, for the machine that `cpu`, `features` and `vectorBits`
  /// describe, which need not be this one: here kernels are interpreted, in any
  /// mode. Where the code shall run, it is the `cacheDirectory`; docs/ahead.md.
  /// Errors of the directory are those of `compile`.
  std::string aheadDirectory = {};
};

/// Machine code that was generated for one tier.
struct TierStats {
  std::uint64_t loops = 0;
  /// From graph to callable address, on whichever thread.
  std::chrono::nanoseconds time{};
};

/// What an engine has done so far.
struct EngineStats {
  std::uint64_t hits = 0;        ///< Compilations answered from the cache.
  std::uint64_t misses = 0;      ///< Compilations that had to be done.
  std::uint64_t compiled = 0;    ///< Loops turned into machine code.
  TierStats baseline, optimized; ///< The same by tier.
  /// Loops that a background thread could not turn into machine code.
  std::uint64_t failed = 0;
  /// Loops too long for the last tier of their mode: see `CompileOptions`.
  std::uint64_t limited = 0;
  /// Loops that a new kernel shares with another, which differs from it in
  /// literals or names of operands alone.
  std::uint64_t shared = 0;
  std::uint64_t evictions = 0; ///< Kernels that made room for others.
  std::size_t kernels = 0;     ///< Kernels in the cache now.
  std::size_t codeBytes = 0; ///< Their machine code; shared code counts twice.
  std::size_t bytes = 0;     ///< All that they keep: code, texts and graphs.
  /// Look-ups in the cache on disk that found a loop and did not (a tiered
  /// kernel may take three), loops kept there, and loops not kept because the
  /// disk failed.
  std::uint64_t diskHits = 0, diskMisses = 0, diskStored = 0, diskFailed = 0;
};

/// Turns expression strings into kernels and keeps them. Usable from any
/// number of threads at once: the same expression asked for by many threads is
/// compiled once, and the others wait for it. Cheap to copy; copies are the
/// same engine.
class KEXPR_API Engine {
public:
  /// An engine for this machine. A constructor throws nothing. Where code
  /// cannot be generated (a CPU without fused multiply-add, a system that
  /// forbids it), kernels are interpreted and `codeStatus` says why; for
  /// options that do not fit, and where there was no memory for an engine,
  /// `compile` returns the error. Takes microseconds: LLVM is loaded when code
  /// must be generated.
  Engine();
  explicit Engine(const EngineOptions &options);

  /// The kernel of `expression`. The cache is looked up by the text itself
  /// first, then by its canonical form, so blanks and the spelling of literals
  /// do not matter; infix text, which shares kernels with what it lowers to, by
  /// the text alone. Errors: InvalidSyntax, LimitExceeded, UnknownOperator,
  /// WrongArity, TypeMismatch, InvalidArgument, Unsupported, CompileFailed,
  /// OutOfMemory.
  Expected<Kernel> compile(std::string_view expression,
                           const CompileOptions &options = {}) const;
  /// The same for a text parsed before.
  Expected<Kernel> compile(const Expression &expression,
                           const CompileOptions &options = {}) const;

  EngineStats stats() const;
  /// Success, or why kernels are interpreted in every mode: the system forbids
  /// to make memory executable, or the CPU is too old; or why LLVM cannot be
  /// loaded. Loads the code generator.
  Status codeStatus() const;
  /// Success, or why the directory for a cache on disk is not used, or none of
  /// the code that was put there ahead of time: Unsupported, with what this
  /// machine lacks.
  Status cacheStatus() const;
  /// Success, or the first error of a listener.
  Status listenerStatus() const;
  /// Success, or why the directory for dumps is not used, or which file of the
  /// last loop could not be written there.
  Status dumpStatus() const;
  /// Success, or which word of `EngineOptions::log` names no event.
  Status logStatus() const;
  /// Waits until every `Tiered` kernel has its best tier.
  void settle() const;
  /// The CPU that code is generated for, and the width in bits of the vectors
  /// of kernels with few operations (`Kernel::vectorBits` has that of one);
  /// empty and 0 where kernels are interpreted. The name lives as long as any
  /// copy of the engine. Loads the code generator.
  std::string_view targetCpu() const;
  unsigned vectorBits() const;

private:
  std::shared_ptr<runtime::EngineImpl> impl;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_ENGINE_H
