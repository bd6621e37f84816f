//===- Syntax/ExpressionData.h - What a text was parsed to ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_EXPRESSIONDATA_H
#define KEXPR_SYNTAX_EXPRESSIONDATA_H

#include "kexpr/Expression.h"

#include <vector>

namespace kexpr {
inline namespace v2 {
namespace detail {

/// The content of an `Expression`. Tokens, nodes and names point into `text`,
/// children into `childIndices`; the object never moves once it is filled.
struct ExpressionData {
  std::string text;
  std::vector<Token> tokens;
  std::vector<Node> nodes; ///< Children first.
  std::vector<std::uint32_t> childIndices;
  bool isListing = false; ///< Whether it names values.
  std::vector<RpnEntry> rpn;
  std::string canonical;
  std::vector<std::uint32_t> usedOperands;
  /// How much of each limit the text takes.
  ParseLimits taken;
};

} // namespace detail
} // namespace v2
} // namespace kexpr

#endif // KEXPR_SYNTAX_EXPRESSIONDATA_H
