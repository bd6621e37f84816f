//===- Dump/Json.h - A kernel as data ------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_JSON_H
#define KEXPR_TOOLS_DUMP_JSON_H

#include "Dump/Measure.h"
#include "Inspect/Render.h"
#include "kexpr/Expression.h"

#include <nlohmann/json_fwd.hpp>

namespace kexpr::tools {

/// A loop of a kernel, its code, and what it takes, in the format that
/// docs/inspection.md documents key by key. Without measurements it is the same
/// from run to run. The plan has the expression's listing. Errors: those of
/// generating code.
Expected<nlohmann::json>
kernelJson(const Expression &expression, const inspect::LoopOf &loop,
           const codegen::Target &target, codegen::OptLevel level,
           const backend::Backend &backend, const Measured &measured);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_JSON_H
