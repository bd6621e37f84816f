//===- KuiperInfer/Tokens.h - The parser's answers from ours --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tokens and nodes of the framework's parser, made from `kexpr::Expression`.
/// The framework's headers are those of whichever version is built.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_TOKENS_H
#define KEXPR_KUIPERINFER_TOKENS_H

#include "Blanks.h"

#include "parser/parse_expression.hpp"

#include <glog/logging.h>
#include <kexpr/Expression.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::kuiper {

using kuiper_infer::TokenNode;
using kuiper_infer::TokenType;

/// An operator that a token and a node can stand for.
struct Function {
  std::string_view name;
  std::size_t arity;
  TokenType type;
};
using Functions = Span<const Function>;

inline const Function *find(Functions functions, std::string_view name) {
  const auto found = std::find_if(
      functions.begin(), functions.end(),
      [name](const Function &function) { return function.name == name; });
  return found == functions.end() ? nullptr : found;
}

/// What a token is to the framework: TokenUnknown where it has no word for it.
inline TokenType typeOf(const Token &token, Functions functions) {
  switch (token.kind) {
  case TokenKind::Operand:
    return TokenType::TokenInputNumber;
  case TokenKind::Comma:
    return TokenType::TokenComma;
  case TokenKind::LeftParen:
    return TokenType::TokenLeftBracket;
  case TokenKind::RightParen:
    return TokenType::TokenRightBracket;
  default:
    const Function *function = find(functions, token.text);
    return function ? function->type : TokenType::TokenUnknown;
  }
}

/// The expression, or nothing and a line in the log.
inline std::optional<Expression> parse(const std::string &statement) {
  auto parsed = Expression::parse(statement);
  if (!parsed) {
    LOG(ERROR) << "expression parser: " << parsed.error().render();
    return std::nullopt;
  }
  return *parsed;
}

/// What `ExpressionParser::Tokenizer` does, on its members. A text that is no
/// expression has no tokens.
inline void tokenize(std::string &statement,
                     std::vector<kuiper_infer::Token> &tokens,
                     std::vector<std::string> &strings, Functions functions) {
  tokens.clear();
  strings.clear();
  statement = withoutBlanks(std::move(statement));
  const auto expression = parse(statement);
  if (!expression)
    return;
  for (const Token &token : expression->tokens()) {
    tokens.emplace_back(typeOf(token, functions),
                        static_cast<std::int32_t>(token.range.begin),
                        static_cast<std::int32_t>(token.range.end));
    strings.emplace_back(token.text);
  }
}

/// A node's number in the framework, or nothing for one that it cannot hold.
inline std::optional<std::int32_t> numberOf(const Node &node,
                                            Functions functions) {
  if (node.kind == NodeKind::Operand)
    return static_cast<std::int32_t>(node.index);
  const Function *function =
      node.kind == NodeKind::Call ? find(functions, node.name) : nullptr;
  if (!function || function->arity != node.children.size())
    return std::nullopt;
  return static_cast<std::int32_t>(function->type);
}

using Nodes = std::vector<std::shared_ptr<TokenNode>>;

/// The framework's nodes in post-order; none, and a line in the log, where one
/// of them is nothing that a TokenNode can hold.
inline Nodes nodesOf(const Expression &expression, Functions functions) {
  Nodes nodes;
  for (const Node &node : expression.nodes()) {
    const auto number = numberOf(node, functions);
    if (!number) {
      LOG(ERROR) << "expression parser: a tree of "
                 << expression.text().substr(node.range.begin,
                                             node.range.end - node.range.begin)
                 << " is more than a TokenNode can hold";
      return {};
    }
    const auto child = [&](std::size_t i) {
      return i < node.children.size() ? nodes[node.children[i]] : nullptr;
    };
    nodes.push_back(std::make_shared<TokenNode>(*number, child(0), child(1)));
  }
  return nodes;
}

/// What `ExpressionParser::Generate` gives for a statement without blanks.
inline Nodes generate(const std::string &statement, Functions functions) {
  const auto expression = parse(statement);
  return expression ? nodesOf(*expression, functions) : Nodes();
}

/// What `ExpressionParser::Generate_` gives: the tree of the part that begins
/// with token `index`, which becomes that of its last token. Null, and a line
/// in the log, where there is none.
inline std::shared_ptr<TokenNode> generateAt(const std::string &statement,
                                             std::int32_t &index,
                                             Functions functions) {
  const auto expression = parse(statement);
  if (!expression)
    return nullptr;
  const auto tokens = expression->tokens();
  const auto at = static_cast<std::size_t>(index); // huge if it is negative
  const auto nodes = nodesOf(*expression, functions);
  for (std::size_t i = 0; i < nodes.size() && at < tokens.size(); ++i) {
    const SourceRange range = expression->nodes()[i].range;
    if (range.begin != tokens[at].range.begin)
      continue;
    while (tokens[index].range.end < range.end)
      ++index;
    return nodes[i];
  }
  LOG(ERROR) << "expression parser: no part begins with token " << index;
  return nullptr;
}

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_TOKENS_H
