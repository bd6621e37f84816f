//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Readings.h"

using namespace kexpr;
using namespace kexpr::syntax;

/// Names whose brackets PNNX's folding loses because it does not know them.
static bool losesBrackets(std::string_view name) {
  return name == "expm1" || name == "log1p" || name.substr(0, 6) == "torch.";
}

/// PNNX's own words that are no operators but take arguments.
static unsigned arityOfWord(std::string_view name) {
  if (name == "size")
    return 2;
  return name == "int" || name.substr(0, 6) == "torch." ? 1 : 0;
}

static bool opens(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket;
}
static bool closes(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket;
}

/// Whether brackets pair up by kind.
static bool isBalanced(Span<const Token> tokens) {
  std::vector<TokenKind> open;
  for (const Token &token : tokens) {
    if (opens(token.kind))
      open.push_back(token.kind);
    if (!closes(token.kind))
      continue;
    const TokenKind partner = token.kind == TokenKind::RightParen
                                  ? TokenKind::LeftParen
                                  : TokenKind::LeftBracket;
    if (open.empty() || open.back() != partner)
      return false;
    open.pop_back();
  }
  return open.empty();
}

bool syntax::hasOnlyPnnxFaults(Span<const Token> tokens) {
  bool pnnxFault = false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    depth += opens(kind);
    depth -= closes(kind) && depth > 0;
    const bool last = i + 1 == tokens.size();
    const TokenKind after = last ? TokenKind::Comma : tokens[i + 1].kind;
    if (kind == TokenKind::Name && !last && after == TokenKind::LeftParen)
      continue;
    // Nothing but a name stands before a parenthesis.
    if (!last && after == TokenKind::LeftParen)
      return false;
    if (opens(kind) || kind == TokenKind::Comma) {
      const bool empty = last || after == TokenKind::Comma || closes(after);
      if (empty && (last || depth == 0))
        return false;
      pnnxFault = pnnxFault || empty;
      continue;
    }
    // A value has ended: something must separate it from the next.
    if (!last && after != TokenKind::Comma && !closes(after))
      return false;
    if (kind == TokenKind::Name) {
      if (!losesBrackets(tokens[i].text))
        return false;
      pnnxFault = true;
    }
  }
  return pnnxFault && isBalanced(tokens);
}

bool syntax::readPrefix(Span<const Token> tokens, ArityFn arityOf,
                        TreeBuilder &tree) {
  std::vector<unsigned> missing; // arguments of every open call
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.kind == TokenKind::Comma || closes(token.kind) ||
        token.kind == TokenKind::LeftParen)
      continue;
    if (i > 0 && missing.empty())
      return false; // the expression had ended
    if (token.kind == TokenKind::LeftBracket) {
      // A list takes all that is left, so only the whole can be one.
      if (i > 0 || !tree.open(token))
        return false;
      missing.push_back(~0u);
      continue;
    }
    if (token.kind == TokenKind::Name) {
      const unsigned own = arityOf(token.text);
      const unsigned arity = own ? own : arityOfWord(token.text);
      if (arity == 0 || !tree.open(token))
        return false;
      missing.push_back(arity);
      continue;
    }
    if (!tree.addLeaf(token))
      return false;
    while (!missing.empty() && --missing.back() == 0) {
      tree.close(token.range.end);
      missing.pop_back();
    }
  }
  if (missing.size() == 1 && tree.isList()) {
    tree.close(tokens[tokens.size() - 1].range.end);
    return true;
  }
  return missing.empty();
}
