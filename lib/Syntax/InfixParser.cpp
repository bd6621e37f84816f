//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/InfixParser.h"

#include "Support/Quote.h"

#include <algorithm>
#include <iterator>
#include <limits>

using namespace kexpr;
using namespace kexpr::syntax;

namespace {

struct OperatorInfo {
  std::string_view spelling;
  int precedence; ///< Higher ones bind tighter.
};

/// By `InfixOperator`.
constexpr OperatorInfo Operators[] = {
    {"or", 2},  {"and", 3}, {"not", 4}, {"<", 5},  {"<=", 5}, {">", 5},
    {">=", 5},  {"==", 5},  {"!=", 5},  {"|", 6},  {"^", 7},  {"&", 8},
    {"<<", 9},  {">>", 9},  {"+", 10},  {"-", 10}, {"*", 11}, {"/", 11},
    {"//", 11}, {"%", 11},  {"+", 12},  {"-", 12}, {"~", 12}, {"**", 13}};
constexpr int Conditionals = 1, Comparisons = 5;

constexpr const OperatorInfo &infoOf(InfixOperator op) {
  return Operators[static_cast<std::size_t>(op)];
}

constexpr bool isPrefix(InfixOperator op) {
  return op == InfixOperator::Not || op == InfixOperator::Positive ||
         op == InfixOperator::Negative || op == InfixOperator::Invert;
}

} // namespace

std::optional<InfixOperator> syntax::findInfixOperator(const InfixToken &token,
                                                       bool isFirst) {
  if (token.kind != InfixTokenKind::Mark && token.kind != InfixTokenKind::Word)
    return std::nullopt;
  for (std::size_t i = 0; i < std::size(Operators); ++i) {
    const auto op = static_cast<InfixOperator>(i);
    const std::string_view spelling = Operators[i].spelling;
    if (isPrefix(op) == isFirst && !token.text.empty() &&
        token.text[0] == spelling[0] && token.text == spelling)
      return op;
  }
  return std::nullopt;
}

int InfixPending::precedence() const {
  return what == What::Operator ? infoOf(op).precedence
         : what == What::Else   ? Conditionals
                                : 0;
}

std::string_view syntax::spellingOf(InfixOperator op) {
  return infoOf(op).spelling;
}

Status InfixParser::advance() {
  auto next = lexer.next(brackets > 0);
  if (!next)
    return next.error();
  token = *next;
  return {};
}

/// The current token in a message.
std::string InfixParser::described() const {
  return token.kind == Kind::End       ? "the end of the text"
         : token.kind == Kind::Newline ? "the end of the line"
                                       : quote(token.text);
}

