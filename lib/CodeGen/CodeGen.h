//===- CodeGen/CodeGen.h - From a plan to object code ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The way into the LLVM room for those who have no LLVM: nothing here names
/// an LLVM type. All functions may be called from any thread at once; each call
/// uses an LLVM context of its own and a generator that no other one uses.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_CODEGEN_H
#define KEXPR_CODEGEN_CODEGEN_H

#include "Code/Ahead.h"
#include "Semantics/Plan.h"
#include "Support/SourceLocation.h"
#include "kexpr/Error.h"

#include <chrono>
#include <string>
#include <vector>

namespace kexpr::codegen {

/// Why vectors have the width they have.
enum class WidthReason : std::uint8_t {
  Asked,  ///< `TargetOptions` says so.
  Widest, ///< The CPU has none wider, and computes in them at full speed.
  Clock,  ///< The core runs slower while it computes in the widest.
};

/// A machine to generate code for.
struct Target {
  std::string triple;
  std::string cpu;
  /// "+avx2,+fma,..." as LLVM writes them, in normal form.
  std::string features;
  /// Bits of the vectors that loops of few operations use, and of those that
  /// loops of many do: 128, 256 or 512. See `vectorBitsOf`.
  unsigned vectorBits = 0, heavyVectorBits = 0;
  /// The same of loops of few operations that convert what they read
  /// (`Plan::convertsInputs`): on Zen 4 one conversion of 512 bits takes longer
  /// than two of 256.
  unsigned convertingVectorBits = 0;
  /// Bits of the machine's vectors, where it has them of any length (SVE); code
  /// with vectors past 128 bits runs only where they have this many.
  unsigned scalableBits = 0;
  WidthReason widthReason = WidthReason::Asked;
  unsigned vectorRegisters = 0; ///< How many there are.
  /// Whether fused multiply-add is one instruction; without it the interpreter
  /// serves.
  bool hasFma = false;
  /// Whether f16 and f32 convert to each other in one instruction.
  bool hasHalf = false;
  /// Whether there are instructions for exponents: to scale by a power of two,
  /// out of range too, and to take a number, or its class, apart.
  bool hasExponents = false;
  /// Whether one instruction takes the elements of a vector of 256 bits in an
  /// order that another vector says.
  bool hasPermute = false;
  /// Whether an instruction that scales takes microcode, some 200 cycles, where
  /// a result is subnormal, as on Intel's processors.
  bool scalesSlowly = true;
  /// Whether prefetchers look no further than a page by themselves. Those up
  /// to Zen 4 look further: a loop that reads as fast as memory gives is a
  /// quarter to a half slower there with instructions that fetch. On Zen 5
  /// loops with them take 0.7 to 1.1 of the time.
  bool stopsAtPages = true;
  /// Whether loops wait for the constants that they load. Zen 4 loads one
  /// vector of 512 bits a cycle; on Zen 5 functions that load theirs take up to
  /// 1.17 times as long, though it loads two.
  bool fewLoads = false;
  /// Whether f32 becomes f64 in units that add, beside those that multiply, as
  /// on Zen: what was converted is sooner multiplied by 1 and added.
  bool convertsWhereItAdds = false;
  /// The narrowest elements, in bytes, that vectors load and store under a
  /// mask; 0 for a machine that masks no memory.
  unsigned maskedBytes = 0;
  /// Bits of the only vectors that masks serve; 0 where they serve all.
  unsigned maskedBits = 0;
  /// Whether a program's linker places the constants, further from code than an
  /// image has them.
  bool isLinkedByOthers = false;
  /// The extensions that code may use, of those that `code::featuresOf` the
  /// architecture lists, in that order.
  std::vector<std::string> extensions = {};

