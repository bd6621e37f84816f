//===- Syntax/Tree.h - A tree as it is read -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_TREE_H
#define KEXPR_SYNTAX_TREE_H

#include "Syntax/Parser.h"

#include <optional>

namespace kexpr::syntax {

/// Takes leaves, calls and lists in the order they are read and holds the tree
/// in post-order, or the graph of a listing. Both readings of the grammar build
/// with it. Limits are checked before a node is made.
class TreeBuilder {
public:
  TreeBuilder(std::string_view text, Span<const Token> tokens,
              const ParseLimits &limits);

  /// Adds what an operand, literal or name token stands for. An index or an
  /// integer that is too large is an error.
  Status addLeaf(const Token &token);
  /// Opens a call of the name in `token`, or the list that the bracket begins.
  Status open(const Token &token);
  /// Closes the innermost open call or list, whose last byte is before `end`.
  void close(std::size_t end);
  /// Adds a reference to the value that `token` names.
  Status addNamed(const Token &token);
  /// Names the value that was read last, outside of any call.
  Status define(const Token &token);

  /// Calls and lists that are open.
  std::size_t depth() const { return frames.size(); }
  bool isList() const { return frames.back().node.kind == NodeKind::List; }
  /// Arguments read so far, and the name, of the innermost open call.
  std::size_t arguments() const { return values.size() - frames.back().base; }
  std::string_view name() const { return frames.back().node.name; }

  /// Values named so far.
  std::size_t names() const { return named.size(); }

  /// Moves the finished tree to `data`. The error is a name without use.
  Status finish(detail::ExpressionData &data);

private:
  struct Frame {
    Node node;
    std::size_t base; ///< Values that stood on the stack before it.
  };
  struct Named {
    std::uint32_t node;
    SourceRange range; ///< Of the definition's name.
    std::size_t depth; ///< Calls in the value.
    /// A value that is no call, instead of the node: it is copied to its uses.
    std::optional<Node> leaf = {};
    bool isUsed = false;
  };
  Error fault(ErrorCode code, std::string message, SourceRange range) const {
    return {code, std::move(message), std::string(text), range};
  }
  void push(const Node &node);
  Status readLeaf(const Token &token, Node &node) const;
  Status readOperand(const Token &token, Node &node) const;
  Status readInteger(const Token &token, Node &node) const;
  Status checkNode(const Token &token, bool isLiteral);
  Status checkLimit(std::size_t count, std::size_t limit, const char *what,
                    const Token &token) const;

  std::string_view text;
  const ParseLimits &limits;
  std::vector<Frame> frames;
  std::vector<std::uint32_t> values; ///< Finished nodes without a parent yet.
  std::vector<Node> nodes;
  /// Never reallocated: nodes point into it.
  std::vector<std::uint32_t> childIndices;
  std::vector<Named> named;
  std::size_t literals = 0;
  std::size_t references = 0; ///< To calls that have names.
  std::size_t deepest = 0;    ///< Nested calls since the last definition.
};

/// Reads the call grammar. An error says where the text first leaves it.
Status readCalls(std::string_view text, Span<const Token> tokens,
                 TreeBuilder &tree);

/// Whether the tokens leave the call grammar only by faults of PNNX's own, as
/// far as brackets and commas show it.
bool hasOnlyPnnxFaults(Span<const Token> tokens);

/// Reads prefix notation; false unless it is complete and uses every token.
bool readPrefix(Span<const Token> tokens, ArityFn arityOf, TreeBuilder &tree);

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_TREE_H
