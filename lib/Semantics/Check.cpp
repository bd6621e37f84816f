//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Check.h"

#include "Semantics/Simplify.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {

/// Walks the tree once, children first; no recursion, whatever the depth.
class Checker {
public:
  Checker(const Expression &expression, std::span<const DType> operandTypes)
      : expression(expression), operandTypes(operandTypes),
        simplify(graph, type) {
    chooseType();
  }

  Expected<Graph> run();

private:
  void chooseType();
  DType typeOf(const Node &node) const {
    return node.index < operandTypes.size() ? operandTypes[node.index]
                                            : DType::F32;
  }
  Expected<Term> term(const Node &node);
  Expected<Term> operand(const Node &node);
  Expected<Term> call(const Node &node);
  Error fault(ErrorCode code, const Node &node, std::string message) const {
    return {code, std::move(message), std::string(expression.text()),
            node.range};
  }
  Error wrongArity(const Node &node, const ops::OpEntry &entry) const;
  Error unknown(const Node &node) const;
  Error refused(const Node &node) const;

  const Expression &expression;
  std::span<const DType> operandTypes;
  /// The operand that `type` comes from; null before the first.
  const Node *first = nullptr;
  DType type = DType::F32;
  GraphBuilder graph;
  Simplifier simplify;
  std::vector<Term> terms;
};

} // namespace

/// "1 argument", "3 arguments".
static std::string arguments(std::size_t count) {
  return concat(count, count == 1 ? " argument" : " arguments");
}

Error Checker::wrongArity(const Node &node, const ops::OpEntry &entry) const {
  std::string takes = arguments(entry.arity);
  if (entry.info.overload.arity)
    takes = concat(entry.arity, " or ", arguments(entry.info.overload.arity));
  return fault(ErrorCode::WrongArity, node,
               concat("operator '", node.name, "' takes ", takes, ", not ",
                      node.children.size()));
}

Error Checker::unknown(const Node &node) const {
  // The name alone is wrong, not the whole call.
  Node name = node;
  name.range.end = name.range.begin + node.name.size();
  if (node.name == "size" || node.name == "int" ||
      node.name.substr(0, 6) == "torch.")
    return fault(ErrorCode::Unsupported, name,
                 concat("'", node.name,
                        "' works on shapes or types, not on elements, and has "
                        "no place in a fused loop"));
  std::string_view close = ops::closest(node.name);
  return fault(
      ErrorCode::UnknownOperator, name,
      concat("unknown operator '", node.name, "'",
             close.empty() ? "" : concat("; did you mean '", close, "'?")));
}

Error Checker::refused(const Node &node) const {
  switch (node.kind) {
  case NodeKind::Complex:
    return fault(ErrorCode::Unsupported, node,
                 "complex literals have no element type here");
  case NodeKind::None:
    return fault(ErrorCode::Unsupported, node,
                 "'None' is not a value that elements can be computed from");
  case NodeKind::List:
    return fault(ErrorCode::Unsupported, node,
                 "a list of indices or shapes is not a tensor; only the whole "
                 "expression may be a list, of outputs");
  default:
    return fault(ErrorCode::UnknownOperator, node,
                 concat("'", node.name,
                        "' is neither an operand, nor a literal, nor a call"));
  }
}

/// Literals before the first operand must know what they will meet.
void Checker::chooseType() {
  for (const Node &node : expression.nodes())
    if (node.kind == NodeKind::Operand) {
      first = &node;
      type = typeOf(node);
      return;
    }
}

Expected<Term> Checker::operand(const Node &node) {
  const DType own = typeOf(node);
  if (own != DType::F32 && own != DType::F64)
    return fault(ErrorCode::TypeMismatch, node,
                 concat("operand @", node.index, " is ", nameOf(own),
                        "; operands must be f32 or f64"));
  if (own != type)
    return fault(ErrorCode::TypeMismatch, node,
                 concat("operand @", node.index, " is ", nameOf(own), ", but @",
                        first->index, " is ", nameOf(type),
                        "; operands must be of one type"));
  return Term{.value = graph.input(node.index, type)};
}

Expected<Term> Checker::call(const Node &node) {
  auto op = ops::find(node.name);
  if (!op)
    return unknown(node);
  const ops::OpEntry &entry = ops::table()[*op];
  const bool overload = entry.info.overload.arity &&
                        node.children.size() == entry.info.overload.arity;
  if (node.children.size() != entry.arity && !overload)
    return wrongArity(node, entry);
  if (!ops::blocks(ops::Arithmetic::F32)[*op])
    return fault(
        ErrorCode::TypeMismatch, node,
        concat("operator '", node.name, "' ",
               entry.info.types == ops::TypeRule::Integral
                   ? "takes integers or bools, not floats"
                   : "gives bools, which float expressions cannot use"));
  std::array<Term, ops::MaxArity> args;
  std::transform(node.children.begin(), node.children.end(), args.begin(),
                 [this](std::uint32_t child) { return terms[child]; });
  const std::span<const Term> given(args.data(), node.children.size());
  return overload ? simplify.expand(entry.info.overload.expansion, given)
                  : simplify.call(*op, given);
}

Expected<Term> Checker::term(const Node &node) {
  switch (node.kind) {
  case NodeKind::Operand:
    return operand(node);
  case NodeKind::Integer:
  case NodeKind::Float:
    return Term{.literal = node.number};
  case NodeKind::Bool:
    return Term{.literal = static_cast<double>(node.integer)};
  case NodeKind::Call:
    return call(node);
  default:
    return refused(node);
  }
}

Expected<Graph> Checker::run() {
  const auto nodes = expression.nodes();
  const Node &root = expression.root();
  const bool isList = root.kind == NodeKind::List;
  terms.reserve(nodes.size());
  for (const Node &node : nodes) {
    if (isList && &node == &root)
      break;
    auto result = term(node);
    if (!result)
      return result.error();
    terms.push_back(*result);
  }
  std::vector<ValueId> outputs;
  if (!isList)
    outputs.push_back(simplify.materialize(terms.back()));
  else
    for (std::uint32_t child : root.children)
      outputs.push_back(simplify.materialize(terms[child]));
  if (outputs.empty())
    return fault(ErrorCode::Unsupported, root,
                 "an empty list computes nothing");
  return graph.finish(outputs);
}

Expected<Graph> semantics::check(const Expression &expression,
                                 std::span<const DType> operandTypes) {
  return Checker(expression, operandTypes).run();
}
