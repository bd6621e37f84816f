//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/KernelImpl.h"
#include "Runtime/SumStateImpl.h"
#include "Support/DefaultFloats.h"
#include "Support/Quote.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Value;
using semantics::ValueId;
using semantics::ValueKind;

/// The exact sum that an output is, at most rounded to where it is stored; null
/// for another one.
static const Value *sumOf(const semantics::Graph &graph, std::size_t output) {
  const Value *value = &graph.values[graph.outputs[output]];
  const DType type = value->type;
  if (value->kind == ValueKind::Convert)
    value = &graph.values[value->args[0]];
  return value->isExact() && value->form() == type ? value : nullptr;
}

Error KernelImpl::hasNoSum(std::size_t output) const {
  const semantics::Graph &graph = plan().graph;
  const Node &root = expression().root();
  const bool isList = root.kind == NodeKind::List;
  const Node &node =
      isList ? expression().nodes()[root.children[output]] : root;
  const bool isCall = node.kind == NodeKind::Call;
  std::string subject =
      isCall ? std::string(quote(node.name)) : concat("output ", output);
  const Value &value = graph.values[graph.outputs[output]];
  const bool isSum =
      value.kind == ValueKind::Reduce &&
      ops::allReductions()[value.op].info.ofSum != ops::ReductionOfSum::No;
  if (isSum)
    subject += concat(" of ", nameOf(value.type));
  return {ErrorCode::Unsupported,
          concat(subject, " has no state; only a sum or mean of floating point "
                          "that is an output itself has one"),
          std::string(expression().text()), node.range};
}

/// What results are of, for operands that were checked.
Expected<OutputSums>
KernelImpl::emptySums(std::size_t output,
                      const std::vector<Shape> &shapes) const {
  const semantics::Graph &graph = plan().graph;
  const Value &value = *sumOf(graph, output);
  const Shape &elements = shapes[value.args[0]];
  const auto mask =
      semantics::axisMask(graph.axisSets[value.input], elements.rank());
  if (!mask)
    return mask.error();
  OutputSums sums;
  sums.isMean =
      ops::allReductions()[value.op].info.ofSum == ops::ReductionOfSum::Mean;
  sums.type = value.form();
  sums.shape = shapes[graph.outputs[output]];
  sums.count = 1;
  for (std::size_t axis = 0; axis < elements.rank(); ++axis)
    if (*mask >> axis & 1 &&
        __builtin_mul_overflow(sums.count, elements[axis], &sums.count))
      return Error(ErrorCode::InvalidArgument,
                   concat("output ", output, " has too many elements"));
  sums.states.resize(static_cast<std::size_t>(sums.shape.elementCount()) *
                     sums.exact().words);
  return sums;
}

/// Runs the kernel, with states kept beside results that nobody reads.
Status KernelImpl::runSums(Span<const TensorView> inputs, SumStateImpl &state,
                           const RunOptions &options) const {
  DefaultFloats floats;
  const semantics::Graph &graph = plan().graph;
  std::vector<std::vector<char>> memory;
  std::vector<TensorView> outputs;
  RowSumSink sink(graph.values.size());
  for (std::size_t i = 0; i < state.outputs.size(); ++i) {
    OutputSums &sums = state.outputs[i];
    const auto count = static_cast<std::size_t>(sums.shape.elementCount());
    memory.emplace_back(count * sizeOf(sums.type));
    outputs.emplace_back(memory.back().data(), sums.type, sums.shape);
    sink[static_cast<std::size_t>(sumOf(graph, i) - graph.values.data())] =
        sums.states.data();
  }
  const CallArguments arguments{{inputs.data(), inputs.size()}, outputs};
  RowCall call(plan(), required, *sweeps);
  if (auto status = prepareRows(call, arguments); !status)
    return status;
  if (auto status = runRows(call, arguments, options, floats, &sink); !status)
    return status;
  // One value may be several outputs.
  for (std::size_t i = 0; i < state.outputs.size(); ++i) {
    std::vector<std::int64_t> &states = state.outputs[i].states;
    const auto value = sumOf(graph, i) - graph.values.data();
    const std::int64_t *kept = sink[static_cast<std::size_t>(value)];
    if (kept != states.data())
      states.assign(kept, kept + states.size());
  }
  return {};
}

Expected<std::shared_ptr<const SumStateImpl>>
KernelImpl::sumState(Span<const TensorView> inputs,
                     const RunOptions &options) const {
  const semantics::Graph &graph = plan().graph;
  if (plan().precision != Precision::Accurate)
    return Error(ErrorCode::Unsupported,
                 "only kernels of the accurate precision have states of sums");
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (!sumOf(graph, i))
      return hasNoSum(i);
  // Checks the inputs, which shapes follow from.
  if (auto shape = outputShape(inputs, 0); !shape)
    return shape.error();
  ValueId at = 0;
  const auto shapes =
      semantics::shapesOf(graph, {inputs.data(), inputs.size()}, at);
  if (!shapes)
    return shapes.error();
  auto state = std::make_shared<SumStateImpl>();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    auto sums = emptySums(i, *shapes);
    if (!sums)
      return sums.error();
    state->outputs.push_back(std::move(*sums));
  }
  if (auto status = runSums(inputs, *state, options); !status)
    return status.error();
  return std::shared_ptr<const SumStateImpl>(std::move(state));
}
