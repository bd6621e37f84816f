//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Check.h"

#include "Semantics/RowFunctions.h"
#include "Semantics/Simplify.h"
#include "Support/Quote.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {

/// Visits the nodes once, in post-order; no recursion, whatever the depth.
class Checker {
public:
  Checker(const Expression &expression, const Signature &signature)
      : expression(expression), signature(signature),
        zeroDims(signature.zeroDimOperands.begin(),
                 signature.zeroDimOperands.end()),
        simplify(graph, signature.precision) {
    std::sort(zeroDims.begin(), zeroDims.end());
  }

  Expected<Graph> run();

private:
  Expected<TypedValue> value(const Node &node);
  Expected<TypedValue> operand(const Node &node);
  Expected<TypedValue> literal(const Node &node);
  Expected<TypedValue> size(const Node &node);
  Expected<TypedValue> call(const Node &node);
  Expected<TypedValue> operatorCall(const Node &node, ops::OpId op);
  Expected<TypedValue> rowFunction(const Node &node,
                                   const RowFunction &function);
  void findSettings();
  std::span<const TypedValue> arguments(const Node &node);
  /// The result of a call; an error gets its range in the text.
  Expected<TypedValue> placed(const Node &node,
                              Expected<TypedValue> result) const;
  Error fault(ErrorCode code, const Node &node, std::string message) const {
    return {code, std::move(message), std::string(expression.text()),
            node.range};
  }
  Error wrongArity(const Node &node, std::string_view takes) const;
  Error wrongType(const Node &node, const ops::OpInfo &info) const;
  Error unknown(const Node &node) const;
  Error refused(const Node &node) const;

  const Expression &expression;
  const Signature &signature;
  std::vector<std::uint32_t> zeroDims; ///< Ascending.
  GraphBuilder graph;
  Simplifier simplify;
  std::vector<TypedValue> values;
  std::vector<TypedValue> given; ///< The arguments of the current call.
  /// By node: whether it is no value but says how a function goes over rows.
  std::vector<bool> isSetting;
};

} // namespace

Error Checker::wrongArity(const Node &node, std::string_view takes) const {
  return fault(ErrorCode::WrongArity, node,
               concat("operator ", quote(node.name), " takes ", takes, ", not ",
                      node.children.size()));
}

Error Checker::unknown(const Node &node) const {
  // The name alone is wrong, not the whole call.
  Node name = node;
  name.range.end = name.range.begin + node.name.size();
  std::vector<std::string_view> functions;
  for (const RowFunction &each : rowFunctions())
    functions.push_back(each.name);
  const std::string_view close = ops::closest(node.name, functions);
  return fault(
      ErrorCode::UnknownOperator, name,
      concat("unknown operator ", quote(node.name),
             close.empty() ? "" : concat("; did you mean '", close, "'?")));
}

/// "operand @1 is f32", "its second argument is f32".
static std::string naming(const Node &argument, std::size_t position,
                          DType type) {
  constexpr std::string_view ordinals[] = {"first", "second", "third",
                                           "fourth"};
  if (argument.kind == NodeKind::Operand)
    return concat("operand @", argument.index, " is ", nameOf(type));
  if (argument.kind != NodeKind::Call)
    return concat("the literal ", syntax::printLeaf(argument), " counts as ",
                  nameOf(type));
  return concat("its ", ordinals[position], " argument is ", nameOf(type));
}

/// Names the first argument of a type that the operator refuses, or else the
/// type that all arguments promote to.
Error Checker::wrongType(const Node &node, const ops::OpInfo &info) const {
  const std::string subject = concat("operator '", info.name, "' takes ");
  const std::string rule = concat(subject, ops::infoOf(info.types).takes);
  const DType first = simplify.typeOf(values[node.children[0]]).type;
  if (info.takesCondition && first != DType::Bool)
    return fault(
        ErrorCode::TypeMismatch, node,
        concat(subject, "a bool first, but ",
               naming(expression.nodes()[node.children[0]], 0, first)));
  std::vector<ArgumentType> types;
  for (std::size_t i = info.takesCondition; i < node.children.size(); ++i) {
    types.push_back(simplify.typeOf(values[node.children[i]]));
    const DType type = types.back().type;
    if (!computedType(info.types, type))
      return fault(
          ErrorCode::TypeMismatch, node,
          concat(rule, ", but ",
                 naming(expression.nodes()[node.children[i]], i, type)));
  }
  const auto promoted = resultType(types);
  return fault(
      ErrorCode::TypeMismatch, node,
      promoted
          ? concat(rule, ", but its arguments promote to ", nameOf(*promoted))
          : concat(subject, "arguments of one type, but ", unpromoted(types)));
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
                 concat(quote(node.name),
                        " is neither an operand, nor a literal, nor a call"));
  }
}

Expected<TypedValue> Checker::operand(const Node &node) {
  const DType type = signature.typeOf(node.index);
  if (sizeOf(type) == 0)
    return fault(ErrorCode::InvalidArgument, node,
                 concat("operand @", node.index, " was given no element type"));
  const bool isZeroDim =
      std::binary_search(zeroDims.begin(), zeroDims.end(), node.index);
  return TypedValue{.value = graph.input(node.index, type),
                    .type = type,
                    .weight = isZeroDim ? Weight::ZeroDim : Weight::Tensor};
}

Expected<TypedValue> Checker::literal(const Node &node) {
  return simplify.number({.number = numberOf(node), .range = node.range});
}

std::span<const TypedValue> Checker::arguments(const Node &node) {
  given.clear();
  for (std::uint32_t child : node.children)
    given.push_back(values[child]);
  return given;
}

