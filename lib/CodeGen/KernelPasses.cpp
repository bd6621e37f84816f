//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelPasses.h"

#include "CodeGen/DebugPasses.h"
#include "CodeGen/TargetMachine.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Pass.h>

#include <algorithm>
#include <iterator>

using namespace kexpr;
using namespace kexpr::codegen;

// Most passes have no name in LLVM's headers but the one they print. A name
// that LLVM does not know leaves out nothing, and fails a test.

/// Passes that work on things that no kernel has: exceptions, garbage
/// collection, atomics, calls to libc, stack objects, tiles, debug information,
/// hardening against what a kernel is not open to.
static constexpr llvm::StringRef NothingToDo[] = {
    "Argument Stack Rebase",
    "Analyze Machine Code For Garbage Collection",
    "Canonicalize Freeze Instructions in Loops",
    "Check CFA info and insert CFI instructions if needed",
    "Contiguously Lay Out Funclets",
    "Exception handling preparation",
    "Expand Atomic instructions",
    "Expand indirectbr instructions",
    "Expand memcmp() to load/stores",
    "Fixup Statepoint Caller Saved",
    "Implement the 'patchable-function' attribute",
    "Insert KCFI indirect call checks",
    "Insert XRay ops",
    "Insert fentry calls",
    "Instrument function entry/exit with calls to e.g. mcount() (post "
    "inlining)",
    "Live DEBUG_VALUE analysis",
    "Local Dynamic TLS Access Clean-up",
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Lower Garbage Collection Instructions",
    "Machine Sanitizer Binary Metadata",
    "Merge contiguous icmps into a memcmp",
    "Merge disjoint stack slots",
    "Partially inline calls to library functions",
    "Prepare callbr",
    "Pseudo Probe Inserter",
    "Register Allocation Pass Scoring",
    "Remove Redundant DEBUG_VALUE analysis",
    "Remove unreachable blocks from the CFG",
    "Rename Disconnected Subregister Components",
    "Replace intrinsics with calls to vector library",
    "Safe Stack instrumentation pass",
    "Scoped NoAlias Alias Analysis",
    "Shadow Stack GC Lowering",
    "Stack Frame Layout Analysis",
    "StackMap Liveness Analysis",
    "Tile Register Configure",
    "Tile Register Pre-configure",
    "Type-Based Alias Analysis",
    "X86 Atom pad short functions",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Lower Tile Copy",
    "X86 Return Thunks",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 insert wait instruction",
    "X86 speculative load hardening",
};

/// Passes that could do something, but leave the loops of kernels as they are.
static constexpr llvm::StringRef NothingGained[] = {
    "CodeGen Prepare",
    "Constant Hoisting",
    "Detect Dead Lanes",
    "Early If-Conversion",
    "Early Tail Duplication",
    "Init Undef Pass",
    "Interleaved Access Pass",
    "Live Range Shrink",
    "Local Stack Slot Allocation",
    "Loop Strength Reduction",
    "Machine Copy Propagation Pass",
    "Machine InstCombiner",
    "Machine Late Instructions Cleanup Pass",
    "Optimize machine instruction PHIs",
    "PostRA Machine Sink",
    "Remove dead machine instructions",
    "Shrink Wrapping analysis",
    "Stack Slot Coloring",
    "Tail Duplication",
    "X86 Avoid Store Forwarding Blocks",
    "X86 Domain Reassignment Pass",
    "X86 Fixup SetCC",
    "X86 LEA Fixup",
    "X86 LEA Optimize",
    "X86 Optimize Call Frame",
    "X86 Partial Reduction",
    "X86 cmov Conversion",
};

/// Passes that make the loops of kernels worse.
static constexpr llvm::StringRef Harmful[] = {
    // It makes one jump of those at the ends of main loop and tail.
    "Control Flow Optimizer",
};

