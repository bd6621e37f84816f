//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Quote.h"
#include "Support/Text.h"
#include "Syntax/Tree.h"

using namespace kexpr;
using namespace kexpr::syntax;

namespace {
/// An explicit stack in place of recursion: nesting is the caller's to choose.
class CallReader {
public:
  CallReader(std::string_view text, Span<const Token> tokens, TreeBuilder &tree)
      : text(text), tokens(tokens), tree(tree) {}
  Status run();

private:
  Status value();
  Status whole();
  Status definition();
  Status rest();
  Status argument();

  bool at(TokenKind kind) const {
    return next < tokens.size() && tokens[next].kind == kind;
  }
  bool atValue() const {
    return next < tokens.size() &&
           (tokens[next].kind <= TokenKind::Name ||
            at(TokenKind::LeftBracket) || at(TokenKind::Value));
  }
  std::string found() const {
    return next < tokens.size() ? "found " + quote(tokens[next].text)
                                : "found the end of the text";
  }
  Error fault(std::string message) const {
    const SourceRange range = next < tokens.size()
                                  ? tokens[next].range
                                  : SourceRange{text.size(), text.size()};
    return {ErrorCode::InvalidSyntax, std::move(message), std::string(text),
            range};
  }

  std::string_view text;
  Span<const Token> tokens;
  TreeBuilder &tree;
  std::size_t next = 0;
  bool opened = false; ///< The last token opened a call or a list.
};
} // namespace

/// A leaf, or the opening of a call or list.
Status CallReader::value() {
  if (!atValue())
    return fault(concat("expected an operand, a literal or a call, ", found()));
  const Token &token = tokens[next++];
  const bool call = token.kind == TokenKind::Name && at(TokenKind::LeftParen);
  opened = call || token.kind == TokenKind::LeftBracket;
  next += call;
  if (token.kind == TokenKind::Value)
    return tree.addNamed(token);
  return opened ? tree.open(token) : tree.addLeaf(token);
}

/// An argument or element where one is expected.
Status CallReader::argument() {
  if (!atValue() && !tree.isList())
    return fault(concat("expected argument ", tree.arguments() + 1, " of ",
                        quote(tree.name()), ", ", found()));
  return value();
}

/// What may follow a value inside a call or list.
Status CallReader::rest() {
  const TokenKind closing =
      tree.isList() ? TokenKind::RightBracket : TokenKind::RightParen;
  if (at(closing)) {
    tree.close(tokens[next++].range.end);
    return {};
  }
  if (at(TokenKind::Comma)) {
    ++next;
    return argument();
  }
  return fault(tree.isList() ? concat("expected ',' or ']' after element ",
                                      tree.arguments(), " of a list, ", found())
                             : concat("expected ',' or ')' after argument ",
                                      tree.arguments(), " of ",
                                      quote(tree.name()), ", ", found()));
}

/// A value with its arguments.
Status CallReader::whole() {
  auto status = value();
  while (status && tree.depth() > 0) {
    const bool first = opened;
    opened = false;
    // An empty list is closed by `rest`.
    const bool due = first && !(tree.isList() && at(TokenKind::RightBracket));
    status = due ? argument() : rest();
  }
  return status;
}

Status CallReader::definition() {
  const Token &name = tokens[next];
  if (name.text != concat('%', tree.names()))
    return fault(
        concat("expected the definition of %", tree.names(), ", ", found()));
  next += 2;
  auto status = whole();
  if (status && !at(TokenKind::Semicolon))
    return fault(
        concat("expected ';' after the value of ", name.text, ", ", found()));
  ++next;
  return status ? tree.define(name) : status;
}

Status CallReader::run() {
  while (at(TokenKind::Value) && next + 1 < tokens.size() &&
         tokens[next + 1].kind == TokenKind::Equals)
    if (auto status = definition(); !status)
      return status;
  auto status = whole();
  if (!status || next == tokens.size())
    return status;
  return fault(
      concat("expected the end of the text after the expression, ", found()));
}

Status syntax::readCalls(std::string_view text, Span<const Token> tokens,
                         TreeBuilder &tree) {
  return CallReader(text, tokens, tree).run();
}
