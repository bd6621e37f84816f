//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/TypedFlow.h"

#include "Graph/Faults.h"
#include "Semantics/Broadcast.h"
#include "Semantics/Check.h"
#include "Support/DefaultFloats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
/// Properties of a unit's graph that do not depend on shapes.
struct UnitSummary {
  DType type;
  unsigned operations;
  std::size_t values;
  std::vector<std::uint32_t> used; ///< Of its operands, ascending.
  /// If it has reductions: shapes depend on where they stand.
  std::optional<semantics::Graph> reducing = {};
};

class TypeInference {
public:
  TypeInference(const Flow &flow, Precision precision)
      : flow(flow), precision(precision) {}

  void addConstants(Span<const TensorType> inputs);
  Status addNode(const FlowNode &node);
  Status needTensor(ValueId value);
  Status checkValues() const;

  TypedFlow typed;

private:
  Status addLayer(const FlowNode &node);
  Status addElementwise(const FlowNode &node, std::size_t output);
  void setChannelRank(ValueId input);
  Status bindInputs(Unit &unit) const;
  Expected<UnitSummary> summarize(const Unit &unit) const;
  Status setType(Unit &unit);
  Expected<Shape> shapeOf(Unit &unit, const UnitSummary &summary) const;

  const Flow &flow;
  const Precision precision;
  /// Of the inputs of the current node.
  std::vector<Shape> shapes;
  std::vector<const Scalar *> numbers;
  /// Of the inputs of the current unit.
  std::vector<TensorView> views;
  ByStructure<UnitSummary> summaries;
};
} // namespace

void TypeInference::addConstants(Span<const TensorType> inputs) {
  typed.values.resize(flow.values.size());
  typed.units.reserve(flow.nodes.size());
  for (std::size_t i = 0; i < flow.values.size(); ++i)
    if (const TensorView *constant = flow.values[i].constant)
      typed.values[i].tensor = {constant->type(), constant->shape()};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    typed.values[flow.inputValues[i]].tensor = inputs[i];
}

Status TypeInference::addNode(const FlowNode &node) {
  if (node.layer)
    return addLayer(node);
  shapes.clear();
  numbers.clear();
  for (const ValueId input : node.inputs) {
    setChannelRank(input);
    const ValueType &type = typed.values[input];
    shapes.push_back(type.tensor.shape);
    numbers.push_back(type.number ? &*type.number : nullptr);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (Status status = addElementwise(node, i); !status)
      return status;
  return {};
}

//===-- Python values as tensors ------------------------------------------===//

static Span<const Scalar> elementsOf(const Scalar &scalar) {
  if (scalar.kind == Scalar::Kind::List)
    return scalar.elements;
  return scalar;
}

/// The type of a Python value as a tensor: that of PyTorch, but f64 for floats,
/// which keeps all digits.
static Expected<TensorType> tensorTypeOf(const Scalar &scalar) {
  const bool isBool = scalar.kind == Scalar::Kind::Bool;
  TensorType type{isBool ? DType::Bool : DType::I64, {}};
  const auto elements = elementsOf(scalar);
  for (const Scalar &element : elements)
    if (element.kind == Scalar::Kind::Float)
      type.type = DType::F64;
    else if (element.kind != Scalar::Kind::Int &&
             element.kind != Scalar::Kind::Bool)
      return Error(ErrorCode::Unsupported,
                   concat("value ", scalar.str(),
                          " is no number and no list of numbers"));
  if (scalar.kind == Scalar::Kind::List)
    type.shape = {static_cast<std::int64_t>(elements.size())};
  return type;
}

/// One element in the first bytes of a word.
static std::int64_t wordOf(const Scalar &scalar, DType type) {
  if (type != DType::F64) {
    std::int64_t word = 0;
    const bool truth = scalar.integer != 0;
    std::memcpy(&word, &truth, sizeof truth);
    return type == DType::Bool ? word : scalar.integer;
  }
  return std::bit_cast<std::int64_t>(scalar.kind == Scalar::Kind::Float
                                         ? scalar.number
                                         : static_cast<double>(scalar.integer));
}

/// Makes the tensor of a Python value that a layer or output takes.
Status TypeInference::needTensor(ValueId value) {
  ValueType &info = typed.values[value];
  if (!info.number || std::exchange(info.isTensorNeeded, true))
    return {};
  const DefaultFloats floats;
  auto type = tensorTypeOf(*info.number);
  if (!type)
    return type.error();
  info.tensor = *type;
  NumberTensor &tensor = typed.numbers.emplace_back();
  tensor.value = value;
  for (const Scalar &element : elementsOf(*info.number))
    tensor.bytes.push_back(wordOf(element, type->type));
  return {};
}

//===-- Units -------------------------------------------------------------===//

Status TypeInference::addLayer(const FlowNode &node) {
  std::vector<TensorType> inputs;
  inputs.reserve(node.inputs.size());
  for (const ValueId input : node.inputs) {
    if (Status status = needTensor(input); !status)
      return status;
    inputs.push_back(typed.typeOf(input));
  }
  auto outputs = callHost([&] { return node.layer->outputTypes(inputs); });
  if (!outputs)
    return outputs.error();
  if (outputs->size() != node.outputs.size())
    return Error(ErrorCode::ShapeMismatch,
                 concat("its layer says ", outputs->size(),
                        " outputs, and it has ", node.outputs.size()));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorType &type = (*outputs)[i];
    if (sizeOf(type.type) == 0 || !type.shape.valid() ||
        type.shape.elementCount() < 0)
      return Error(
          ErrorCode::ShapeMismatch,
          concat("its layer says output ", i, " has shape ", type.shape.str()));
    typed.values[node.outputs[i]].tensor = type;
  }
  Unit &unit = typed.units.emplace_back();
  unit.node = &node;
  unit.inputs = node.inputs;
  unit.outputs = node.outputs;
  return {};
}

