//===- Syntax/InfixLexer.h - Words and marks of infix text ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_INFIXLEXER_H
#define KEXPR_SYNTAX_INFIXLEXER_H

#include "Syntax/Infix.h"

namespace kexpr::syntax {

enum class InfixTokenKind : std::uint8_t {
  End,
  Newline,
  Name,
  Integer,
  Float,
  Bool,
  None,
  Mark, ///< An operator or a bracket: its text says which.
  Word, ///< `and`, `or`, `not`, `if`, `else`.
};

struct InfixToken {
  InfixTokenKind kind = InfixTokenKind::End;
  std::string_view text = {};
  SourceRange range = {};
  std::int64_t integer = 0; ///< Also of a Bool.
  bool isUnsigned = false;  ///< An integer from 2^63 on, whose bits these are.
  double number = 0;

  /// Whether it is that operator, bracket or word.
  bool is(std::string_view spelling) const {
    return (kind == InfixTokenKind::Mark || kind == InfixTokenKind::Word) &&
           text == spelling;
  }
};

/// Gives one token after another. Copies go on from the same place.
class InfixLexer {
public:
  explicit InfixLexer(std::string_view text) : text(text) {}

  /// The next one; white space and comments are skipped, newlines too where
  /// `isInBrackets`.
  Expected<InfixToken> next(bool isInBrackets);

private:
  Status skipBlanks(bool isInBrackets);
  Expected<InfixToken> name();
  Expected<InfixToken> number();
  Expected<InfixToken> based(int base);
  Expected<InfixToken> mark();
  std::size_t digits(std::string_view of);
  std::size_t letter() const;
  char at(std::size_t place) const {
    return place < text.size() ? text[place] : '\0';
  }
  InfixToken token(InfixTokenKind kind) const {
    return {kind, text.substr(start, position - start), {start, position}};
  }
  Error fault(ErrorCode code, std::string message) const;

  std::string_view text;
  std::size_t start = 0;
  std::size_t position = 0;
};

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_INFIXLEXER_H
