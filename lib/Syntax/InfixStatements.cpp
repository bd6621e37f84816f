//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Quote.h"
#include "Syntax/InfixParser.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::syntax;

/// `name =` or `name +=`, if the statement begins so.
Status InfixParser::assignment(bool &isOne) {
  isOne = false;
  if (token.kind != Kind::Name)
    return {};
  InfixLexer ahead = lexer;
  const auto next = ahead.next(false);
  if (!next || next->kind != Kind::Mark || next->text.back() != '=' ||
      next->is("==") || next->is("!=") || next->is("<=") || next->is(">="))
    return {};
  isOne = true;
  target = token;
  InfixToken op = *next;
  op.text.remove_suffix(1);
  update = op.text.empty() ? std::nullopt : findInfixOperator(op, false);
  if (options.kindOf && options.kindOf(target.text) == NameKind::Constant &&
      !given.contains(target.text))
    return invalid(concat(quote(target.text), " is a constant"));
  lexer = ahead;
  return advance();
}

/// Outputs that are separated by commas without brackets.
Status InfixParser::values() {
  std::vector<Operand> all;
  bool hasComma = false;
  for (;;) {
    if (auto status = value(); !status)
      return status;
    all.push_back(stack.back());
    stack.pop_back();
    if (!token.is(","))
      break;
    hasComma = true;
    if (auto status = advance(); !status)
      return status;
    if (token.kind == Kind::End || token.kind == Kind::Newline || token.is(";"))
      break;
  }
  const InfixNode &node = tree.nodes[all[0].node];
  tree.isList = hasComma || node.kind == InfixKind::List;
  if (!hasComma && tree.isList) {
    const auto *first = tree.childIndices.data() + node.index;
    tree.outputs.assign(first, first + node.children.size());
  } else {
    for (const Operand &output : all)
      tree.outputs.push_back(output.node);
  }
  isDone = true;
  if (tree.outputs.empty())
    return fault(ErrorCode::Unsupported, "an empty list computes nothing",
                 all[0].range);
  return {};
}

Status InfixParser::statement() {
  const InfixToken first = token;
  if (isDone)
    return fault(ErrorCode::InvalidSyntax,
                 "the value before has no use: give it a name, or write all "
                 "results into one list at the end",
                 first.range);
  bool isOne = false;
  if (auto status = assignment(isOne); !status)
    return status;
  if (!isOne)
    return values();
  const auto op = update;
  const InfixToken word = target;
  Operand left = {};
  if (op) {
    if (auto status = lookUp(word); !status)
      return status;
    left = stack.back();
    stack.pop_back();
  }
  if (auto status = value(); !status)
    return status;
  if (op) {
    pending.push_back({.what = Pending::What::Operator,
                       .op = *op,
                       .token = word,
                       .left = left});
    if (auto status = apply(); !status)
      return status;
  }
  if (tree.nodes[stack.back().node].kind == InfixKind::List)
    return fault(ErrorCode::Unsupported, "a list has no name",
                 stack.back().range);
  named[word.text] = stack.back().node;
  stack.pop_back();
  return {};
}

Status InfixParser::run() {
  for (const std::string &name : options.operands)
    given.emplace(name, static_cast<std::uint32_t>(given.size()));
  // Texts are short mostly, and of no more nodes than bytes.
  const std::size_t most = std::min<std::size_t>(tree.text.size(), 32);
  tree.nodes.reserve(most);
  tree.childIndices.reserve(most);
  tree.keywords.reserve(most);
  depths.reserve(most);
  stack.reserve(most);
  pending.reserve(std::min<std::size_t>(most, 8));
  if (auto status = advance(); !status)
    return status;
  while (token.kind != Kind::End) {
    if (token.kind != Kind::Newline && !token.is(";")) {
      if (auto status = statement(); !status)
        return status;
      if (token.kind != Kind::End && token.kind != Kind::Newline &&
          !token.is(";"))
        return invalid(
            token.is(",")
                ? "an assignment has one name and one value"
                : concat("expected an operator before ", described()));
    }
    if (token.kind != Kind::End)
      if (auto status = advance(); !status)
        return status;
  }
  if (!isDone)
    return fault(ErrorCode::InvalidSyntax,
                 named.empty() ? "the expression holds nothing but blanks"
                               : "the last statement gives the results: write "
                                 "the name of the value",
                 {tree.text.size(), tree.text.size()});
  for (InfixNode &node : tree.nodes)
    if (!node.children.empty()) {
      node.keywords = {tree.keywords.data() + node.index, node.children.size()};
      node.children = {tree.childIndices.data() + node.index,
                       node.children.size()};
      node.index = 0;
    }
  return {};
}

Status syntax::parseInfix(std::string_view text, const InfixReading &options,
                          InfixTree &tree) {
  if (text.size() > options.limits.maxLength)
    return Error(ErrorCode::LimitExceeded,
                 concat("the expression has ", text.size(),
                        " bytes, more than the limit of ",
                        options.limits.maxLength));
  tree.text = text;
  if (text.empty())
    return Error(ErrorCode::InvalidSyntax, "the expression is empty",
                 std::string(), {0, 0});
  if (options.operands.size() > options.limits.maxOperands)
    return Error(ErrorCode::LimitExceeded,
                 concat("more than the limit of ", options.limits.maxOperands,
                        " operands"));
  tree.operands.assign(options.operands.begin(), options.operands.end());
  return InfixParser(options, tree).run();
}