Expected<std::uint32_t> InfixParser::add(InfixNode node,
                                         const std::vector<Operand> &children) {
  const std::size_t most = std::min<std::size_t>(
      options.limits.maxNodes, std::numeric_limits<std::uint32_t>::max());
  if (tree.nodes.size() >= most || tree.childIndices.size() / 2 >= most)
    return tooMany(most, "nodes");
  std::uint32_t depth = 0;
  // Indices become pointers when all are there.
  node.index = children.empty()
                   ? node.index
                   : static_cast<std::uint32_t>(tree.childIndices.size());
  for (const Operand &child : children) {
    depth = std::max(depth, depths[child.node] + 1);
    tree.childIndices.push_back(child.node);
    tree.keywords.push_back(child.keyword);
  }
  if (depth > options.limits.maxDepth)
    return tooMany(options.limits.maxDepth, "nested operations");
  node.children = {nullptr, children.size()};
  tree.nodes.push_back(node);
  depths.push_back(depth);
  return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

Status InfixParser::push(const InfixNode &node, SourceRange range) {
  return pushCall(node, {}, range);
}

Status InfixParser::pushCall(InfixNode node,
                             const std::vector<Operand> &children,
                             SourceRange range) {
  auto added = add(node, children);
  if (!added)
    return added.error();
  stack.push_back({*added, range});
  return {};
}

Status InfixParser::literal() {
  if (++literals > options.limits.maxLiterals)
    return tooMany(options.limits.maxLiterals, "literals");
  const InfixKind kind = token.kind == Kind::Integer ? InfixKind::Integer
                         : token.kind == Kind::Float ? InfixKind::Float
                         : token.kind == Kind::Bool  ? InfixKind::Bool
                                                     : InfixKind::None;
  if (auto status = push({.kind = kind,
                          .integer = token.integer,
                          .isUnsigned = token.isUnsigned,
                          .number = token.number,
                          .range = token.range,
                          .token = token.range},
                         token.range);
      !status)
    return status;
  wantsOperand = false;
  return advance();
}

/// A name that stands for an operand that is met for the first time.
Status InfixParser::addOperand(const InfixToken &word) {
  auto index = static_cast<std::uint32_t>(tree.operands.size());
  if (!given.empty()) {
    const auto place = given.find(word.text);
    if (place == given.end())
      return fault(ErrorCode::UnknownOperator,
                   concat("no operand is called ", quote(word.text)),
                   word.range);
    index = place->second;
  } else {
    if (index >= options.limits.maxOperands)
      return tooMany(options.limits.maxOperands, "operands");
    tree.operands.emplace_back(word.text);
  }
  auto added = add({.kind = InfixKind::Operand,
                    .index = index,
                    .name = word.text,
                    .range = word.range,
                    .token = word.range},
                   {});
  if (!added)
    return added.error();
  named[word.text] = *added;
  return {};
}

/// Pushes what a name without arguments means.
Status InfixParser::lookUp(const InfixToken &word) {
  const auto push = [&](std::uint32_t node) {
    stack.push_back({node, word.range});
    return Status();
  };
  if (auto known = named.find(word.text); known != named.end())
    return push(known->second);
  const NameKind kind = given.contains(word.text) || !options.kindOf
                            ? NameKind::Free
                            : options.kindOf(word.text);
  if (kind == NameKind::Function)
    return fault(ErrorCode::InvalidSyntax,
                 concat(quote(word.text), " is a function: write ", word.text,
                        "(...); an operand of that name must be announced"),
                 word.range);
  if (kind == NameKind::Constant)
    return this->push({.kind = InfixKind::Constant,
                       .name = word.text,
                       .range = word.range,
                       .token = word.range},
                      word.range);
  if (auto status = addOperand(word); !status)
    return status;
  return push(named[word.text]);
}

/// A name, with the argument list that it may begin, or a keyword of one.
Status InfixParser::name() {
  const InfixToken word = token;
  if (auto status = advance(); !status)
    return status;
  if (token.is("(")) {
    if (pending.size() >= options.limits.maxDepth)
      return tooMany(options.limits.maxDepth, "nested operations");
    pending.push_back(
        {.what = What::Call, .token = word, .base = stack.size()});
    ++brackets;
    return advance();
  }
  if (token.is("=") && !pending.empty() && pending.back().what == What::Call &&
      pending.back().keyword.empty()) {
    pending.back().keyword = word.text;
    return advance();
  }
  if (auto status = lookUp(word); !status)
    return status;
  wantsOperand = false;
  return {};
}

/// An operator before its operand, or an opening bracket.
Status InfixParser::operandMark() {
  const bool isParen = token.is("(");
  const auto op = findInfixOperator(token, true);
  if (pending.size() >= options.limits.maxDepth)
    return tooMany(options.limits.maxDepth, "nested operations");
  if (op) {
    if (op == InfixOperator::Not && !pending.empty() &&
        pending.back().what == What::Operator &&
        pending.back().precedence() > infoOf(*op).precedence)
      return invalid(concat("'not' binds less tightly than ",
                            quote(spellingOf(pending.back().op)),
                            " before it: put it into brackets"));
    pending.push_back({.what = What::Operator, .op = *op, .token = token});
    return advance();
  }
  if (!isParen && !token.is("["))
    return invalid(concat("expected an operand before ", described()));
  pending.push_back({.what = isParen ? What::Paren : What::List,
                     .token = token,
                     .base = stack.size()});
  ++brackets;
  return advance();
}

Status InfixParser::operand() {
  switch (token.kind) {
  case Kind::Name:
    return name();
  case Kind::Integer:
  case Kind::Float:
  case Kind::Bool:
  case Kind::None:
    return literal();
  default:
    break;
  }
  const bool isEnd = token.is(")") || token.is("]");
  if (isEnd && !pending.empty() && isBracket(pending.back()) &&
      pending.back().keyword.empty() &&
      (pending.back().hasComma || stack.size() == pending.back().base))
    return close();
  return operandMark();
}

/// Makes a node of the innermost operator.
Status InfixParser::apply() {
  const Pending entry = pending.back();
  pending.pop_back();
  const Operand last = stack.back();
  stack.pop_back();
  InfixNode node{
      .kind = InfixKind::Operator, .op = entry.op, .token = entry.token.range};
  const SourceRange whole = {entry.what == What::Operator && isPrefix(entry.op)
                                 ? entry.token.range.begin
                                 : entry.left.range.begin,
                             last.range.end};
  node.range = whole;
  if (entry.what == What::Else) {
    node.kind = InfixKind::Conditional;
    return pushCall(node, {*entry.before, entry.left, last}, whole);
  }
  if (isPrefix(entry.op))
    return pushCall(node, {last}, whole);
  if (!entry.before)
    return pushCall(node, {entry.left, last}, whole);
  auto compared = add(node, {entry.left, last});
  if (!compared)
    return compared.error();
  const SourceRange chain = {entry.before->range.begin, last.range.end};
  node.op = InfixOperator::And;
  node.range = chain;
  return pushCall(node, {*entry.before, {*compared, whole}}, chain);
}

/// Makes nodes of all operators that bind tighter than what comes.
Status InfixParser::reduce(int precedence, bool isRightAssociative) {
  while (!pending.empty()) {
    const int before = pending.back().precedence();
    if (before < precedence + isRightAssociative || before == 0)
      break;
    if (auto status = apply(); !status)
      return status;
  }
  return {};
}

Status InfixParser::binary(InfixOperator op) {
  const int precedence = infoOf(op).precedence;
  std::optional<Operand> chain;
  Operand left;
  // Operators that bind as tightly are reduced too, but for a power, and a
  // comparison, whose right side is the left one of the next.
  if (precedence == Comparisons) {
    if (auto status = reduce(precedence, true); !status)
      return status;
    left = stack.back();
    if (!pending.empty() && pending.back().what == What::Operator &&
        pending.back().precedence() == Comparisons) {
      if (auto status = apply(); !status)
        return status;
      chain = stack.back();
    }
  } else {
    if (auto status = reduce(precedence, op == InfixOperator::Power); !status)
      return status;
    left = stack.back();
  }
  stack.pop_back();
  if (pending.size() >= options.limits.maxDepth)
    return tooMany(options.limits.maxDepth, "nested operations");
  pending.push_back({.what = What::Operator,
                     .op = op,
                     .token = token,
                     .left = left,
                     .before = chain});
  wantsOperand = true;
  return advance();
}

/// `if` after a value.
Status InfixParser::conditional() {
  if (auto status = reduce(Conditionals, true); !status)
    return status;
  if (!pending.empty() && pending.back().what == What::If)
    return invalid("'if' within the condition of another: put it into "
                   "brackets");
  if (pending.size() >= options.limits.maxDepth)
    return tooMany(options.limits.maxDepth, "nested operations");
  pending.push_back({.what = What::If, .token = token, .left = stack.back()});
  stack.pop_back();
  wantsOperand = true;
  return advance();
}

/// `else` after a condition.
Status InfixParser::otherwise() {
  if (auto status = reduce(Conditionals); !status)
    return status;
  if (pending.empty() || pending.back().what != What::If)
    return invalid("'else' without an 'if' before it");
  pending.back().what = What::Else;
  pending.back().before = stack.back();
  stack.pop_back();
  wantsOperand = true;
  return advance();
}

/// Ends an argument, an element, or what stands in brackets.
Status InfixParser::endItem() {
  if (auto status = reduce(0); !status)
    return status;
  if (pending.empty())
    return {};
  Pending &entry = pending.back();
  if (entry.what == What::If)
    return fault(ErrorCode::InvalidSyntax, "'if' without an 'else' after it",
                 entry.token.range);
  stack.back().keyword = entry.keyword;
  entry.keyword = {};
  return {};
}

Status InfixParser::comma() {
  if (auto status = endItem(); !status)
    return status;
  if (!pending.empty())
    pending.back().hasComma = true;
  wantsOperand = true;
  return advance();
}

Status InfixParser::close() {
  if (!wantsOperand)
    if (auto status = endItem(); !status)
      return status;
  const bool isParen = token.is(")");
  if (pending.empty() || (pending.back().what == What::List) == isParen)
    return invalid(concat("nothing before ", described(), " opens it"));
  const Pending entry = pending.back();
  pending.pop_back();
  --brackets;
  const std::vector<Operand> items(stack.begin() + entry.base, stack.end());
  const SourceRange whole = {entry.token.range.begin, token.range.end};
  stack.resize(entry.base);
  Status status;
  if (entry.what == What::Paren && items.size() == 1 && !entry.hasComma)
    stack.push_back({items[0].node, whole});
  else if (entry.what == What::Call)
    status = pushCall({.kind = InfixKind::Call,
                       .name = entry.token.text,
                       .range = whole,
                       .token = entry.token.range},
                      items, whole);
  else
    status = pushCall({.kind = InfixKind::List, .range = whole, .token = whole},
                      items, whole);
  wantsOperand = false;
  return status ? advance() : status;
}

/// What may stand after a value.
Status InfixParser::afterValue(bool &isOver) {
  if (const auto op = findInfixOperator(token, false))
    return binary(*op);
  if (token.is("if"))
    return conditional();
  if (token.is("else"))
    return otherwise();
  if (token.is(")") || token.is("]"))
    return close();
  if (token.is(",") && brackets > 0)
    return comma();
  if (token.is("["))
    return fault(ErrorCode::Unsupported, "indices are refused", token.range);
  if (token.is("("))
    return invalid("only a name can be called");
  if (brackets == 0) {
    isOver = true;
    return {};
  }
  if (token.kind != Kind::End)
    return invalid(concat("expected an operator before ", described()));
  const auto open =
      std::find_if(pending.rbegin(), pending.rend(),
                   [this](const Pending &entry) { return isBracket(entry); });
  return fault(ErrorCode::InvalidSyntax, "a bracket that nothing closes",
               open->token.range);
}

/// A value up to what no value goes on with, outside of all brackets.
Status InfixParser::value() {
  wantsOperand = true;
  for (bool isOver = false; !isOver;)
    if (auto status = wantsOperand ? operand() : afterValue(isOver); !status)
      return status;
  return endItem();
}
