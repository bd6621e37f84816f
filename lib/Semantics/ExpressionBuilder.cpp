//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/ExpressionBuilder.h"

#include "Ops/Table.h"
#include "Semantics/Promotion.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"
#include "Support/Quote.h"
#include "Support/Text.h"
#include "Syntax/Parser.h"
#include "Syntax/Printer.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

using namespace kexpr;

/// The arguments of a name in PNNX's prefix notation, 0 for an unknown one.
static unsigned arityOf(std::string_view name) {
  return semantics::castType(name) ? 1 : ops::arityOfName(name);
}

Expected<Expression> Expression::parse(std::string_view text,
                                       const ParseLimits &limits) {
  return guarded([&]() -> Expected<Expression> {
    const DefaultFloats floats;
    auto parsed = syntax::parse(text, limits, arityOf);
    if (!parsed)
      return parsed.error();
    return Expression(std::move(*parsed));
  });
}

/// The nodes of a builder; the printer merges equal ones.
struct ExpressionBuilder::State {
  ParseLimits limits;
  /// Of calls and lists, `index` says where children begin.
  std::vector<Node> nodes;
  std::vector<std::uint32_t> children;
  std::set<std::string, std::less<>> names; ///< With stable addresses.

  /// The result of `work` on a builder's state; out of memory if it is null, as
  /// after a failed allocation or a move.
  template <class S, class F>
  static auto with(const S &state, F work) -> decltype(work(*state)) {
    return guarded([&]() -> decltype(work(*state)) {
      if (!state)
        return outOfMemory();
      return work(*state);
    });
  }
  Expected<Value> add(const Node &node);
  Expected<Value> add(Node node, Span<const Value> arguments);
  Status checkRoom(std::size_t arguments) const;
  Status check(Span<const Value> values, std::string_view what) const;
  std::vector<Node> nodesFor(Span<const Value> outputs) const;
};

Expected<ExpressionBuilder::Value>
ExpressionBuilder::State::add(const Node &node) {
  if (auto status = checkRoom(0); !status)
    return status.error();
  nodes.push_back(node);
  return Value(nodes.size() - 1);
}

Expected<ExpressionBuilder::Value>
ExpressionBuilder::State::add(Node node, Span<const Value> arguments) {
  if (auto status = check(arguments, "argument"); !status)
    return status.error();
  if (auto status = checkRoom(arguments.size()); !status)
    return status.error();
  node.index = static_cast<std::uint32_t>(children.size());
  node.children = {nullptr, arguments.size()};
  for (Value argument : arguments)
    children.push_back(static_cast<std::uint32_t>(argument));
  return add(node);
}

/// Each argument is a node of the listing, or a name that counts as one.
Status ExpressionBuilder::State::checkRoom(std::size_t arguments) const {
  const std::size_t most = std::min<std::size_t>(
      limits.maxNodes, std::numeric_limits<std::uint32_t>::max());
  if (nodes.size() < most && children.size() + arguments <= most)
    return {};
  return Error(ErrorCode::LimitExceeded, concat("more than ", most, " nodes"));
}

Status ExpressionBuilder::State::check(Span<const Value> values,
                                       std::string_view what) const {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (static_cast<std::size_t>(values[i]) >= nodes.size())
      return Error(ErrorCode::InvalidArgument,
                   concat(what, ' ', i, " is no value of this builder"));
  return {};
}

/// The nodes up to the last output, with their children; nodes that no output
/// needs become leaves.
std::vector<Node>
ExpressionBuilder::State::nodesFor(Span<const Value> outputs) const {
  std::size_t count = 0;
  for (Value output : outputs)
    count = std::max(count, static_cast<std::size_t>(output) + 1);
  std::vector<Node> needed(nodes.begin(), nodes.begin() + count);
  for (Node &node : needed)
    if (node.kind == NodeKind::Call || node.kind == NodeKind::List)
      node.children = {children.data() + std::exchange(node.index, 0),
                       node.children.size()};
  std::vector<bool> isNeeded(count);
  for (Value output : outputs)
    isNeeded[static_cast<std::size_t>(output)] = true;
  for (std::size_t i = count; i-- > 0;) {
    if (!isNeeded[i])
      needed[i] = {};
    for (std::uint32_t child : needed[i].children)
      isNeeded[child] = true;
  }
  return needed;
}

