//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions over axes in infix text: their arguments come by place or by name,
/// and NumPy says which types they compute in.
///
//===----------------------------------------------------------------------===//
#include "Ops/ReductionTable.h"
#include "Semantics/InfixLowerer.h"
#include "Semantics/Numpy.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <cmath>

using namespace kexpr;
using namespace kexpr::semantics;
using syntax::InfixKind;
using syntax::InfixNode;
using Built = InfixEmitter::Built;

/// What a reduction, or that of a scan, says of itself; null for a function of
/// several.
static const ops::ReductionInfo *reductionOf(const RowFunction &function) {
  for (const ops::ReductionEntry &entry : ops::reductions())
    if (function.name == entry.info.name ||
        (function.name == entry.info.scan && !entry.info.scan.empty()))
      return &entry.info;
  return nullptr;
}

/// The value of an integer that is written out.
std::optional<std::int64_t> InfixLowerer::wholeOf(std::uint32_t node) const {
  const auto &literal = values[node].literal;
  if (!literal || literal->kind != Number::Kind::Int)
    return std::nullopt;
  return literal->integer;
}

/// By parameter, the node that was given for it.
Expected<std::vector<std::optional<std::uint32_t>>>
InfixLowerer::parametersFor(const InfixNode &node,
                            const RowFunction &function) {
  const auto parameters = parametersOf(function);
  std::vector<std::optional<std::uint32_t>> given(parameters.size());
  const auto wrong = [&](std::size_t argument, std::string message) {
    const SourceRange range = tree.nodes[node.children[argument]].range;
    return fault(ErrorCode::WrongArity, range, std::move(message));
  };
  bool hasKeyword = false;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    std::size_t slot = i;
    if (const std::string_view keyword = node.keywords[i]; !keyword.empty()) {
      hasKeyword = true;
      const auto name = parameterFor(keyword, parameters);
      if (name.empty())
        return wrong(i, concat(quote(node.name), " takes no ", quote(keyword),
                               "; it takes ", function.signature));
      slot = static_cast<std::size_t>(
          std::find(parameters.begin(), parameters.end(), name) -
          parameters.begin());
    } else if (hasKeyword) {
      return wrong(i, "an argument without a name after one with a name");
    } else if (slot >= parameters.size() ||
               function.list[slot] == RowArgument::Stay ||
               (function.list[slot] == RowArgument::Whole && slot > 1)) {
      return wrong(i, concat(quote(node.name),
                             slot < parameters.size()
                                 ? " takes this argument by its name alone: "
                                 : " takes fewer arguments: ",
                             function.signature));
    }
    if (given[slot])
      return wrong(i, concat("two arguments for ", quote(parameters[slot])));
    given[slot] = node.children[i];
  }
  for (std::size_t i = 0; i < function.least; ++i)
    if (!given[i])
      return fault(ErrorCode::WrongArity, node.range,
                   concat(quote(node.name), " needs ", quote(parameters[i])));
  return given;
}

/// The type that tensors of a function over axes are converted to.
DType InfixLowerer::rowType(const RowFunction &function,
                            std::span<const ArgumentType> types) const {
  const DType common = numpy::resultType(types).type;
  const ops::ReductionInfo *info = reductionOf(function);
  if (function.isIndex)
    return common;
  const bool isFloat = !info || info->types == ops::ReductionTypes::Floating;
  if (isFloat)
    return isFloatingPoint(common) ? common : DType::F64;
  if (info->types == ops::ReductionTypes::Truth)
    return common == DType::U8 ? DType::Bool : common;
  if (info->types == ops::ReductionTypes::Number && common == DType::Bool)
    return DType::U8;
  return common;
}

/// The type of its result.
DType InfixLowerer::rowResult(const RowFunction &function, DType type) const {
  if (function.isIndex)
    return DType::I64;
  const ops::ReductionInfo *info = reductionOf(function);
  if (!info)
    return type;
  if (info->result == ops::ReductionResult::Index ||
      (info->types == ops::ReductionTypes::Sums && !isFloatingPoint(type)))
    return isNumpy && isUnsigned(type) &&
                   info->result != ops::ReductionResult::Index
               ? DType::U64
               : DType::I64;
  if (info->types == ops::ReductionTypes::Truth)
    return type == DType::U8 ? type : DType::Bool;
  return type;
}

/// An argument that is no tensor, from the text.
Expected<Built> InfixLowerer::setting(const InfixNode &call,
                                      std::uint32_t index, RowArgument kind) {
  const InfixNode &node = tree.nodes[index];
  const auto &literal = values[index].literal;
  const auto wrong = [&](std::string_view what) {
    return fault(
        ErrorCode::InvalidArgument, node.range,
        concat(quote(call.name), " takes ", what, " here, written out"));
  };
  if (node.kind == InfixKind::None && kind != RowArgument::Stay &&
      kind != RowArgument::Whole)
    return emitter.none();
  switch (kind) {
  case RowArgument::Axes:
    if (node.kind == InfixKind::List) {
      std::vector<Built> axes;
      for (std::uint32_t child : node.children) {
        const auto axis = wholeOf(child);
        auto built = axis ? emitter.integer(*axis)
                          : Expected<Built>(wrong("axes, which are integers"));
        if (!built)
          return built;
        axes.push_back(*built);
      }
      // The engine reads an empty list as all axes, NumPy as none.
      if (axes.empty())
        return wrong("an axis at least, or None for all,");
      return emitter.list(axes);
    }
    [[fallthrough]];
  case RowArgument::Axis:
  case RowArgument::Along:
    if (const auto axis = wholeOf(index))
      return emitter.integer(*axis);
    return wrong("an axis, which is an integer,");
  case RowArgument::Stay:
    if (node.kind == InfixKind::Bool)
      return emitter.boolean(node.integer);
    return wrong("True or False");
  case RowArgument::Whole:
  case RowArgument::Count:
    if (literal && literal->kind != Number::Kind::Bool &&
        literal->asReal() == std::trunc(literal->asReal()) &&
        std::abs(literal->asReal()) < 0x1p53)
      return emitter.integer(static_cast<std::int64_t>(literal->asReal()));
    return wrong("an integer");
  default:
    return literal ? emitNumber(*literal) : wrong("a number");
  }
}