Expected<TypedValue> Checker::placed(const Node &node,
                                     Expected<TypedValue> result) const {
  if (result)
    return result;
  return fault(result.error().code(), node, result.error().message());
}

Expected<TypedValue> Checker::size(const Node &node) {
  if (node.children.size() != 2)
    return wrongArity(node, "an operand and an axis here");
  const Node &operand = expression.nodes()[node.children[0]];
  const TypedValue &axis = values[node.children[1]];
  if (operand.kind != NodeKind::Operand)
    return fault(ErrorCode::Unsupported, node,
                 "'size' takes an operand, as in size(@0,2)");
  if (!axis.number || simplify.typeOf(axis).type != DType::I64)
    return fault(ErrorCode::TypeMismatch, node,
                 "the axis of 'size' is an integer that no element is needed "
                 "for");
  return simplify.number({.kind = NumberNode::Kind::Size,
                          .operand = operand.index,
                          .args = {*axis.number},
                          .arity = 1,
                          .range = node.range});
}

Expected<TypedValue> Checker::operatorCall(const Node &node, ops::OpId op) {
  const ops::OpEntry &entry = ops::table()[op];
  const unsigned longer = entry.info.overload.arity;
  const unsigned least = entry.arity - entry.info.defaults.count;
  const std::size_t count = node.children.size();
  if ((count < least || count > entry.arity) &&
      (longer == 0 || count != longer))
    return wrongArity(
        node,
        concat(longer ? concat(entry.arity, " or ")
               : least < entry.arity
                   ? concat(least, least + 1 == entry.arity ? " or " : " to ")
                   : "",
               counted(longer ? longer : entry.arity, "argument")));
  auto args = arguments(node);
  for (std::size_t i = count; i < entry.arity; ++i) {
    auto number = simplify.number(
        {.number = defaultArgument(entry, i, simplify.typeOf(given[0]).type),
         .range = node.range});
    if (!number)
      return number;
    given.push_back(*number);
    args = given;
  }
  auto result =
      count == longer ? simplify.overload(op, args) : simplify.call(op, args);
  if (!result && result.error().code() == ErrorCode::TypeMismatch)
    return wrongType(node, entry.info);
  return placed(node, result);
}

/// The nodes that are axes and other settings of functions over rows.
void Checker::findSettings() {
  const auto nodes = expression.nodes();
  isSetting.resize(nodes.size());
  for (const Node &node : nodes) {
    const RowFunction *function =
        node.kind == NodeKind::Call ? findRowFunction(node.name) : nullptr;
    for (std::size_t i = 0; function && i < node.children.size(); ++i) {
      const Node &setting = nodes[node.children[i]];
      if (!function->isSetting(i) && setting.kind != NodeKind::None)
        continue;
      isSetting[node.children[i]] = setting.kind != NodeKind::Call;
      if (setting.kind == NodeKind::List)
        for (std::uint32_t element : setting.children)
          isSetting[element] = nodes[element].kind == NodeKind::Integer;
    }
  }
}

Expected<TypedValue> Checker::rowFunction(const Node &node,
                                          const RowFunction &function) {
  const std::size_t count = node.children.size();
  if (count < function.least || count > function.arguments().size())
    return wrongArity(node, function.takes());
  RowCallReader reader(expression, node, function);
  auto settings = reader.read(values);
  if (!settings)
    return settings.error();
  auto result = function.make(simplify, *settings);
  if (!result && result.error().code() == ErrorCode::TypeMismatch &&
      result.error().message().empty()) {
    const bool takesNumbers =
        ops::allReductions()[function.reduction].info.types ==
        ops::ReductionTypes::Number;
    return fault(
        ErrorCode::TypeMismatch, node,
        concat(quote(node.name), " takes ",
               takesNumbers ? "numbers" : "floating point", ", but ",
               naming(expression.nodes()[node.children[0]], 0,
                      simplify.typeOf(values[node.children[0]]).type)));
  }
  return placed(node, result);
}

Expected<TypedValue> Checker::call(const Node &node) {
  if (node.name == "size")
    return size(node);
  if (const auto type = castType(node.name)) {
    if (node.children.size() != 1)
      return wrongArity(node, counted(1, "argument"));
    return placed(node, simplify.cast(*type, values[node.children[0]]));
  }
  if (const RowFunction *function = findRowFunction(node.name))
    return rowFunction(node, *function);
  const auto op = ops::find(node.name);
  return op ? operatorCall(node, *op) : unknown(node);
}

Expected<TypedValue> Checker::value(const Node &node) {
  switch (node.kind) {
  case NodeKind::Operand:
    return operand(node);
  case NodeKind::Integer:
  case NodeKind::Unsigned:
  case NodeKind::Float:
  case NodeKind::Bool:
    return literal(node);
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
  values.reserve(nodes.size());
  findSettings();
  for (const Node &node : nodes) {
    if (isList && &node == &root)
      break;
    graph.setOrigin(static_cast<std::uint32_t>(values.size()));
    auto result = isSetting[values.size()] ? TypedValue() : value(node);
    if (!result)
      return result.error();
    values.push_back(*result);
  }
  std::vector<ValueId> outputs;
  if (!isList)
    outputs.push_back(simplify.stored(values.back()));
  else
    for (std::uint32_t child : root.children)
      outputs.push_back(simplify.stored(values[child]));
  if (outputs.empty())
    return fault(ErrorCode::Unsupported, root,
                 "an empty list computes nothing");
  return graph.finish(outputs);
}

Expected<Graph> semantics::check(const Expression &expression,
                                 const Signature &signature) {
  return Checker(expression, signature).run();
}
