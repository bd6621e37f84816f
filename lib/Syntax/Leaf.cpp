//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Leaf.h"

#include "Support/Text.h"

#include <algorithm>
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
  // The count of operands, one more than the index, has 32 bits as well.
  const std::size_t most = std::min<std::size_t>(
      limits.maxOperands, std::numeric_limits<std::uint32_t>::max());
  if (node.index >= most)
    return leafFault(token, text, ErrorCode::LimitExceeded,
                     concat("operand index ", node.index,
                            " is past the limit of ", most, " operands"));
  return node;
}

/// Whether an unsigned decimal number that no double is near to is too large,
/// rather than too small. The power of ten of its first digit that is not 0
/// decides, as it is far from 0 either way.
static bool isTooLarge(std::string_view number) {
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  std::string_view exponent = number.substr(mark);
  if (!exponent.empty())
    exponent.remove_prefix(exponent.substr(1, 1) == "+" ? 2 : 1);
  std::int64_t power = 0;
  auto [end, error] = std::from_chars(exponent.data(),
                                      exponent.data() + exponent.size(), power);
  // An exponent past 64 bits outweighs any number of digits.
  if (error == std::errc::result_out_of_range)
    return exponent[0] != '-';
  return power >
         static_cast<std::int64_t>(first) - static_cast<std::int64_t>(point);
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
  // GCC 12's library takes exponents near the end of 64 bits for tiny ones.
  const std::size_t mark = std::min(taken.find_first_of("eE"), taken.size());
  const bool isNotZero = taken.substr(0, mark).find_first_of("123456789") !=
                         std::string_view::npos;
  if (error == std::errc::result_out_of_range || (value == 0 && isNotZero)) {
    value = isTooLarge(taken.substr(negative))
                ? std::numeric_limits<double>::infinity()
                : 0;
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