/// Passes that make loops worse where a constant is an operand in memory. This
/// one hoists every constant of a loop, more than there are registers, and some
/// are then reloaded from the stack instead of from where they came. The one
/// after register allocation takes what fits. Where a constant takes three
/// instructions, as on AArch64, hoisting all is better.
static constexpr llvm::StringRef HarmfulToX86[] = {
    "Early Machine Loop Invariant Code Motion",
};

/// The pass that drops source locations.
static constexpr llvm::StringRef Moving = "Machine code sinking";

/// The passes between which a function is found to need CFI or not: the one
/// that is before all others, and the one that makes prologues.
static constexpr llvm::StringRef ModuleInfo = "Machine Module Information";
static constexpr llvm::StringRef FrameInsertion =
    "Prologue/Epilogue Insertion & Frame Finalization";

void KernelPasses::add(llvm::Pass *pass) {
  auto has = [name = pass->getPassName()](const auto &names) {
    return std::find(std::begin(names), std::end(names), name) !=
           std::end(names);
  };
  if (has(NothingToDo) || has(PassesOfSomeVersions) || has(NothingGained) ||
      has(Harmful) || (isX86 && has(HarmfulToX86))) {
    delete pass;
    return;
  }
  PassPair around = {nullptr, nullptr};
  if (pass->getPassName() == Moving)
    around = createKeepLocationsPasses();
  else if (pass->getPassName() == ModuleInfo)
    around.second = createFrameMovesPass(true);
  else if (pass->getPassName() == FrameInsertion)
    around.second = createFrameMovesPass(false);
  if (around.first)
    manager.add(around.first);
  manager.add(pass);
  if (around.second)
    manager.add(around.second);
}

/// The first half of what TargetMachine::addPassesToEmitFile does.
static llvm::MachineModuleInfoWrapperPass *
addPasses(PassMachine &machine, llvm::legacy::PassManagerBase &manager) {
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(manager);
  config->setDisableVerify(true);
  manager.add(config);
  manager.add(info);
  if (config->addISelPasses())
    return nullptr;
  config->addMachinePasses();
  config->setInitialized();
  return info;
}

llvm::MachineModuleInfoWrapperPass *
codegen::addKernelPasses(PassMachine &machine,
                         llvm::legacy::PassManagerBase &manager) {
  KernelPasses needed(manager, machine.getTargetTriple().isX86());
  auto *info = addPasses(machine, needed);
  if (info)
    needed.add(createFillLocationsPass());
  return info;
}

namespace {
/// Keeps passes, and their names.
class NamedPasses final : public llvm::legacy::PassManagerBase {
public:
  void add(llvm::Pass *pass) override {
    names.insert(pass->getPassName());
    passes.add(pass);
  }

  llvm::StringSet<> names;

private:
  llvm::legacy::PassManager passes;
};
} // namespace

Expected<std::vector<std::string>>
codegen::unknownPasses(const std::vector<Target> &targets) {
  llvm::StringSet<> known;
  for (const Target &target : targets)
    for (OptLevel level : {OptLevel::Baseline, OptLevel::Optimized}) {
      auto machine = makeTargetMachine(target, level);
      if (!machine)
        return machine.error();
      NamedPasses passes;
      addPasses(static_cast<PassMachine &>(**machine), passes);
      known.insert(passes.names.begin(), passes.names.end());
    }
  std::vector<std::string> unknown;
  for (llvm::ArrayRef<llvm::StringRef> names :
       {llvm::ArrayRef(NothingToDo), llvm::ArrayRef(PassesOfSomeVersions),
        llvm::ArrayRef(NothingGained), llvm::ArrayRef(Harmful),
        llvm::ArrayRef(HarmfulToX86), llvm::ArrayRef(Moving),
        llvm::ArrayRef(ModuleInfo), llvm::ArrayRef(FrameInsertion)})
    for (llvm::StringRef name : names)
      if (!known.contains(name))
        unknown.push_back(name.str());
  return unknown;
}
