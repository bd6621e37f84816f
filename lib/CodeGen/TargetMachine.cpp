//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/TargetMachine.h"

#include "Code/Features.h"
#include "CodeGen/LlvmVersion.h"
#include "Support/Fork.h"
#include "Support/Text.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/CodeGen/RegAllocRegistry.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/PassRegistry.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <bit>

#include <dlfcn.h>

using namespace kexpr;
using namespace kexpr::codegen;

void codegen::makeRegistry() { (void)llvm::PassRegistry::getPassRegistry(); }

std::string codegen::llvmFile() {
  Dl_info info = {};
  const bool isFound =
      dladdr(reinterpret_cast<void *>(&LLVMGetVersion), &info) != 0;
  return isFound && info.dli_fname ? info.dli_fname : "";
}

/// The code generators there are, once a process and when first needed.
static void initializeTargets() {
  static const bool once = [] {
#ifdef KEXPR_TARGET_X86
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#endif
#ifdef KEXPR_TARGET_AArch64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
    return true;
  }();
  (void)once;
}

static Error badTarget(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

static Expected<const llvm::Target *> lookUp(const std::string &triple) {
  initializeTargets();
  std::string reason;
  if (const auto *found =
          llvm::TargetRegistry::lookupTarget(RegistryTriple(triple), reason))
    return found;
  return badTarget(concat("no code generator for the target '", triple, "'"));
}

using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;

static bool isFeature(const llvm::MCSubtargetInfo &subtarget,
                      llvm::StringRef name) {
  const auto all = subtarget.getAllProcessorFeatures();
  return std::any_of(all.begin(), all.end(),
                     [name](const auto &entry) { return name == entry.Key; });
}

static Status checkNames(const llvm::MCSubtargetInfo &any,
                         const Target &target) {
  if (!any.isCPUStringValid(target.cpu))
    return badTarget(
        concat("unknown CPU '", target.cpu, "' for '", target.triple, "'"));
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',', -1, false);
  for (llvm::StringRef feature : features) {
    const bool isSigned = feature.size() > 1 &&
                          (feature.front() == '+' || feature.front() == '-');
    if (!isSigned || !isFeature(any, feature.drop_front()))
      return badTarget(concat("unknown CPU feature '", feature.str(),
                              "'; features are written +name or -name"));
  }
  return {};
}

static Expected<Subtarget> subtargetOf(const Target &target) {
  auto found = lookUp(target.triple);
  if (!found)
    return found.error();
  Subtarget any(
      (*found)->createMCSubtargetInfo(RegistryTriple(target.triple), "", ""));
  if (auto status = checkNames(*any, target); !status)
    return status.error();
  return Subtarget((*found)->createMCSubtargetInfo(
      RegistryTriple(target.triple), target.cpu, target.features));
}

/// The lengths that processors with SVE came with, where they are not 128 bits.
static unsigned scalableBitsOf(std::string_view cpu) {
  if (cpu == "neoverse-v1")
    return 256;
  return cpu == "a64fx" ? 512 : 128;
}

