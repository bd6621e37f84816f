//===- CodeGen/LlvmVersion.h - What differs between versions of LLVM ------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 19 to 22 serve. The passes that all have are in KernelPasses.cpp,
// and a header of ORC that versions from 21 on have is asked for in
// Jit/Session.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LLVMVERSION_H
#define KEXPR_CODEGEN_LLVMVERSION_H

#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCRegister.h>
#include <llvm/TargetParser/Triple.h>

#include <string>

namespace llvm {
class LLVMTargetMachine;
class TargetMachine;
} // namespace llvm

namespace kexpr::codegen {

#if LLVM_VERSION_MAJOR >= 20
/// A target that generates machine code by passes.
using PassMachine = llvm::TargetMachine;
#else
using PassMachine = llvm::LLVMTargetMachine;
#endif

/// What a triple is to modules and target machines.
#if LLVM_VERSION_MAJOR >= 21
using MachineTriple = llvm::Triple;
#else
using MachineTriple = std::string;
#endif

/// What it is to the registry of targets.
#if LLVM_VERSION_MAJOR >= 22
using RegistryTriple = llvm::Triple;
#else
using RegistryTriple = std::string;
#endif

/// The passes that not all versions have, of those for things that no kernel
/// has.
inline constexpr llvm::StringRef PassesOfSomeVersions[] = {
#if LLVM_VERSION_MAJOR >= 22
    "Expand IR instructions",
#else
    "Expand large div/rem",
    "X86 Discriminate Memory Operands",
    "X86 Insert Cache Prefetches",
#endif
#if LLVM_VERSION_MAJOR == 21
    "Expand fp",
#endif
#if LLVM_VERSION_MAJOR >= 21
    "ObjC ARC contraction",
    "Remove Loads Into Fake Uses",
    "X86 Suppress APX features for relocation",
#else
    "Expand large fp convert",
    "Expand vector predication intrinsics",
    "Lower constant intrinsics",
    "TLS Variable Hoist",
    "X86 Windows Fixup Buffer Security Check",
#endif
};

/// The number of a register unit, which is a type of its own in LLVM 22.
inline unsigned numberOf(llvm::MCRegUnit unit) {
  return static_cast<unsigned>(unit);
}

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LLVMVERSION_H