/// Gives a constant of one number a channel the rank that puts channels at
/// axis 1.
void TypeInference::setChannelRank(ValueId input) {
  const FlowValue &value = flow.values[input];
  if (!value.isPerChannel)
    return;
  const std::size_t rank = typed.typeOf(value.rankOf).shape.rank();
  std::vector<std::int64_t> extents(std::max<std::size_t>(rank, 2) - 1, 1);
  extents[0] = value.constant->shape()[0];
  typed.values[input].tensor.shape = Shape(extents.data(), extents.size());
}

/// Evaluates sizes, and finds the inputs that are tensors.
Status TypeInference::bindInputs(Unit &unit) const {
  const Expression &expression = unit.formula->expression;
  for (const std::uint32_t id : unit.formula->nodes) {
    const Node &node = expression.nodes()[id];
    if (isSize(node)) {
      auto size = semantics::evaluate(expression, id, shapes, numbers);
      if (!size)
        return size.error();
      unit.sizes.emplace(id, std::move(*size));
    } else if (node.kind == NodeKind::Operand) {
      const ValueId value = unit.node->inputs[node.index];
      if (!typed.values[value].number &&
          std::find(unit.inputs.begin(), unit.inputs.end(), value) ==
              unit.inputs.end())
        unit.inputs.push_back(value);
    }
  }
  return {};
}

Status TypeInference::addElementwise(const FlowNode &node, std::size_t output) {
  const DefaultFloats floats;
  Unit unit;
  unit.node = &node;
  unit.formula = &node.formulas[output];
  unit.outputs = {&node.outputs[output], 1};
  if (Status status = bindInputs(unit); !status)
    return status;
  ValueType &result = typed.values[node.outputs[output]];
  if (unit.inputs.empty()) {
    auto value = semantics::evaluate(unit.formula->expression,
                                     unit.formula->root, shapes, numbers);
    if (!value)
      return value.error();
    result.number = std::move(*value);
    return {};
  }
  if (Status status = setType(unit); !status)
    return status;
  if (node.typeFrom && !typed.values[*node.typeFrom].number) {
    const DType type = typed.typeOf(*node.typeFrom).type;
    if (std::exchange(result.tensor.type, type) != type) {
      unit.castTo = type;
      ++unit.values;
    }
  }
  typed.units.push_back(std::move(unit));
  return {};
}

Expected<UnitSummary> TypeInference::summarize(const Unit &unit) const {
  const Unit *alone[] = {&unit};
  auto fused = fuse(typed, alone, unit.outputs);
  if (!fused)
    return fused.error();
  const CompileOptions options =
      optionsFor(typed, fused->operands, Mode::Interpret, precision);
  const auto graph = semantics::check(
      fused->expression, {options.operandTypes, options.zeroDimOperands});
  if (!graph)
    return graph.error();
  UnitSummary summary{graph->values[graph->outputs[0]].type,
                      graph->work(precision).operations, graph->values.size(),
                      graph->inputs};
  std::sort(summary.used.begin(), summary.used.end());
  if (graph->hasReductions())
    summary.reducing = *graph;
  return summary;
}

/// The shape of a unit's result, from `views`; sets what it reduces.
Expected<Shape> TypeInference::shapeOf(Unit &unit,
                                       const UnitSummary &summary) const {
  const semantics::Operands operands{views.data(), views.size()};
  if (!summary.reducing)
    return semantics::broadcastShape(operands, summary.used);
  const semantics::Graph &graph = *summary.reducing;
  semantics::ValueId at = 0;
  auto shapes = semantics::shapesOf(graph, operands, at);
  if (!shapes)
    return shapes.error();
  for (const semantics::Value &value : graph.values)
    if (value.goesOverAxes()) {
      const Shape &elements = (*shapes)[value.args[0]];
      const auto reduced =
          semantics::axisMask(graph.axisSets[value.input], elements.rank());
      unit.rows = {elements, *reduced};
      break;
    }
  return (*shapes)[graph.outputs[0]];
}

