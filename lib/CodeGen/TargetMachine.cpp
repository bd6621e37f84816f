//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/TargetMachine.h"

#include "Support/Fork.h"
#include "Support/Text.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/PassRegistry.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

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
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
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
  if (const auto *found = llvm::TargetRegistry::lookupTarget(triple, reason))
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
  Subtarget any((*found)->createMCSubtargetInfo(target.triple, "", ""));
  if (auto status = checkNames(*any, target); !status)
    return status.error();
  return Subtarget((*found)->createMCSubtargetInfo(target.triple, target.cpu,
                                                   target.features));
}

static unsigned mostVectorBits(const llvm::MCSubtargetInfo &subtarget) {
  if (!subtarget.getTargetTriple().isX86())
    return 128;
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
    target.heavyVectorBits = target.vectorBits;
    return;
  }
  const bool slows = most == 512 && !subtarget.checkFeatures("+avx512vbmi2");
  target.vectorBits = slows ? 256 : most;
  target.heavyVectorBits = most;
  target.widthReason = slows ? WidthReason::Clock : WidthReason::Widest;
}

/// Fills in what follows from CPU and features.
static Expected<Target> complete(Target target) {
  auto made = subtargetOf(target);
  if (!made)
    return made.error();
  const llvm::MCSubtargetInfo &subtarget = **made;
  const bool isX86 = subtarget.getTargetTriple().isX86();
  target.vectorRegisters =
      isX86 && !subtarget.checkFeatures("+avx512vl") ? 16 : 32;
  target.hasFma = !isX86 || subtarget.checkFeatures("+fma");
  target.hasHalf = !isX86 || subtarget.checkFeatures("+f16c");
  target.hasExponents = isX86 && subtarget.checkFeatures("+avx512f,+avx512vl");
  target.hasPermute = isX86 && subtarget.checkFeatures("+avx2");
  if (isX86)
    target.maskedBytes = subtarget.checkFeatures("+avx512bw,+avx512vl") ? 1 : 4;
  const unsigned most = mostVectorBits(subtarget);
  chooseWidth(target, most, subtarget);
  if (target.vectorBits != 128 && target.vectorBits != 256 &&
      target.vectorBits != 512)
    return badTarget(
        concat("vectors have 128, 256 or 512 bits, not ", target.vectorBits));
  if (target.vectorBits > most)
    return badTarget(concat("'", target.cpu, "' has vectors of ", most,
                            " bits at most, not ", target.vectorBits));
  return target;
}

/// The host's features in normal form: sorted, each with its sign.
static std::string hostFeatures() {
  std::vector<std::string> features;
  for (const auto &entry : llvm::sys::getHostCPUFeatures())
    features.push_back((entry.second ? "+" : "-") + entry.first().str());
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
    auto target = complete(bareHost());
    // An LLVM that does not know its own host: the interpreter serves.
    return target ? *target : bareHost();
  });
}

static bool hasCpu(const std::string &triple, const std::string &cpu) {
  auto found = lookUp(triple);
  return found && Subtarget((*found)->createMCSubtargetInfo(triple, "", ""))
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
  return complete(std::move(target));
}

/// The x86 extensions that code for a kernel may use. A CPU has others, for
/// operating systems and cryptography, that its host may well hide.
static constexpr const char *KernelFeatures[] = {
    "+sse3",        "+ssse3",      "+sse4.1",       "+sse4.2",
    "+sse4a",       "+avx",        "+avx2",         "+fma",
    "+f16c",        "+fma4",       "+xop",          "+bmi",
    "+bmi2",        "+lzcnt",      "+popcnt",       "+movbe",
    "+tbm",         "+gfni",       "+avx512f",      "+avx512cd",
    "+avx512bw",    "+avx512dq",   "+avx512vl",     "+avx512vbmi",
    "+avx512vbmi2", "+avx512ifma", "+avx512bitalg", "+avx512vpopcntdq",
    "+avx512fp16",  "+avxvnni",    "+avxifma",      "+ndd"};

Status codegen::checkRunsHere(const Target &target) {
  auto wanted = subtargetOf(target), host = subtargetOf(hostTarget());
  if (!wanted || !host)
    return (wanted ? host : wanted).error();
  if ((*wanted)->getTargetTriple().getArch() !=
      (*host)->getTargetTriple().getArch())
    return badTarget(
        concat("code for '", target.triple, "' does not run on this machine"));
  if (!(*host)->getTargetTriple().isX86())
    return {};
  for (const char *feature : KernelFeatures)
    if ((*wanted)->checkFeatures(feature) && !(*host)->checkFeatures(feature))
      return badTarget(concat("code for '", target.cpu, "' needs '",
                              feature + 1,
                              "', which this machine does not have"));
  return {};
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
  const auto model = triple.isAArch64() && triple.isOSBinFormatELF()
                         ? llvm::CodeModel::Tiny
                         : llvm::CodeModel::Small;
  std::unique_ptr<llvm::TargetMachine> machine(
      (*generator)
          ->createTargetMachine(target.triple, target.cpu, target.features,
                                options, llvm::Reloc::PIC_, model, effort,
                                /*JIT=*/true));
  if (!machine)
    return badTarget(
        concat("LLVM cannot generate code for '", target.cpu, "'"));
  return machine;
}
