//===- kexpr/Expression.h - A parsed expression -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_EXPRESSION_H
#define KEXPR_EXPRESSION_H

#include "kexpr/Error.h"
#include "kexpr/Span.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kexpr {
inline namespace v2 {

enum class TokenKind : std::uint8_t {
  Operand,      ///< `@3`
  Integer,      ///< `2`, `-3`
  Float,        ///< `0.5`, `1.000000e-6`, `inf`, `-inf`, `nan`, `nan.0`
  Complex,      ///< `1.000000e+00+2.000000e+00j`
  Bool,         ///< `True`, `False`
  None,         ///< `None`
  Name,         ///< `add`, `torch.float`
  LeftParen,    ///< `(`
  RightParen,   ///< `)`
  LeftBracket,  ///< `[`
  RightBracket, ///< `]`
  Comma,        ///< `,`
  Value,        ///< `%3`
  Equals,       ///< `=`
  Semicolon,    ///< `;`
};

/// "operand", "left parenthesis"...
KEXPR_API std::string_view nameOf(TokenKind kind);

/// One token, and its range in the text as it was given, white space counted.
struct Token {
  TokenKind kind;
  std::string_view text;
  SourceRange range;
};

enum class NodeKind : std::uint8_t {
  Operand, ///< `index` says which.
  Integer, ///< `integer` and `number` hold it.
  Float,   ///< `number` holds it.
  Complex, ///< `number` and `imaginary`.
  Bool,    ///< `integer` is 0 or 1.
  None,
  Word,     ///< A name without arguments, such as a rounding mode: `name`.
  Call,     ///< `name` and `children`.
  List,     ///< `children`.
  Unsigned, ///< An integer from 2^63 on, of which `integer` has the bits.
};

KEXPR_API std::string_view nameOf(NodeKind kind);

/// One node of the tree, or of the graph that a listing is, in which a node may
/// be the child of several. Children stand before parents, the root last; nodes
/// of a tree stand in post-order.
struct Node {
  NodeKind kind = NodeKind::None;
  std::uint32_t index = 0;
  std::int64_t integer = 0;
  double number = 0;
  double imaginary = 0;
  std::string_view name = {};
  /// Positions of the children in `Expression::nodes()`, left to right.
  Span<const std::uint32_t> children = {};
  /// From the first byte of the node's own text to the last of its last part.
  SourceRange range = {};
};

/// One entry of the reverse Polish order of a tree. A stack machine that pushes
/// operands and literals and, at an operator or list, pops `arity` values and
/// pushes one, ends with exactly one value.
struct RpnEntry {
  NodeKind kind;
  std::uint32_t node;  ///< Position in `Expression::nodes()`.
  std::uint32_t arity; ///< 0 for operands and literals.
};

/// Limits of a text, which is refused past any of them. The length is checked
/// first; reading takes time and memory in proportion to it.
struct ParseLimits {
  std::size_t maxLength = 1 << 20;   ///< Bytes of text.
  std::size_t maxDepth = 4096;       ///< Nested calls and lists.
  std::size_t maxNodes = 1 << 16;    ///< Nodes of the tree.
  std::size_t maxOperands = 1 << 16; ///< Highest operand index + 1.
  std::size_t maxLiterals = 1 << 15; ///< Numbers, bools and Nones.
};

namespace detail {
struct ExpressionData;
}

/// A text that was parsed once: its tokens, tree, reverse Polish order and
/// canonical spelling. Immutable, cheap to copy, usable from any thread. What
/// it hands out lives as long as any copy of it.
///
/// A text may be a listing, which names values that are used more than once:
/// `%0 = mul(@0,@1); add(%0,%0)`. Names are %0, %1... in order, each defined
/// before it is used, used at least once, and never a list. `ExpressionBuilder`
/// makes one from a graph.
class KEXPR_API Expression {
public:
  /// Reads the call grammar `name(arg,...)`, and listings of it, strictly; only
  /// text that PNNX itself wrote wrong (`expm1,@0`, `add(@0,,mul(@1,2))`) is
  /// read as the prefix notation that PNNX means. A word that is no operator is
  /// legal here and refused when compiled. Errors: InvalidSyntax,
  /// LimitExceeded, OutOfMemory. All have their range in `text` but
  /// OutOfMemory, and that of a text past `maxLength`, which is not copied.
  static Expected<Expression> parse(std::string_view text,
                                    const ParseLimits &limits = {});

  /// The text as it was given.
  std::string_view text() const;
  Span<const Token> tokens() const;
  /// The tree, or the graph of a listing; the root is the last one.
  Span<const Node> nodes() const;
  const Node &root() const;
  /// Empty for a listing: a stack has each value once.
  Span<const RpnEntry> rpn() const;
  /// The call form without blanks, every literal in its shortest spelling that
  /// reads back to the same value; a listing where calls repeat. Integer and
  /// floating literals stay apart. Two texts that mean the same graph have one.
  const std::string &canonical() const;
  /// Highest operand index + 1: how many inputs a call must have. Those that
  /// the text does not name may be empty views and are never read.
  std::uint32_t operandCount() const;
  /// The operand indices that the text names, ascending, each once.
  Span<const std::uint32_t> usedOperands() const;
  /// The tightest limits that the text would be parsed with.
  const ParseLimits &tightestLimits() const;

private:
  explicit Expression(std::shared_ptr<const detail::ExpressionData> parsed)
      : data(std::move(parsed)) {}
  std::shared_ptr<const detail::ExpressionData> data;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_EXPRESSION_H
