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

namespace {
/// The brackets that are open at a point of the text.
class Brackets {
public:
  /// False where a closing bracket has no partner of its kind.
  bool pass(TokenKind kind) {
    if (opens(kind))
      open.push_back(kind);
    if (!closes(kind))
      return true;
    const TokenKind partner = kind == TokenKind::RightParen
                                  ? TokenKind::LeftParen
                                  : TokenKind::LeftBracket;
    if (open.empty() || open.back() != partner)
      return false;
    open.pop_back();
    return true;
  }
  bool inCall() const {
    return !open.empty() && open.back() == TokenKind::LeftParen;
  }
  bool closed() const { return open.empty(); }

private:
  std::vector<TokenKind> open;
};

/// What stands between two tokens that follow each other.
enum class Joint { Sound, PnnxFault, OtherFault };
} // namespace

/// The joint after `token`; `next` is null at the end of the text.
static Joint jointOf(const Token &token, const Token *next,
                     const Brackets &brackets) {
  const bool beforeCall = next && next->kind == TokenKind::LeftParen;
  if (token.kind == TokenKind::Name && beforeCall)
    return Joint::Sound;
  if (beforeCall)
    return Joint::OtherFault; // nothing but a name may stand before it
  const bool beforeEnd =
      !next || next->kind == TokenKind::Comma || closes(next->kind);
  if (opens(token.kind) || token.kind == TokenKind::Comma) {
    if (!beforeEnd)
      return Joint::Sound;
    // An empty argument, if it is one.
    return next && brackets.inCall() ? Joint::PnnxFault : Joint::OtherFault;
  }
  if (!beforeEnd)
    return Joint::OtherFault; // two values and nothing between them
  if (token.kind != TokenKind::Name)
    return Joint::Sound;
  return losesBrackets(token.text) ? Joint::PnnxFault : Joint::OtherFault;
}

bool syntax::hasOnlyPnnxFaults(Span<const Token> tokens) {
  if (tokens[0].kind == TokenKind::LeftParen)
    return false;
  bool pnnxFault = false;
  Brackets brackets;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind >= TokenKind::Value || !brackets.pass(tokens[i].kind))
      return false;
    const Token *next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
    const Joint joint = jointOf(tokens[i], next, brackets);
    if (joint == Joint::OtherFault)
      return false;
    pnnxFault = pnnxFault || joint == Joint::PnnxFault;
  }
  return pnnxFault && brackets.closed();
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
