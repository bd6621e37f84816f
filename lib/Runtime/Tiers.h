//===- Runtime/Tiers.h - Which tiers a plan gets --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_TIERS_H
#define KEXPR_RUNTIME_TIERS_H

#include "CodeGen/CodeGen.h"
#include "kexpr/Engine.h"

#include <optional>

namespace kexpr::runtime {

/// The last tier of a mode that generates code.
codegen::OptLevel levelOf(Mode mode);

/// The last tier of a plan in a mode; none where it is interpreted. The code
/// generator takes more than twice as long for twice as long a loop, so that
/// long ones get a lower tier than the mode says: see `CompileOptions::mode`.
std::optional<codegen::OptLevel> lastLevel(const semantics::Plan &plan,
                                           Mode mode);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TIERS_H
