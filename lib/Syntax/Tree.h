//===- Syntax/Tree.h - A tree as it is read -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SYNTAX_TREE_H
#define KEXPR_SYNTAX_TREE_H

#include "Syntax/ExpressionData.h"

#include <optional>

namespace kexpr::syntax {

/// Takes leaves, calls and lists in the order they are read and holds the tree
/// in post-order, or the graph of a listing. Both readings of the grammar build
/// with it. Limits are checked before a node is made.
class TreeBuilder {
public:
  TreeBuilder(std::string_view text, const ParseLimits &limits)
      : text(text), limits(limits) {}

  Status addLeaf(const Token &token);
  /// Opens a call of the name in `token`, or the list that the bracket begins.
  Status open(const Token &token);
  /// Closes the innermost open call or list, whose last byte is before `end`.
  void close(std::size_t end);
  /// The value that `token` names stands here.
  Status addNamed(const Token &token);
  /// Names the value that was read, which nothing stands around.
  Status define(const Token &token);

  /// Calls and lists that are open.
  std::size_t depth() const { return frames.size(); }
  bool isList() const { return frames.back().kind == NodeKind::List; }
  /// Arguments read so far, and the name, of the innermost open call.
  std::size_t arguments() const { return values.size() - frames.back().base; }
  std::string_view name() const { return frames.back().name; }

  /// Values named so far.
  std::size_t names() const { return named.size(); }

  /// Moves the finished tree to `data`. The error is a name without use.
  Status finish(detail::ExpressionData &data);

private:
  struct Frame {
    NodeKind kind;
    std::string_view name;
    std::size_t begin; ///< In the text.
    std::size_t base;  ///< Values that stood on the stack before it.
  };
  struct Children {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t depth = 0; ///< Calls and lists in the node.
  };
  struct Named {
    std::uint32_t node;
    SourceRange range; ///< Of the definition's name.
    /// Instead of the node: what is no call stands wherever it is used.
    std::optional<Node> leaf = {};
    bool isUsed = false;
  };
  Error fault(std::string message, SourceRange range) const {
    return {ErrorCode::InvalidSyntax, std::move(message), std::string(text),
            range};
  }
  Status checkNode(const Token &token, bool isLiteral);
  Status checkLimit(std::size_t count, std::size_t limit, const char *what,
                    const Token &token) const;

  std::string_view text;
  const ParseLimits &limits;
  std::vector<Frame> frames;
  std::vector<std::uint32_t> values; ///< Finished nodes without a parent yet.
  std::vector<Node> nodes;
  std::vector<Children> children; ///< One for each node.
  std::vector<Named> named;
  std::vector<std::uint32_t> childIndices;
  std::size_t literals = 0;
  std::size_t references = 0; ///< To calls that have names.
};

} // namespace kexpr::syntax

#endif // KEXPR_SYNTAX_TREE_H
