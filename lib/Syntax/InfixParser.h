//===- Syntax/InfixParser.h - Reads infix text ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operator precedence with stacks of its own: no recursion, whatever the text.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_INFIXPARSER_H
#define KEXPR_SYNTAX_INFIXPARSER_H

#include "Support/Text.h"
#include "Syntax/InfixLexer.h"

#include <map>
#include <optional>

namespace kexpr::syntax {

/// The operator that a token is before its operand, or between two.
std::optional<InfixOperator> findInfixOperator(const InfixToken &token,
                                               bool isFirst);

/// A value without a parent yet.
struct InfixValue {
  std::uint32_t node;
  SourceRange range; ///< With brackets around it.
  std::string_view keyword = {};
};

/// What waits for the value after it.
struct InfixPending {
  enum class What : std::uint8_t { Operator, If, Else, Paren, List, Call };
  What what;
  InfixOperator op = InfixOperator::Or;
  InfixToken token = {};
  /// Of a binary operator: what is left of it. Of `if` and `else`: the value
  /// before `if`.
  InfixValue left = {};
  /// The comparisons of a chain so far, or the condition before `else`.
  std::optional<InfixValue> before = {};
  std::size_t base = 0;          ///< Of a bracket: values that stood before it.
  std::string_view keyword = {}; ///< Of a call: that of the next argument.
  bool hasComma = false;

  /// Higher ones bind tighter; 0 is what no operator reduces.
  int precedence() const;
};

/// Reads a text, token by token.
class InfixParser {
public:
  InfixParser(const InfixReading &options, InfixTree &tree)
      : options(options), tree(tree), lexer(tree.text) {}
  Status run();

private:
  using Operand = InfixValue;
  using Pending = InfixPending;
  using What = InfixPending::What;
  using Kind = InfixTokenKind;

  Status advance();
  Status statement();
  Status assignment(bool &isOne);
  Status values();
  Status value();
  Status operand();
  Status operandMark();
  Status name();
  Status literal();
  Status afterValue(bool &isOver);
  Status binary(InfixOperator op);
  Status conditional();
  Status otherwise();
  Status comma();
  Status close();
  Status endItem();
  Status reduce(int precedence, bool isRightAssociative = false);
  Status apply();
  Status outputs();
  Status lookUp(const InfixToken &token);
  Status addOperand(const InfixToken &token);
  Status push(const InfixNode &node, SourceRange range);
  Status pushCall(InfixNode node, const std::vector<InfixValue> &children,
                  SourceRange range);
  Expected<std::uint32_t> add(InfixNode node,
                              const std::vector<InfixValue> &children);
  Error fault(ErrorCode code, std::string message, SourceRange range) const {
    return {code, std::move(message), tree.text, range};
  }
  Error invalid(std::string message) const {
    return fault(ErrorCode::InvalidSyntax, std::move(message), token.range);
  }
  Error tooMany(std::size_t limit, std::string_view what) const {
    return fault(ErrorCode::LimitExceeded,
                 concat("more than the limit of ", limit, ' ', what),
                 token.range);
  }
  bool isBracket(const InfixPending &entry) const {
    return entry.what == What::Paren || entry.what == What::List ||
           entry.what == What::Call;
  }
  std::string described() const;

  const InfixReading &options;
  InfixTree &tree;
  InfixLexer lexer;
  InfixToken token;
  std::vector<InfixValue> stack;
  std::vector<InfixPending> pending;
  std::size_t brackets = 0; ///< That are open.
  std::size_t literals = 0;
  std::vector<std::uint32_t> depths; ///< By node.
  /// What names mean: an operand's node, or a value that was assigned.
  std::map<std::string_view, std::uint32_t> named;
  /// The operands that were announced.
  std::map<std::string_view, std::uint32_t> given;
  /// The name that the statement assigns to, and the operator of `+=`.
  InfixToken target;
  std::optional<InfixOperator> update;
  bool wantsOperand = true;
  bool hasValue = false; ///< Whether the statement has begun with a value.
  bool isDone = false;   ///< Whether the outputs were read.
};

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_INFIXPARSER_H
