//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Leaf.h"

#include "Support/Text.h"

#include <charconv>
#include <limits>
#include <utility>

using namespace kexpr;
using namespace kexpr::syntax;

static Error leafFault(const Token &token, std::string_view text,
                       ErrorCode code, std::string message) {
  return {code, std::move(message), std::string(text), token.range};
}

static Expected<Node> operandLeaf(const Token &token, std::string_view text,
                                  const ParseLimits &limits) {
  Node node{NodeKind::Operand};
  const std::string_view digits = token.text.substr(1);
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), node.index);
  if (error != std::errc())
    return leafFault(token, text, ErrorCode::InvalidSyntax,
                     "operand index does not fit in 32 bits");
  if (node.index >= limits.maxOperands)
    return leafFault(token, text, ErrorCode::LimitExceeded,
                     concat("operand index ", node.index,
                            " is past the limit of ", limits.maxOperands,
                            " operands"));
  return node;
}

/// The number that `digits` begins with, to the nearest double; what is past
/// the range of double is infinite, or zero.
static double parseReal(std::string_view &digits) {
  if (!digits.empty() && digits[0] == '+')
    digits.remove_prefix(1);
  const bool negative = !digits.empty() && digits[0] == '-';
  double value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string_view taken(digits.data(), end - digits.data());
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = taken.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos
                          ? taken[exponent + 1] == '-'
                          : taken.find('.') <= (negative ? 2u : 1u);
    value = tiny ? 0 : std::numeric_limits<double>::infinity();
    value = negative ? -value : value;
  }
  digits.remove_prefix(taken.size());
  if (digits.substr(0, 2) == ".0") // of nan.0
    digits.remove_prefix(2);
  return value;
}

static Expected<Node> integerLeaf(const Token &token, std::string_view text) {
  Node node{NodeKind::Integer};
  std::string_view digits = token.text;
  if (digits[0] == '+')
    digits.remove_prefix(1);
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), node.integer);
  if (error != std::errc())
    return leafFault(token, text, ErrorCode::InvalidSyntax,
                     "integer does not fit in 64 bits");
  node.number = static_cast<double>(node.integer);
  return node;
}

static Node numberLeaf(const Token &token) {
  Node node{token.kind == TokenKind::Complex ? NodeKind::Complex
                                             : NodeKind::Float};
  std::string_view digits = token.text;
  node.number = parseReal(digits);
  if (node.kind != NodeKind::Complex)
    return node;
  if (digits.size() == 1) // "2j" has no real part
    std::swap(node.number, node.imaginary);
  else
    node.imaginary = parseReal(digits);
  return node;
}

static Expected<Node> valueOf(const Token &token, std::string_view text,
                              const ParseLimits &limits) {
  switch (token.kind) {
  case TokenKind::Operand:
    return operandLeaf(token, text, limits);
  case TokenKind::Integer:
    return integerLeaf(token, text);
  case TokenKind::Float:
  case TokenKind::Complex:
    return numberLeaf(token);
  case TokenKind::Bool: {
    Node node{NodeKind::Bool};
    node.integer = token.text == "True";
    node.number = static_cast<double>(node.integer);
    return node;
  }
  case TokenKind::None:
    return Node{NodeKind::None};
  default: {
    Node node{NodeKind::Word};
    node.name = token.text;
    return node;
  }
  }
}

Expected<Node> syntax::leafOf(const Token &token, std::string_view text,
                              const ParseLimits &limits) {
  auto node = valueOf(token, text, limits);
  if (node)
    node->range = token.range;
  return node;
}
