//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Tree.h"

#include "Support/FromChars.h"
#include "Support/Text.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

using namespace kexpr;
using namespace kexpr::syntax;

/// Whether a token becomes a node, or names one.
static bool isValue(const Token &token) {
  return token.kind <= TokenKind::Name ||
         token.kind == TokenKind::LeftBracket || token.kind == TokenKind::Value;
}

TreeBuilder::TreeBuilder(std::string_view text, Span<const Token> tokens,
                         const ParseLimits &limits)
    : text(text), limits(limits) {
  const auto most = std::min<std::size_t>(
      std::count_if(tokens.begin(), tokens.end(), isValue), limits.maxNodes);
  frames.reserve(4);
  values.reserve(most);
  nodes.reserve(most);
  childIndices.reserve(most);
}

Status TreeBuilder::checkLimit(std::size_t count, std::size_t limit,
                               const char *what, const Token &token) const {
  if (count < limit)
    return {};
  return fault(ErrorCode::LimitExceeded, concat("more than ", limit, ' ', what),
               token.range);
}

/// Whether one more node may be read; names of calls count as well.
Status TreeBuilder::checkNode(const Token &token, bool isLiteral) {
  auto status = checkLimit(nodes.size() + references + frames.size(),
                           limits.maxNodes, "nodes", token);
  return status && isLiteral
             ? checkLimit(literals++, limits.maxLiterals, "literals", token)
             : status;
}

static bool isLiteral(NodeKind kind) {
  return (kind >= NodeKind::Integer && kind <= NodeKind::None) ||
         kind == NodeKind::Unsigned;
}

void TreeBuilder::push(const Node &node) {
  values.push_back(static_cast<std::uint32_t>(nodes.size()));
  nodes.push_back(node);
}

Status TreeBuilder::readOperand(const Token &token, Node &node) const {
  const std::string_view digits = token.text.substr(1);
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), node.index);
  if (error != std::errc())
    return fault(ErrorCode::InvalidSyntax,
                 "operand index does not fit in 32 bits", token.range);
  // The count of operands, one more than the index, has 32 bits as well.
  const std::size_t most = std::min<std::size_t>(
      limits.maxOperands, std::numeric_limits<std::uint32_t>::max());
  if (node.index >= most)
    return fault(ErrorCode::LimitExceeded,
                 concat("operand index ", node.index, " is past the limit of ",
                        most, " operands"),
                 token.range);
  return {};
}

Status TreeBuilder::readInteger(const Token &token, Node &node) const {
  std::string_view digits = token.text;
  if (digits[0] == '+')
    digits.remove_prefix(1);
  const char *begin = digits.data(), *end = begin + digits.size();
  if (std::from_chars(begin, end, node.integer).ec == std::errc()) {
    node.number = static_cast<double>(node.integer);
    return {};
  }
  std::uint64_t large = 0;
  if (*begin == '-' || std::from_chars(begin, end, large).ec != std::errc())
    return fault(ErrorCode::InvalidSyntax, "integer does not fit in 64 bits",
                 token.range);
  node.kind = NodeKind::Unsigned;
  node.integer = static_cast<std::int64_t>(large);
  node.number = static_cast<double>(large);
  return {};
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
      fromChars(digits.data(), digits.data() + digits.size(), value);
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

Status TreeBuilder::readLeaf(const Token &token, Node &node) const {
  std::string_view digits = token.text;
  switch (token.kind) {
  case TokenKind::Operand:
    node.kind = NodeKind::Operand;
    return readOperand(token, node);
  case TokenKind::Integer:
    node.kind = NodeKind::Integer;
    return readInteger(token, node);
  case TokenKind::Float:
    node.kind = NodeKind::Float;
    node.number = parseReal(digits);
    return {};
  case TokenKind::Complex:
    node.kind = NodeKind::Complex;
    node.number = parseReal(digits);
    if (digits.size() == 1) // "2j" has no real part
      std::swap(node.number, node.imaginary);
    else
      node.imaginary = parseReal(digits);
    return {};
  case TokenKind::Bool:
    node.kind = NodeKind::Bool;
    node.integer = token.text == "True";
    node.number = static_cast<double>(node.integer);
    return {};
  case TokenKind::None:
    return {};
  default:
    node.kind = NodeKind::Word;
    node.name = token.text;
    return {};
  }
}

Status TreeBuilder::addLeaf(const Token &token) {
  auto status = checkNode(token, token.kind != TokenKind::Operand &&
                                     token.kind != TokenKind::Name);
  Node node{.range = token.range};
  if (status)
    status = readLeaf(token, node);
  if (status)
    push(node);
  return status;
}

/// Limits count the text as written; the depths of nested definitions add up.
Status TreeBuilder::addNamed(const Token &token) {
  const std::string_view digits = token.text.substr(1);
  std::size_t number = named.size();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (number >= named.size())
    return fault(ErrorCode::InvalidSyntax,
                 concat(token.text, " has no definition so far"), token.range);
  Named &value = named[number];
  value.isUsed = true;
  auto status = checkNode(token, value.leaf && isLiteral(value.leaf->kind));
  if (status && !value.leaf)
    status = checkLimit(frames.size() + value.depth - 1, limits.maxDepth,
                        "nested calls", token);
  if (!status)
    return status;
  if (value.leaf) {
    push(*value.leaf);
    return {};
  }
  deepest = std::max(deepest, frames.size() + value.depth);
  ++references;
  values.push_back(value.node);
  return {};
}

Status TreeBuilder::define(const Token &token) {
  const std::uint32_t node = values.back();
  const NodeKind kind = nodes[node].kind;
  if (kind == NodeKind::List || kind == NodeKind::Word)
    return fault(ErrorCode::InvalidSyntax,
                 concat("a ", nameOf(kind), " cannot have a name"),
                 token.range);
  values.pop_back();
  named.push_back({node, token.range, std::exchange(deepest, 0)});
  if (kind == NodeKind::Call)
    return {};
  named.back().leaf = nodes[node];
  literals -= isLiteral(kind);
  nodes.pop_back();
  return {};
}

Status TreeBuilder::open(const Token &token) {
  auto status =
      checkLimit(frames.size(), limits.maxDepth, "nested calls", token);
  if (status)
    status = checkNode(token, false);
  if (!status)
    return status;
  const bool isCall = token.kind == TokenKind::Name;
  frames.push_back({{.kind = isCall ? NodeKind::Call : NodeKind::List,
                     .name = isCall ? token.text : std::string_view(),
                     .range = token.range},
                    values.size()});
  deepest = std::max(deepest, frames.size());
  return {};
}

void TreeBuilder::close(std::size_t end) {
  auto [node, base] = frames.back();
  frames.pop_back();
  node.range.end = end;
  node.children = {childIndices.data() + childIndices.size(),
                   values.size() - base};
  assert(childIndices.size() + values.size() - base <= childIndices.capacity());
  childIndices.insert(childIndices.end(), values.begin() + base, values.end());
  values.resize(base);
  push(node);
}

Status TreeBuilder::finish(detail::ExpressionData &data) {
  for (const Named &value : named)
    if (!value.isUsed)
      return fault(ErrorCode::InvalidSyntax,
                   concat("value %", &value - named.data(), " has no use"),
                   value.range);
  data.isListing = !named.empty();
  data.taken.maxNodes = nodes.size() + references;
  data.taken.maxLiterals = literals;
  data.taken.maxDepth = deepest;
  data.nodes = std::move(nodes);
  data.childIndices = std::move(childIndices);
  return {};
}
