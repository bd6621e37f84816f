//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Parser.h"

#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <optional>
#include <utility>

using namespace kexpr;
using namespace kexpr::syntax;

static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' ||
         c == '\f';
}
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/// What may stand inside a word: a name or a number.
static bool isWordPart(char c) { return isLetter(c) || isDigit(c) || c == '.'; }

/// A character in an error message.
static std::string quoted(char c) {
  if (c > ' ' && c < 0x7f)
    return concat('\'', c, '\'');
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return concat("byte 0x", digits[byte >> 4], digits[byte & 15]);
}

namespace {
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Expected<std::vector<Token>> run();

private:
  bool at(bool (*predicate)(char)) const {
    return position < text.size() && predicate(text[position]);
  }
  bool accept(char c) {
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  void skip(bool (*predicate)(char)) {
    while (at(predicate))
      ++position;
  }
  Expected<TokenKind> token();
  Expected<TokenKind> index(TokenKind kind);
  Expected<TokenKind> number();
  Expected<TokenKind> name();
  std::optional<TokenKind> numberPart();
  Error fault(std::string message) const {
    return {ErrorCode::InvalidSyntax,
            std::move(message),
            std::string(text),
            {start, std::max(position, start + 1)}};
  }

  std::string_view text;
  std::size_t start = 0;
  std::size_t position = 0;
};
} // namespace

/// The digits after `@` or `%`.
Expected<TokenKind> Lexer::index(TokenKind kind) {
  skip(isDigit);
  if (position == start + 1)
    return fault(kind == TokenKind::Operand
                     ? "expected an operand index after '@'"
                     : "expected the number of a value after '%'");
  if (at(isWordPart)) {
    skip(isWordPart);
    return fault(concat(quote(text.substr(start, position - start)), " is no ",
                        nameOf(kind), "; an index is decimal digits"));
  }
  return kind;
}

/// One real number without its sign: digits with or without a point and an
/// exponent, or inf, or nan in either spelling.
std::optional<TokenKind> Lexer::numberPart() {
  for (std::string_view word : {"inf", "nan.0", "nan"})
    if (text.substr(position, word.size()) == word) {
      position += word.size();
      return TokenKind::Float;
    }
  const std::size_t first = position;
  skip(isDigit);
  std::size_t digits = position - first;
  bool real = false;
  if (accept('.')) {
    real = true;
    const std::size_t point = position;
    skip(isDigit);
    digits += position - point;
  }
  if (digits == 0)
    return std::nullopt;
  if (accept('e') || accept('E')) {
    real = true;
    if (!accept('+'))
      accept('-');
    const std::size_t exponent = position;
    skip(isDigit);
    if (position == exponent)
      return std::nullopt;
  }
  return real ? TokenKind::Float : TokenKind::Integer;
}

Expected<TokenKind> Lexer::number() {
  if (!accept('-'))
    accept('+');
  auto kind = numberPart();
  // The imaginary part of a complex literal always has its own sign.
  if (kind && position < text.size() &&
      (text[position] == '+' || text[position] == '-')) {
    ++position;
    kind = numberPart() && accept('j') ? std::optional(TokenKind::Complex)
                                       : std::nullopt;
  } else if (kind && accept('j')) {
    kind = TokenKind::Complex;
  }
  if (!kind || at(isWordPart)) {
    skip(isWordPart);
    return fault(quote(text.substr(start, position - start)) + " is no number");
  }
  return *kind;
}

Expected<TokenKind> Lexer::name() {
  skip(isWordPart);
  const std::string_view word = text.substr(start, position - start);
  if (word == "True" || word == "False")
    return TokenKind::Bool;
  if (word == "None")
    return TokenKind::None;
  if (word == "inf" || word == "nan" || word == "nan.0") {
    position = start;
    return number();
  }
  return TokenKind::Name;
}

Expected<TokenKind> Lexer::token() {
  const char c = text[position];
  if (isLetter(c))
    return name();
  if (isDigit(c) || c == '-' || c == '+' || c == '.')
    return number();
  ++position;
  if (c == '@')
    return index(TokenKind::Operand);
  constexpr std::string_view marks = "()[],%=;"; // in the order of their kinds
  const std::size_t mark = marks.find(c);
  if (mark == std::string_view::npos)
    return fault(concat("unexpected ", quoted(c)));
  const auto kind =
      static_cast<TokenKind>(static_cast<int>(TokenKind::LeftParen) + mark);
  return kind == TokenKind::Value ? index(kind) : kind;
}

Expected<std::vector<Token>> Lexer::run() {
  std::vector<Token> tokens;
  tokens.reserve(std::min<std::size_t>(text.size(), 16));
  for (skip(isBlank); position < text.size(); skip(isBlank)) {
    start = position;
    auto kind = token();
    if (!kind)
      return kind.error();
    tokens.push_back(
        {*kind, text.substr(start, position - start), {start, position}});
  }
  return tokens;
}

Expected<std::vector<Token>> syntax::lex(std::string_view text) {
  return Lexer(text).run();
}