/// An argument that was left out before one that was not.
Expected<Built> InfixLowerer::omitted(std::string_view parameter,
                                      RowArgument kind) {
  if (kind == RowArgument::Stay)
    return emitter.boolean(false);
  if (parameter == "correction")
    return emitter.integer(isNumpy ? 0 : 1);
  return kind == RowArgument::Whole ? emitter.integer(2) : emitter.none();
}

/// The type that tensors of a function of rows promote to, and have literals
/// among them take.
Expected<DType> InfixLowerer::typeOfRows(const InfixNode &node,
                                         const RowFunction &function,
                                         Arguments &tensors) {
  if (tensors.values.empty())
    return fault(ErrorCode::InvalidArgument, node.range,
                 concat(quote(node.name), " takes a tensor"));
  const auto types = tensors.types();
  const auto type =
      isNumpy ? rowType(function, types) : semantics::resultType(types);
  if (!type)
    return fault(ErrorCode::TypeMismatch, node.range,
                 concat(quote(node.name), " takes arguments of one type, but ",
                        unpromoted(types)));
  // A literal that is reduced has no tensor beside it to take its type from.
  for (Lowered &tensor : tensors.values)
    if (tensor.literal && isNumpy)
      tensor.literal = castNumber(*tensor.literal,
                                  isFloatingPoint(*type) ? DType::F64 : *type);
  return *type;
}

Expected<Lowered> InfixLowerer::rows(const InfixNode &node,
                                     std::string_view name) {
  const RowFunction &function = *findRowFunction(name);
  auto given = parametersFor(node, function);
  if (!given)
    return given.error();
  const auto parameters = parametersOf(function);
  Arguments tensors;
  std::optional<Expected<Built>> classes; // Of their own type.
  std::size_t count = function.least;
  for (std::size_t i = 0; i < given->size(); ++i) {
    // NumPy's variance has no correction unless there is one.
    if ((*given)[i] || (isNumpy && parameters[i] == "correction"))
      count = i + 1;
    if (!(*given)[i] || function.isSetting(i) ||
        tree.nodes[*(*given)[i]].kind == InfixKind::None)
      continue;
    auto value = valueOf(*(*given)[i]);
    if (!value)
      return value.error();
    if (function.list[i] == RowArgument::Classes) {
      classes = emit(*value, value->type, tree.nodes[*(*given)[i]].range);
      continue;
    }
    tensors.values.push_back(*value);
    tensors.nodes.push_back(*(*given)[i]);
  }
  const auto type = typeOfRows(node, function, tensors);
  if (!type)
    return type.error();
  std::vector<Built> args;
  bool isOverAll = true;
  for (std::size_t i = 0, tensor = 0; i < count; ++i) {
    const auto &place = (*given)[i];
    const bool isNone = place && tree.nodes[*place].kind == InfixKind::None;
    const bool isClasses = classes && function.list[i] == RowArgument::Classes;
    const bool isTensor =
        place && !function.isSetting(i) && !isNone && !isClasses;
    emitter.setRange(place ? tree.nodes[*place].range : node.range);
    auto arg = isClasses  ? *classes
               : isTensor ? emit(tensors.values[tensor], *type,
                                 tree.nodes[*place].range)
               : place && function.isSetting(i)
                   ? setting(node, *place, function.list[i])
               : place ? emitter.none()
                       : omitted(parameters[i], function.list[i]);
    if (!arg)
      return arg.error();
    tensor += isTensor;
    isOverAll &= !place || isTensor || isNone;
    args.push_back(*arg);
  }
  emitter.setRange(node.range);
  return rowCall(function, *type, isOverAll, args);
}

/// The call of a function of rows, computed in a type; over all axes or not.
Expected<Lowered> InfixLowerer::rowCall(const RowFunction &function, DType type,
                                        bool isOverAll,
                                        const std::vector<Built> &args) {
  const ops::ReductionInfo *info = reductionOf(function);
  const bool isNumber = info && info->name == function.name && isOverAll;
  const Weight weight = isNumber && !isNumpy ? Weight::ZeroDim : Weight::Tensor;
  const DType result = rowResult(function, type);
  auto value = made(function.name, result, weight, args);
  // The engine's is of i64, with the same bits.
  return value && result == DType::U64 && info &&
                 info->types == ops::ReductionTypes::Sums
             ? made(castName(result), result, weight, {*value->built})
             : value;
}
