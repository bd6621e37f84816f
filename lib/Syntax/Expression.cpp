//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Parser.h"

using namespace kexpr;

template <class T> static Span<const T> spanOf(const std::vector<T> &values) {
  return {values.data(), values.size()};
}

std::string_view kexpr::nameOf(TokenKind kind) {
  constexpr std::string_view names[] = {"operand",
                                        "integer",
                                        "float",
                                        "complex",
                                        "bool",
                                        "None",
                                        "name",
                                        "left parenthesis",
                                        "right parenthesis",
                                        "left bracket",
                                        "right bracket",
                                        "comma",
                                        "value",
                                        "equals sign",
                                        "semicolon"};
  return names[static_cast<int>(kind)];
}

std::string_view kexpr::nameOf(NodeKind kind) {
  constexpr std::string_view names[] = {"operand", "integer", "float",
                                        "complex", "bool",    "None",
                                        "word",    "call",    "list"};
  return names[static_cast<int>(kind)];
}

std::string_view Expression::text() const { return data->text; }
Span<const Token> Expression::tokens() const { return spanOf(data->tokens); }
Span<const Node> Expression::nodes() const { return spanOf(data->nodes); }
const Node &Expression::root() const { return data->nodes.back(); }
Span<const RpnEntry> Expression::rpn() const { return spanOf(data->rpn); }
const std::string &Expression::canonical() const { return data->canonical; }

std::uint32_t Expression::operandCount() const {
  return data->usedOperands.empty() ? 0 : data->usedOperands.back() + 1;
}

Span<const std::uint32_t> Expression::usedOperands() const {
  return spanOf(data->usedOperands);
}

const ParseLimits &Expression::tightestLimits() const { return data->taken; }

bool syntax::fits(const ParseLimits &taken, const ParseLimits &limits) {
  return taken.maxLength <= limits.maxLength &&
         taken.maxDepth <= limits.maxDepth &&
         taken.maxNodes <= limits.maxNodes &&
         taken.maxOperands <= limits.maxOperands &&
         taken.maxLiterals <= limits.maxLiterals;
}
