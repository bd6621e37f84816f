//===- Dump/Types.h - Operands as kexpr-dump reads them -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_TYPES_H
#define KEXPR_TOOLS_DUMP_TYPES_H

#include "Semantics/Plan.h"
#include "kexpr/Infix.h"
#include "kexpr/Precision.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// Types and access patterns of operands @0, @1..., and of outputs.
struct Operands {
  std::vector<semantics::Access> accesses;
  /// Those that are 0-d tensors.
  std::vector<std::uint32_t> zeroDims;
  /// Of outputs; those past the end are contiguous.
  std::vector<semantics::AccessPattern> outputs;
};

/// Reads `f32[n],i64,f32[],f16[n:s]`: @0, @1... as a type and an access
/// pattern: `[n]` contiguous, nothing constant, `[]` constant and a 0-d tensor,
/// `[n:s]` strided. Errors: InvalidArgument.
Expected<Operands> parseOperands(std::string_view text);

/// Reads `[n],[n:s]`, the access patterns of the first outputs. Errors:
/// InvalidArgument.
Expected<std::vector<semantics::AccessPattern>>
parsePatterns(std::string_view text);

/// The expression of a text; infix text is what it is for these types. Errors:
/// those of parsing and lowering.
Expected<Expression> parseExpression(const std::string &text,
                                     std::optional<Syntax> syntax,
                                     const Operands &operands);

/// The checked, simplified plan of an expression. Operands past the end of
/// `operands` are contiguous f32. Errors: those of `semantics::check`.
Expected<semantics::Plan> makePlan(const Expression &expression,
                                   const Operands &operands,
                                   Precision precision = Precision::Default);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_TYPES_H
