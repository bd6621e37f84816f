//===- CodeGen/PlacePasses.h - Places that LLVM loses ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM gives up the line of an instruction that it moves to another block, so
/// that a debugger does not seem to jump there and back. For a kernel that is
/// most of the loop, and what matters is which operator an instruction is of.
/// These passes do nothing to functions without line tables, and nothing to
/// instructions but for their place.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_PLACEPASSES_H
#define KEXPR_CODEGEN_PLACEPASSES_H

#include <llvm/Pass.h>

#include <utility>

namespace kexpr::codegen {

/// Two passes to put before and behind one that moves instructions of SSA form:
/// what has a place before has the same behind.
std::pair<llvm::Pass *, llvm::Pass *> createKeepPlacesPasses();

/// The last pass: gives every instruction a place. What has none, as a constant
/// that is loaded where it is used, or what is reloaded from the stack, is of
/// the operator that it is for; anything else is of the loop.
llvm::Pass *createFillPlacesPass();

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_PLACEPASSES_H
