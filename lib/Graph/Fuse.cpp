//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/TypedFlow.h"
#include "Semantics/Check.h"
#include "Semantics/Promotion.h"
#include "kexpr/ExpressionBuilder.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
/// Builds one expression from those of units.
class Fuser {
public:
  explicit Fuser(const TypedFlow &typed) : typed(typed) {}

  Status add(const Unit &unit);
  Expected<FusedExpression> finish(Span<const ValueId> outputs);

private:
  using Value = ExpressionBuilder::Value;

  Expected<Value> valueOf(ValueId value);
  Expected<Value> literal(const Scalar &scalar);
  Expected<Value> leaf(const Unit &unit, const Node &node);

  const TypedFlow &typed;
  ExpressionBuilder builder;
  std::map<ValueId, Value> results; ///< Of the units so far.
  std::map<ValueId, Value> loaded;  ///< Of `operands`.
  std::vector<ValueId> operands;
};
} // namespace

/// A value inside the kernel is rounded as if it had been stored, so that bits
/// do not depend on what was merged.
Expected<ExpressionBuilder::Value> Fuser::valueOf(ValueId value) {
  if (const auto found = results.find(value); found != results.end()) {
    const DType type = typed.typeOf(value).type;
    return semantics::heldType(type) == type
               ? found->second
               : builder.call(semantics::castName(type), found->second);
  }
  if (const auto found = loaded.find(value); found != loaded.end())
    return found->second;
  auto operand = builder.operand(static_cast<std::uint32_t>(operands.size()));
  if (operand) {
    operands.push_back(value);
    loaded.emplace(value, *operand);
  }
  return operand;
}

Expected<ExpressionBuilder::Value> Fuser::literal(const Scalar &scalar) {
  switch (scalar.kind) {
  case Scalar::Kind::Bool:
    return builder.boolean(scalar.integer != 0);
  case Scalar::Kind::Int:
    return builder.integer(scalar.integer);
  case Scalar::Kind::Float:
    return builder.real(scalar.number);
  default:
    return Error(ErrorCode::Unsupported,
                 scalar.str() +
                     " is not a value that elements can be computed from");
  }
}

Expected<ExpressionBuilder::Value> Fuser::leaf(const Unit &unit,
                                               const Node &node) {
  switch (node.kind) {
  case NodeKind::Operand: {
    const ValueId value = unit.node->inputs[node.index];
    const auto &number = typed.values[value].number;
    return number ? literal(*number) : valueOf(value);
  }
  case NodeKind::Bool:
    return builder.boolean(node.integer != 0);
  case NodeKind::Integer:
    return builder.integer(node.integer);
  case NodeKind::Unsigned:
    return builder.unsignedInteger(static_cast<std::uint64_t>(node.integer));
  case NodeKind::Float:
    return builder.real(node.number);
  case NodeKind::None:
    return builder.none();
  default:
    break;
  }
  // No element is computed from any other kind; `check` has the error.
  const auto graph = semantics::check(unit.formula->expression, {});
  return !graph ? graph.error()
                : Error(ErrorCode::Unsupported,
                        "its list of tensors is one output");
}

Status Fuser::add(const Unit &unit) {
  const auto &nodes = unit.formula->nodes;
  std::vector<Value> built, arguments;
  const auto builtOf = [&](std::uint32_t node) {
    return built[std::lower_bound(nodes.begin(), nodes.end(), node) -
                 nodes.begin()];
  };
  for (const std::uint32_t id : nodes) {
    const Node &node = unit.formula->expression.nodes()[id];
    const auto size = unit.sizes.find(id);
    arguments.clear();
    if (size == unit.sizes.end())
      for (std::uint32_t child : node.children)
        arguments.push_back(builtOf(child));
    const bool isAxes = node.kind == NodeKind::List && id != unit.formula->root;
    auto value = size != unit.sizes.end() ? literal(size->second)
                 : node.kind == NodeKind::Call
                     ? builder.call(node.name, arguments)
                 : isAxes ? builder.list(arguments)
                          : leaf(unit, node);
    if (!value)
      return value.error();
    built.push_back(*value);
  }
  Expected<Value> result = built.back();
  if (unit.castTo)
    result = builder.call(semantics::castName(*unit.castTo), built.back());
  if (!result)
    return result.error();
  results.insert_or_assign(unit.outputs[0], *result);
  return {};
}

Expected<FusedExpression> Fuser::finish(Span<const ValueId> outputs) {
  std::vector<Value> values;
  for (const ValueId output : outputs)
    values.push_back(results.at(output));
  auto expression = builder.finish(values);
  if (!expression)
    return expression.error();
  return FusedExpression{std::move(*expression), std::move(operands)};
}

Expected<FusedExpression> graph::fuse(const TypedFlow &typed,
                                      Span<const Unit *const> units,
                                      Span<const ValueId> outputs) {
  Fuser fuser(typed);
  for (const Unit *unit : units)
    if (Status status = fuser.add(*unit); !status)
      return status.error();
  return fuser.finish(outputs);
}

bool FusionKey::assign(const TypedFlow &typed, Span<const Unit *const> units,
                       Span<const ValueId> outputs) {
  bytes.clear();
  operands.clear();
  seen.clear();
  const auto add = [this](const auto &part) {
    bytes.append(reinterpret_cast<const char *>(&part), sizeof part);
  };
  // Most values are taken soon after they are computed.
  const auto positionOf = [this](ValueId value) {
    return std::find(seen.rbegin(), seen.rend(), value) - seen.rbegin();
  };
  for (const Unit *unit : units) {
    if (!unit->sizes.empty())
      return false;
    // Equal texts of a network are one expression, which the flow keeps alive.
    const auto all = unit->formula->expression.nodes();
    add(all.data());
    add(unit->formula->root);
    add(unit->castTo.value_or(DType()));
    for (const std::uint32_t id : unit->formula->nodes) {
      if (all[id].kind != NodeKind::Operand)
        continue;
      const ValueId value = unit->node->inputs[all[id].index];
      const auto &[tensor, number, isTensorNeeded] = typed.values[value];
      if (number)
        return false;
      const auto position = positionOf(value);
      add(position);
      if (position < static_cast<std::ptrdiff_t>(seen.size()))
        continue;
      seen.push_back(value);
      operands.push_back(value);
      add(tensor.type);
      add(tensor.shape.rank() == 0);
    }
    seen.push_back(unit->outputs[0]);
  }
  for (const ValueId output : outputs)
    add(positionOf(output));
  return true;
}

CompileOptions graph::optionsFor(const TypedFlow &typed,
                                 Span<const ValueId> operands, Mode mode,
                                 Precision precision) {
  CompileOptions options{.mode = mode, .precision = precision};
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    const TensorType &type = typed.typeOf(operands[i]);
    options.operandTypes.push_back(type.type);
    if (type.shape.rank() == 0)
      options.zeroDimOperands.push_back(i);
  }
  return options;
}