static unsigned mostVectorBits(const llvm::MCSubtargetInfo &subtarget,
                               const Target &target) {
  if (!subtarget.getTargetTriple().isX86())
    return std::bit_floor(std::clamp(target.scalableBits, 128u, 512u));
  if (subtarget.checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl"))
    return 512;
  return subtarget.checkFeatures("+avx2") ? 256 : 128;
}

/// Chooses widths for a machine with vectors of `most` bits. Cores of Skylake's
/// time run slower while they compute in 512 bits, and for a while after; those
/// that came with VBMI2, from Ice Lake and Zen 4 on, hardly do, or not at all.
/// LLVM prefers 256 bits on Intel's because other code is not loops.
static void chooseWidth(Target &target, unsigned most,
                        const llvm::MCSubtargetInfo &subtarget) {
  if (target.vectorBits != 0) {
    target.heavyVectorBits = target.convertingVectorBits = target.vectorBits;
    return;
  }
  const bool slows = most == 512 && target.architecture() == code::X86 &&
                     !subtarget.checkFeatures("+avx512vbmi2");
  target.vectorBits = slows ? 256 : most;
  target.heavyVectorBits = most;
  target.convertingVectorBits =
      target.cpu == "znver4" ? std::min(most, 256u) : target.vectorBits;
  target.widthReason = slows ? WidthReason::Clock : WidthReason::Widest;
}

/// Fills in what follows from CPU and features.
static Expected<Target> complete(Target target, bool isHost) {
  // LLVM 19's fastest selector takes a rounding to f16 for one to bf16 where
  // there are instructions for these, which kernels have no use for.
  if (target.architecture() == code::Arm)
    target.features += target.features.empty() ? "-bf16" : ",-bf16";
  auto made = subtargetOf(target);
  // Without long vectors LLVM has no code for AVX-512 that lacks short ones.
  if (made && target.architecture() == code::X86 &&
      (*made)->checkFeatures("+avx512f") &&
      !(*made)->checkFeatures("+avx512vl")) {
    target.features += ",+evex512";
    made = subtargetOf(target);
  }
  if (!made)
    return made.error();
  const llvm::MCSubtargetInfo &subtarget = **made;
  const bool isX86 = subtarget.getTargetTriple().isX86();
  target.vectorRegisters =
      isX86 && !subtarget.checkFeatures("+avx512vl") ? 16 : 32;
  target.hasFma = !isX86 || subtarget.checkFeatures("+fma");
  target.hasHalf = !isX86 || subtarget.checkFeatures("+f16c");
  target.hasExponents =
      isX86 && subtarget.checkFeatures("+avx512f,+avx512dq,+avx512vl");
  target.hasPermute = isX86 && subtarget.checkFeatures("+avx2");
  const bool isZen = target.cpu.starts_with("znver");
  target.scalesSlowly = !isZen;
  target.stopsAtPages = !isZen || target.cpu == "znver5";
  target.fewLoads = isZen && target.vectorRegisters == 32;
  target.convertsWhereItAdds = isZen;
  if (isX86)
    target.maskedBytes = subtarget.checkFeatures("+avx512bw,+avx512vl") ? 1 : 4;
  else if (subtarget.checkFeatures("+sve"))
    target.scalableBits = isHost              ? code::scalableBitsHere()
                          : target.vectorBits ? target.vectorBits
                                              : scalableBitsOf(target.cpu);
  for (const code::Feature &feature : code::featuresOf(target.architecture()))
    if (subtarget.checkFeatures(concat('+', feature.name)))
      target.extensions.emplace_back(feature.name);
  const unsigned most = mostVectorBits(subtarget, target);
  chooseWidth(target, most, subtarget);
  if (target.vectorBits != 128 && target.vectorBits != 256 &&
      target.vectorBits != 512)
    return badTarget(
        concat("vectors have 128, 256 or 512 bits, not ", target.vectorBits));
  if (target.vectorBits > most)
    return badTarget(concat("'", target.cpu, "' has vectors of ", most,
                            " bits at most, not ", target.vectorBits));
  // Vectors of 128 bits are NEON's, which LLVM masks by SVE where they fill a
  // register.
  if (target.scalableBits) {
    target.maskedBytes = 1;
    target.maskedBits = target.vectorBits > 128 ? 0 : 128;
  }
  return target;
}

/// The host's features in normal form: sorted, each with its sign.
static std::string hostFeatures() {
  std::vector<std::string> features;
  for (const auto &entry : llvm::sys::getHostCPUFeatures())
    features.push_back((entry.second ? "+" : "-") + entry.first().str());
  // On Arm LLVM reads a text that emulators and containers do not have.
  if (code::ownArchitecture() == code::Arm)
    for (const std::string &name :
         code::presentHere(code::featuresOf(code::Arm)))
      if (!std::ranges::count(features, "+" + name))
        features.push_back("+" + name);
  std::sort(features.begin(), features.end(),
            [](std::string_view a, std::string_view b) {
              return a.substr(1) < b.substr(1);
            });
  return llvm::join(features, ",");
}

static Target bareHost() {
  return {.triple = llvm::sys::getProcessTriple(),
          .cpu = llvm::sys::getHostCPUName().str(),
          .features = hostFeatures()};
}

static constinit Once<const Target> host;

const Target &codegen::hostTarget() {
  return host.get([] {
    auto target = complete(bareHost(), true);
    // An LLVM that does not know its own host: the interpreter serves.
    return target ? *target : bareHost();
  });
}

static bool hasCpu(const std::string &triple, const std::string &cpu) {
  auto found = lookUp(triple);
  return found && Subtarget((*found)->createMCSubtargetInfo(
                                RegistryTriple(triple), "", ""))
                      ->isCPUStringValid(cpu);
}

/// That of this process, unless only the other architecture has the CPU.
static std::string tripleFor(const std::string &cpu) {
  std::string own = llvm::sys::getProcessTriple();
  for (const std::string &triple :
       {own, std::string("x86_64-unknown-linux-gnu"),
        std::string("aarch64-unknown-linux-gnu")})
    if (hasCpu(triple, cpu))
      return triple;
  return own;
}

/// One of them registers itself.
bool codegen::hasStaticObjects() { return llvm::RegisterRegAlloc::getList(); }

Expected<Target> codegen::makeTarget(const TargetOptions &options) {
  Target target;
  if (options.triple.empty() && options.cpu.empty())
    target = bareHost();
  else
    target.triple = options.triple.empty()
                        ? tripleFor(options.cpu)
                        : llvm::Triple::normalize(options.triple);
  if (!options.cpu.empty())
    target.cpu = options.cpu;
  if (!options.features.empty())
    target.features += (target.features.empty() ? "" : ",") + options.features;
  target.vectorBits = options.vectorBits;
  return complete(std::move(target),
                  options.triple.empty() && options.cpu.empty());
}

code::AheadTarget codegen::aheadTargetOf(const Target &target) {
  constexpr unsigned fixed = 128; // NEON's, which every Arm processor has.
  return {.architecture = std::string(target.architecture()),
          .vectorBits = target.vectorBits,
          .heavyVectorBits = target.heavyVectorBits,
          .convertingVectorBits = target.convertingVectorBits,
          .scalableBits = target.vectorBits > fixed ? target.scalableBits : 0,
          .features = target.extensions,
          .cpu = target.cpu};
}

Status codegen::checkRunsHere(const Target &target) {
  const Status fits = aheadTargetOf(target).runsHere();
  return fits ? fits : badTarget(fits.error().message());
}

Expected<std::unique_ptr<llvm::TargetMachine>>
codegen::makeTargetMachine(const Target &target, OptLevel level) {
  auto generator = lookUp(target.triple);
  if (!generator)
    return generator.error();
  llvm::TargetOptions options;
  // A multiplication and an addition are one operation only where a formula
  // says fma.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto effort = level == OptLevel::Baseline
                          ? llvm::CodeGenOptLevel::None
                          : llvm::CodeGenOptLevel::Default;
  // Constants by their distance alone, not by their page: an image runs
  // wherever it lies.
  const llvm::Triple triple(target.triple);
  const auto model = !target.isLinkedByOthers && triple.isAArch64() &&
                             triple.isOSBinFormatELF()
                         ? llvm::CodeModel::Tiny
                         : llvm::CodeModel::Small;
  std::unique_ptr<llvm::TargetMachine> machine(
      (*generator)
          ->createTargetMachine(MachineTriple(target.triple), target.cpu,
                                target.features, options, llvm::Reloc::PIC_,
                                model, effort,
                                /*JIT=*/true));
  if (!machine)
    return badTarget(
        concat("LLVM cannot generate code for '", target.cpu, "'"));
  return machine;
}