ExpressionBuilder::ExpressionBuilder(const ParseLimits &limits)
    : state(new (std::nothrow) State{limits, {}, {}, {}}) {}
ExpressionBuilder::ExpressionBuilder(ExpressionBuilder &&) noexcept = default;
ExpressionBuilder &
ExpressionBuilder::operator=(ExpressionBuilder &&) noexcept = default;
ExpressionBuilder::~ExpressionBuilder() = default;

Expected<ExpressionBuilder::Value>
ExpressionBuilder::operand(std::uint32_t index) {
  return State::with(state, [&](State &to) -> Expected<Value> {
    if (index >= to.limits.maxOperands)
      return Error(ErrorCode::LimitExceeded,
                   concat("operand index ", index, " is past the limit of ",
                          to.limits.maxOperands, " operands"));
    return to.add({.kind = NodeKind::Operand, .index = index});
  });
}

Expected<ExpressionBuilder::Value>
ExpressionBuilder::integer(std::int64_t value) {
  return State::with(state, [&](State &to) {
    return to.add({.kind = NodeKind::Integer, .integer = value});
  });
}

Expected<ExpressionBuilder::Value>
ExpressionBuilder::unsignedInteger(std::uint64_t value) {
  const auto bits = static_cast<std::int64_t>(value);
  return State::with(state, [&](State &to) {
    return to.add({.kind = bits < 0 ? NodeKind::Unsigned : NodeKind::Integer,
                   .integer = bits});
  });
}

Expected<ExpressionBuilder::Value> ExpressionBuilder::real(double value) {
  return State::with(state, [&](State &to) {
    return to.add({.kind = NodeKind::Float, .number = value});
  });
}

Expected<ExpressionBuilder::Value> ExpressionBuilder::boolean(bool value) {
  return State::with(state, [&](State &to) {
    return to.add({.kind = NodeKind::Bool, .integer = value});
  });
}

Expected<ExpressionBuilder::Value> ExpressionBuilder::none() {
  return State::with(
      state, [](State &to) { return to.add({.kind = NodeKind::None}); });
}

Expected<ExpressionBuilder::Value>
ExpressionBuilder::list(Span<const Value> elements) {
  return State::with(state, [&](State &to) {
    return to.add({.kind = NodeKind::List}, elements);
  });
}

/// Whether a text is one token, a name.
static bool isName(std::string_view text) {
  constexpr std::size_t longest = 256;
  if (text.size() > longest)
    return false;
  const auto tokens = syntax::lex(text);
  return tokens && tokens->size() == 1 &&
         (*tokens)[0].kind == TokenKind::Name && (*tokens)[0].text == text;
}

Expected<ExpressionBuilder::Value>
ExpressionBuilder::call(std::string_view name, Span<const Value> arguments) {
  return State::with(state, [&](State &to) -> Expected<Value> {
    auto known = to.names.find(name);
    if (known == to.names.end() && !isName(name))
      return Error(ErrorCode::InvalidSyntax,
                   concat(quote(name), " is no name of an operator"));
    if (arguments.empty())
      return Error(ErrorCode::InvalidArgument, "a call has an argument");
    if (known == to.names.end())
      known = to.names.emplace(name).first;
    return to.add({.kind = NodeKind::Call, .name = *known}, arguments);
  });
}

Expected<Expression>
ExpressionBuilder::finish(Span<const Value> outputs) const {
  return State::with(state, [&](const State &from) -> Expected<Expression> {
    const DefaultFloats floats;
    if (outputs.empty())
      return Error(ErrorCode::InvalidArgument, "an expression has an output");
    if (auto status = from.check(outputs, "output"); !status)
      return status.error();
    std::vector<Node> nodes = from.nodesFor(outputs);
    std::vector<std::uint32_t> all;
    if (outputs.size() > 1) {
      for (Value output : outputs)
        all.push_back(static_cast<std::uint32_t>(output));
      nodes.push_back(
          {.kind = NodeKind::List, .children = {all.data(), all.size()}});
    }
    return Expression::parse(syntax::print({nodes.data(), nodes.size()}),
                             from.limits);
  });
}