std::optional<TensorView>
graph::inGroups(const TensorView &view, std::size_t rank, std::int64_t groups) {
  const std::size_t own = view.shape().rank();
  if (own + 1 < rank)
    return view;
  if (own == MaxRank)
    return std::nullopt;
  const std::size_t channels = own + 1 - rank;
  std::vector<std::int64_t> extents, strides;
  for (std::size_t axis = 0; axis < own; ++axis) {
    const std::int64_t extent = view.shape()[axis],
                       stride = view.strides()[axis];
    if (axis == channels) {
      if (extent != 1 && extent % groups != 0)
        return std::nullopt;
      extents.push_back(extent == 1 ? 1 : groups);
      strides.push_back(extent == 1 ? stride : stride * (extent / groups));
    }
    extents.push_back(axis == channels && extent != 1 ? extent / groups
                                                      : extent);
    strides.push_back(stride);
  }
  return TensorView(view.data(), view.type(), {extents.data(), extents.size()},
                    {strides.data(), strides.size()});
}

/// Sets the type of a unit's result and what its graph costs.
Status TypeInference::setType(Unit &unit) {
  const Unit *alone[] = {&unit};
  const auto found = summaries.findOrMake(typed, alone, unit.outputs,
                                          [&] { return summarize(unit); });
  if (!found)
    return found.error();
  const UnitSummary &summary = **found;
  views.clear();
  for (const ValueId operand : unit.inputs) {
    const TensorType &type = typed.typeOf(operand);
    views.emplace_back(static_cast<const void *>(nullptr), type.type,
                       type.shape);
  }
  // The first is the one that is normalised.
  const Shape whole = views[0].shape();
  const std::int64_t groups = unit.node->groups;
  for (TensorView &view : views) {
    if (groups == 0)
      break;
    auto grouped = inGroups(view, whole.rank(), groups);
    // One channel is no group of several, unless it is broadcast.
    if (!grouped ||
        (&view == views.data() && whole.rank() > 1 && whole[1] % groups != 0))
      return Error(ErrorCode::ShapeMismatch,
                   concat("the channels of ", view.shape().str(), " are no ",
                          groups, " groups"));
    view = *grouped;
  }
  auto shape = shapeOf(unit, summary);
  if (!shape)
    return shape.error();
  if (groups != 0) {
    shape = whole;
    unit.rows = {whole, unit.rows->reduced, groups};
  }
  typed.values[unit.outputs[0]].tensor = {summary.type, *shape};
  unit.operations = summary.operations;
  unit.values = std::max(summary.values, unit.formula->nodes.size());
  return {};
}

//===-- Checks ------------------------------------------------------------===//

bool graph::fits(const Shape &shape, const Shape &declared) {
  return shape.rank() == declared.rank() &&
         std::equal(shape.begin(), shape.end(), declared.begin(),
                    [](std::int64_t is, std::int64_t says) {
                      return says == -1 || is == says;
                    });
}

// More than any memory holds; counts of bytes stay far from overflow.
static constexpr std::int64_t MostElements = std::int64_t{1} << 48;

/// Checks operands against the file, and the number of elements of all values.
/// The error names the first operand that fails.
Status TypeInference::checkValues() const {
  const auto says = [](const PnnxOperand &operand, const char *is,
                       std::string_view type, std::string_view declared) {
    return concat("operand ", quotedName(operand.name), is, type,
                  ", and the file says ", declared);
  };
  for (std::size_t i = 0; i < flow.model.operands().size(); ++i) {
    const PnnxOperand &operand = flow.model.operands()[i];
    const ValueType &value =
        typed.values[flow.resolve(static_cast<ValueId>(i))];
    if (value.number || flow.values[i].isTuple)
      continue;
    const auto &[type, shape] = value.tensor;
    if (operand.shape && !fits(shape, *operand.shape))
      return Error(
          ErrorCode::ShapeMismatch,
          says(operand, " has shape ", shape.str(), operand.shape->str()));
    if (operand.type && type != *operand.type)
      return Error(ErrorCode::TypeMismatch,
                   says(operand, " is ", nameOf(type), nameOf(*operand.type)));
  }
  for (ValueId i = 0; i < typed.values.size(); ++i) {
    const Shape &shape = typed.typeOf(i).shape;
    const std::int64_t count = shape.elementCount();
    if (count < 0 || count > MostElements)
      return Error(ErrorCode::LimitExceeded,
                   concat("operand ", quotedName(flow.nameOf(i)), " of shape ",
                          shape.str(), " has more than 2^48 elements"));
  }
  return {};
}

Expected<TypedFlow> graph::inferTypes(const Flow &flow,
                                      Span<const TensorType> inputs,
                                      Precision precision) {
  TypeInference inference(flow, precision);
  inference.addConstants(inputs);
  for (const FlowNode &node : flow.nodes)
    if (Status status = inference.addNode(node); !status)
      return inOperator(*node.op, status.error());
  if (Status status = inference.checkValues(); !status)
    return status.error();
  for (std::size_t i = 0; i < flow.outputs.size(); ++i)
    if (Status status = inference.needTensor(flow.outputValues[i]); !status)
      return Error(status.error().code(),
                   concat("output ", quotedName(flow.outputs[i].name), ": ",
                          status.error().message()));
  return std::move(inference.typed);
}
