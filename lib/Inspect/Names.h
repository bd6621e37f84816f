//===- Inspect/Names.h - What people call a kernel's loop -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INSPECT_NAMES_H
#define KEXPR_INSPECT_NAMES_H

#include "CodeGen/CodeGen.h"

namespace kexpr::inspect {

/// "optimized" or "baseline".
std::string_view nameOf(codegen::OptLevel level);

/// An expression in at most 60 bytes, the end cut off where it is longer.
std::string shortened(std::string_view text);

/// Operands of a plan and, where they are not contiguous, outputs: `f32n-i64`,
/// `f32s-to-f32s`; n is contiguous, s strided, and a type alone one value. Cut
/// off where there are many.
std::string signatureOf(const semantics::Plan &plan);

/// A folder for a plan that has a source, at most 200 bytes of letters, digits,
/// `_`, `-` and `.`: `mul-0-sigmoid-0.f32n.optimized.3fa9c1d2`. Where the
/// machine code differs, or the expression or kexpr itself does, the end does.
std::string folderNameOf(const semantics::Plan &plan,
                         const codegen::Target &target,
                         codegen::OptLevel level);

/// A command for a shell that shows the same: the kernel of a plan that has a
/// source, for the target that `options` describe. An expression too long for a
/// command line is read from `expression.txt`.
std::string commandFor(const semantics::Plan &plan,
                       const codegen::TargetOptions &options,
                       codegen::OptLevel level);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_NAMES_H