  /// "x86_64", as the triple begins.
  std::string_view architecture() const {
    return std::string_view(triple).substr(0, triple.find('-'));
  }
};

/// What to override of a target; empty members leave it as it is. A CPU alone
/// stands for its architecture.
struct TargetOptions {
  std::string triple;
  std::string cpu;
  std::string features;
  unsigned vectorBits = 0;
};

/// Whether a loop has so many operations that wider vectors gain more than they
/// cost where the core runs slower in them: on Skylake's servers 512 bits take
/// up to a sixth off the clock, and halve what long loops take.
inline bool isHeavy(const semantics::Plan &plan) {
  constexpr unsigned fewOperations = 32;
  return plan.work().operations > fewOperations;
}
/// Bits of the vectors of a plan's loop.
inline unsigned vectorBitsOf(const semantics::Plan &plan,
                             const Target &target) {
  if (isHeavy(plan))
    return target.heavyVectorBits;
  return plan.convertsInputs() ? target.convertingVectorBits
                               : target.vectorBits;
}

/// Whether LLVM's static objects are made; for the library that LLVM's archives
/// are linked into.
bool hasStaticObjects();

/// Makes LLVM's registry of passes, which is destroyed when the process ends.
void makeRegistry();
/// The machine this process runs on, found once.
const Target &hostTarget();
/// The host with overrides, or another machine; an error for a triple, a CPU
/// or a width that LLVM does not know or the machine does not have.
Expected<Target> makeTarget(const TargetOptions &options);
/// What a machine must be to run code for a target.
code::AheadTarget aheadTargetOf(const Target &target);
/// Whether this process can execute code for a target; an error says what the
/// machine lacks.
Status checkRunsHere(const Target &target);

enum class OptLevel : std::uint8_t {
  Baseline,  ///< LLVM's fastest code generation.
  Optimized, ///< The code that runs fastest.
};

/// A relocatable object file with one `LoopFn` under `symbol`, which is all of
/// its section `.text`.
struct ObjectCode {
  std::vector<char> bytes;
  std::string symbol;
  std::chrono::nanoseconds emit{};    ///< Plan to LLVM IR.
  std::chrono::nanoseconds codegen{}; ///< LLVM IR to object code.
  /// If the plan has a listing, the object describes its function in DWARF, and
  /// here are the bytes of the function and where in the listing they come
  /// from, in ascending order. Code is the same with a listing and without.
  std::size_t size = 0;
  std::vector<CodeLocation> locations;
};

Expected<ObjectCode> compile(const semantics::Plan &plan, const Target &target,
                             OptLevel level);

/// An object file whose function has a name of the caller's.
Expected<std::string> objectOf(const semantics::Plan &plan,
                               const Target &target, OptLevel level,
                               const std::string &name);

/// Names of passes in our tables that no pass of LLVM has for any of these
/// targets: LLVM has renamed them.
Expected<std::vector<std::string>>
unknownPasses(const std::vector<Target> &targets);

/// The file that LLVM's code was loaded from.
std::string llvmFile();

/// How many generators `compile` has made, for all targets and levels: for each
/// as many as calls were ever under way at once. A call takes one that is free,
/// whichever thread used it before.
std::size_t generatorCount();

enum class Stage : std::uint8_t {
  Llvm,    ///< LLVM IR as emitted.
  LlvmOpt, ///< The IR that instruction selection gets.
  Mir,     ///< The finished machine function, as LLVM's MIR text.
  /// Assembly of the finished code; if the plan has a listing, with the line
  /// of the listing and the operator that each instruction is of.
  Asm,
  Obj, ///< The bytes of the object file, with line tables if it has a listing.
};

/// A stage as text, the same from run to run.
Expected<std::string> dump(const semantics::Plan &plan, const Target &target,
                           OptLevel level, Stage stage);

/// LLVM IR or machine IR as it is after each pass of a name, each under a
/// banner: the name that the pass prints (`Machine code sinking`) or is
/// registered under (`machine-sink`), or `all`. InvalidArgument for a name that
/// none of the passes has; the message lists those there are.
Expected<std::string> dumpAfter(const semantics::Plan &plan,
                                const Target &target, OptLevel level,
                                std::string_view pass);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_CODEGEN_H
