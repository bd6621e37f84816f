//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Tree.h"

using namespace kexpr;
using namespace kexpr::syntax;

/// Names whose brackets PNNX's folding loses because it does not know them.
static bool losesBrackets(std::string_view name) {
  return name == "expm1" || name == "log1p" || name.substr(0, 6) == "torch.";
}

/// Arities of PNNX's names that are not operators.
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

namespace {
/// What keeps two neighbouring tokens from the call grammar.
enum class Fault { None, Pnnx, Other };
} // namespace

/// The fault between `token` and `next`, which is null at the end of the text.
static Fault faultAfter(const Token &token, const Token *next, bool isInCall) {
  if (next && next->kind == TokenKind::LeftParen) // only a name is before it
    return token.kind == TokenKind::Name ? Fault::None : Fault::Other;
  const bool beforeEnd =
      !next || next->kind == TokenKind::Comma || closes(next->kind);
  if (opens(token.kind) || token.kind == TokenKind::Comma) {
    if (!beforeEnd)
      return Fault::None;
    // An empty argument, if it is one.
    return next && isInCall ? Fault::Pnnx : Fault::Other;
  }
  if (!beforeEnd)
    return Fault::Other; // two values and nothing between them
  if (token.kind != TokenKind::Name)
    return Fault::None;
  return losesBrackets(token.text) ? Fault::Pnnx : Fault::Other;
}

bool syntax::hasOnlyPnnxFaults(Span<const Token> tokens) {
  if (tokens[0].kind == TokenKind::LeftParen)
    return false;
  bool pnnxFault = false;
  std::string open; // brackets; text of usual depth needs no memory
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind >= TokenKind::Value)
      return false;
    if (opens(kind))
      open += tokens[i].text;
    if (closes(kind)) {
      if (open.empty() ||
          open.back() != (kind == TokenKind::RightParen ? '(' : '['))
        return false;
      open.pop_back();
    }
    const Token *next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
    const Fault fault = faultAfter(tokens[i], next, open.ends_with('('));
    if (fault == Fault::Other)
      return false;
    pnnxFault = pnnxFault || fault == Fault::Pnnx;
  }
  return pnnxFault && open.empty();
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
      // A list takes all remaining values, so only the root can be one.
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
