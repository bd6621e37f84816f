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

/// An expression, cut to 60 bytes.
std::string shortened(std::string_view text);

/// Types and access patterns of the operands of a plan and, where these are not
/// contiguous, of its outputs: `f32n-i64`, `f32s-to-f32s`; n is contiguous, s
/// strided, and a type alone constant. Long lists are cut.
std::string signatureOf(const semantics::Plan &plan);

/// A folder for a plan that has a source, at most 200 bytes of letters, digits,
/// `_`, `-` and `.`: `mul-0-sigmoid-0.f32n.optimized.3fa9c1d2`. The end is a
/// digest of the plan, the target, the expression and the build of kexpr.
std::string folderNameOf(const semantics::Plan &plan,
                         const codegen::Target &target,
                         codegen::OptLevel level);

/// A shell command that dumps the kernel of a plan that has a source, for the
/// target that `options` describe. An expression too long for a command line is
/// read from `expression.txt`.
std::string commandFor(const semantics::Plan &plan,
                       const codegen::TargetOptions &options,
                       codegen::OptLevel level);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_NAMES_H
