//===- Syntax/Infix.h - Infix text to a program ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Text in Python's notation to a graph without types. The grammar, with
/// Python's precedence, is
///
///   text      = { [ statement ] ( ";" | newline ) } outputs
///   statement = name ( "=" | "+=" | ... ) value
///   outputs   = value { "," value } | "[" values "]" | "(" values ")"
///   value     = value "if" value "else" value | value operator value
///             | operator value | "(" value ")" | name | literal
///             | name "(" { [ name "=" ] value } ")" | "[" values "]"
///
/// Syntax knows no function: whoever calls says what a name is.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_INFIX_H
#define KEXPR_SYNTAX_INFIX_H

#include "kexpr/Expression.h"

#include <span>
#include <string>
#include <vector>

namespace kexpr::syntax {

/// Python's operators.
enum class InfixOperator : std::uint8_t {
  Or,
  And,
  Not,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  BitOr,
  BitXor,
  BitAnd,
  ShiftLeft,
  ShiftRight,
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Remainder,
  Positive,
  Negative,
  Invert,
  Power,
};

/// As Python spells it.
std::string_view spellingOf(InfixOperator op);

enum class InfixKind : std::uint8_t {
  Operand,  ///< `index` says which.
  Constant, ///< `name`, as `pi`.
  Integer,
  Float,
  Bool,
  None,
  Operator,    ///< `op` over one or two children.
  Conditional, ///< Condition, value if it is true, value if not.
  Call,        ///< `name` over children, of which some have keywords.
  List,        ///< Outputs, or axes; also a tuple.
};

struct InfixNode {
  InfixKind kind = InfixKind::None;
  InfixOperator op = InfixOperator::Or;
  std::uint32_t index = 0;
  std::int64_t integer = 0; ///< Also of a Bool.
  bool isUnsigned = false;  ///< An integer from 2^63 on, whose bits these are.
  double number = 0;        ///< Of an Integer and a Float.
  std::string_view name = {};
  Span<const std::uint32_t> children = {};
  /// By child of a call: the keyword, or empty.
  Span<const std::string_view> keywords = {};
  /// All of its text, but for brackets around it.
  SourceRange range = {};
  /// The operator's or function's own text.
  SourceRange token = {};
};

/// A text that was read. Names point into `text`, children into
/// `childIndices`; the object never moves once it is filled. A value that was
/// given a name may be the child of several nodes.
struct InfixTree {
  std::string text;
  std::vector<InfixNode> nodes; ///< Children first.
  std::vector<std::uint32_t> childIndices;
  std::vector<std::string_view> keywords; ///< In step with `childIndices`.
  std::vector<std::string> operands;      ///< Their names.
  std::vector<std::uint32_t> outputs;     ///< Nodes.
  /// Whether outputs were written as more than a value: `[x]`, `x, y`.
  bool isList = false;
};

/// What a name without an argument list means.
enum class NameKind : std::uint8_t {
  Free,     ///< An operand.
  Constant, ///< `pi`.
  Function, ///< An error: it wants arguments.
};

struct InfixReading {
  ParseLimits limits = {};
  /// The operands, `@0` first; empty: those of the text as they appear.
  std::span<const std::string> operands = {};
  /// Asked for names that are not among `operands`.
  NameKind (*kindOf)(std::string_view name) = nullptr;
};

/// Whether `name` may be that of an operand.
bool isInfixName(std::string_view name);

/// Fills `tree`. Errors: InvalidSyntax, Unsupported for what Python has and
/// this grammar has not, UnknownOperator for a name that `operands` lacks,
/// LimitExceeded.
Status parseInfix(std::string_view text, const InfixReading &options,
                  InfixTree &tree);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_INFIX_H
