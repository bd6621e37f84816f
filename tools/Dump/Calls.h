//===- Dump/Calls.h - The loops that calls of certain shapes run --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_CALLS_H
#define KEXPR_TOOLS_DUMP_CALLS_H

#include "Common/Operand.h"
#include "Dump/Types.h"
#include "kexpr/Engine.h"
#include "kexpr/Stage.h"

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// Reads `f32[1000,16],f32[16],f32`. Errors: InvalidArgument.
Expected<std::vector<TypedShape>> parseShapes(std::string_view text);

/// The operands of a call, contiguous or 0-d.
Operands operandsOf(const std::vector<TypedShape> &shapes);

/// A stage of each loop that such a call runs or waits for here, under the name
/// of its folder (`EngineOptions::dumpDirectory`): also those that take rows
/// whole, whose length is part of their code. Calls it with ones, of up to 1
/// GiB. Errors: those of compiling, calling and dumping.
Expected<std::string> showCall(const Expression &expression,
                               const std::vector<TypedShape> &shapes,
                               const EngineOptions &engine,
                               const CompileOptions &options, Stage stage);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_CALLS_H
