//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Workload.h"

#include "Support/Text.h"

#include <bit>
#include <cmath>
#include <optional>
#include <ranges>
#include <string>

using namespace kexpr;
using namespace kexpr::tools;

/// The stack machine that turns reverse Polish order into steps.
class OpByOp::Builder {
public:
  Builder(const Engine &engine, const Expression &expression,
          Span<const Shape> inputs, Precision precision)
      : engine(engine), expression(expression), precision(precision),
        shapes(inputs.begin(), inputs.end()) {
    product.inputCount = inputs.size();
  }

  Expected<OpByOp> build() {
    if (expression.rpn().empty())
      return Error(ErrorCode::Unsupported,
                   "an expression that names values is no list of steps");
    for (const RpnEntry &entry : expression.rpn())
      if (auto status = take(entry); !status)
        return status.error();
    for (const Item &item : std::vector<Item>(std::move(stack)))
      if (auto status = addOutput(item); !status)
        return status.error();
    findLastUses();
    return std::move(product);
  }

private:
  /// A value, or the text of a literal.
  struct Item {
    std::string literal;
    std::optional<std::size_t> value = {};
  };

  Status take(const RpnEntry &entry) {
    const Node &node = expression.nodes()[entry.node];
    if (node.kind == NodeKind::Call)
      return call(node, entry.arity);
    if (node.kind == NodeKind::List)
      return {}; // At the root: the outputs are on the stack already.
    if (node.kind != NodeKind::Operand)
      stack.push_back({std::string(expression.text().substr(
          node.range.begin, node.range.end - node.range.begin))});
    else if (node.index < product.inputCount)
      stack.push_back({"", node.index});
    else
      return Error(ErrorCode::MissingOperand, "an operand has no shape");
    return {};
  }

  Status call(const Node &node, std::uint32_t arity) {
    std::string text(node.name);
    std::vector<std::size_t> values;
    for (auto item = stack.end() - arity; item != stack.end(); ++item) {
      text += item == stack.end() - arity ? "(" : ",";
      text += item->value ? "@" + std::to_string(values.size()) : item->literal;
      if (item->value)
        values.push_back(*item->value);
    }
    text += ")";
    stack.resize(stack.size() - arity);
    if (!values.empty())
      return addStep(text, values);
    stack.push_back({text});
    return {};
  }

  /// An output that no operator computes is copied, as the fused kernel does.
  Status addOutput(const Item &item) {
    const bool isInput = item.value && *item.value < product.inputCount;
    Status status;
    if (isInput)
      status = addStep("@0", {*item.value});
    else if (!item.value)
      status = addStep(item.literal, {});
    else
      stack.push_back(item);
    if (status)
      product.outputs.push_back(*stack.back().value - product.inputCount);
    return status;
  }

  /// Adds a step whose result comes onto the stack.
  Status addStep(const std::string &text,
                 const std::vector<std::size_t> &arguments) {
    auto kernel = engine.compile(text, {.precision = precision});
    if (!kernel)
      return kernel.error();
    std::vector<TensorView> views;
    // Only the shape counts here.
    for (std::size_t argument : arguments)
      views.emplace_back(static_cast<const void *>(this), DType::F32,
                         shapes[argument]);
    auto shape = kernel->outputShape(views);
    if (!shape)
      return shape.error();
    product.steps.push_back({*kernel, arguments, *shape, {}});
    stack.push_back({"", shapes.size()});
    shapes.push_back(*shape);
    return {};
  }

  void findLastUses() {
    std::vector<bool> isNeeded(shapes.size());
    for (std::size_t output : product.outputs)
      isNeeded[product.inputCount + output] = true;
    for (Step &step : std::views::reverse(product.steps))
      for (std::size_t argument : step.arguments)
        if (argument >= product.inputCount && !isNeeded[argument]) {
          isNeeded[argument] = true;
          step.lastUses.push_back(argument - product.inputCount);
        }
  }

  const Engine &engine;
  const Expression &expression;
  const Precision precision;
  /// Of all values.
  std::vector<Shape> shapes;
  std::vector<Item> stack;
  OpByOp product;
};

Expected<OpByOp> OpByOp::make(const Engine &engine,
                              const Expression &expression,
                              Span<const Shape> shapes, Precision precision) {
  return Builder(engine, expression, shapes, precision).build();
}

Expected<std::vector<Array>> OpByOp::run(Span<const TensorView> inputs,
                                         const RunOptions &options) const {
  std::vector<std::optional<Array>> values(steps.size());
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    auto result = Array::make(DType::F32, step.shape);
    if (!result)
      return result.error();
    views.clear();
    for (std::size_t argument : step.arguments)
      views.push_back(argument < inputCount
                          ? inputs[argument]
                          : values[argument - inputCount]->view());
    const TensorView output = result->view();
    if (auto status = step.kernel.run(views, output, options); !status)
      return status.error();
    values[i] = std::move(*result);
    for (std::size_t dead : step.lastUses)
      values[dead].reset();
  }
  std::vector<Array> results;
  for (std::size_t output : outputs)
    results.push_back(std::move(*values[output]));
  return results;
}

/// Numbers between 0.1 and 2 by a multiplicative hash of the index; faster
/// than memory, which a generator with a state is not.
static void fill(float *values, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t hash =
        (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9;
    values[i] = 0.1f + static_cast<float>(hash >> 40) * (1.9f * 0x1p-24f);
  }
}

template <class Pointer>
Expected<Pointer> Pool::reserve(Slots &slots, std::size_t index,
                                std::int64_t count, std::uint64_t seed) {
  if (slots.size() <= index)
    slots.resize(index + 1);
  auto &slot = slots[index];
  if (!slot || slot->count() < count) {
    slot.reset();
    auto array = Array::make(DType::F32, {count});
    if (!array)
      return array.error();
    slot = std::move(*array);
    fill(static_cast<float *>(slot->data()), count, seed);
  }
  return static_cast<Pointer>(slot->data());
}
template Expected<float *> Pool::reserve(Slots &, std::size_t, std::int64_t,
                                         std::uint64_t);
template Expected<const float *> Pool::reserve(Slots &, std::size_t,
                                               std::int64_t, std::uint64_t);

Status tools::sameBits(const void *results, const void *expected,
                       std::int64_t count) {
  const auto *a = static_cast<const float *>(results);
  const auto *b = static_cast<const float *>(expected);
  for (std::int64_t i = 0; i < count; ++i)
    if (std::bit_cast<std::uint32_t>(a[i]) !=
            std::bit_cast<std::uint32_t>(b[i]) &&
        !(std::isnan(a[i]) && std::isnan(b[i])))
      return Error(ErrorCode::CompileFailed,
                   concat("wrong result: element ", i, " is ", a[i],
                          " and should be ", b[i]));
  return {};
}

Status Workload::compile(const Engine &engine) {
  auto compiled = engine.compile(text, {.precision = precision});
  if (!compiled)
    return compiled.error();
  const std::size_t operands = compiled->expression().operandCount();
  if (shapes.size() == 1)
    shapes.resize(std::max<std::size_t>(operands, 1), shapes[0]);
  if (shapes.size() < operands)
    return Error(ErrorCode::MissingOperand,
                 concat(shapes.size(), " shapes for ", operands, " operands"));
  kernel = std::move(*compiled);
  return {};
}

/// Views of the pool's outputs from index `first`.
Status Workload::addOutputs(std::vector<TensorView> &views, Pool &pool,
                            std::size_t first) const {
  for (std::size_t i = 0; i < kernel->outputCount(); ++i) {
    auto memory = pool.output(first + i, count());
    if (!memory)
      return memory.error();
    views.emplace_back(static_cast<void *>(*memory), DType::F32, outputShape);
  }
  return {};
}

Status Workload::allocate(Pool &pool) {
  inputs.clear();
  outputs.clear();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto memory = pool.input(i, shapes[i].elementCount());
    if (!memory)
      return memory.error();
    inputs.emplace_back(*memory, shapes[i]);
  }
  auto shape = kernel->outputShape(inputs);
  if (!shape)
    return shape.error();
  outputShape = *shape;
  return addOutputs(outputs, pool, 0);
}

Status Workload::verify(const Engine &engine, Pool &pool,
                        const RunOptions &options) {
  auto oracle =
      engine.compile(text, {.mode = Mode::Interpret, .precision = precision});
  if (!oracle)
    return oracle.error();
  std::vector<TensorView> expected;
  Status status = addOutputs(expected, pool, outputs.size());
  if (status)
    status = oracle->run(inputs, expected);
  if (status)
    status = run(options);
  for (std::size_t i = 0; status && i < outputs.size(); ++i)
    status = sameBits(outputs[i].data(), expected[i].data(), count());
  return status;
}

Status Workload::prepare(const Engine &engine, Pool &pool,
                         const RunOptions &options) {
  Status status = kernel ? Status() : compile(engine);
  // The pool may have moved since the last call.
  if (status)
    status = allocate(pool);
  if (status && verifiedThreads.insert(options.maxThreads).second)
    status = verify(engine, pool, options);
  return status;
}

Status Workload::prepareOpByOp(const Engine &engine,
                               const RunOptions &options) {
  if (rival)
    return {};
  auto made = OpByOp::make(engine, kernel->expression(), shapes, precision);
  if (!made)
    return made.error();
  rival = std::move(*made);
  auto results = rival->run(inputs, options);
  if (!results)
    return results.error();
  Status status = run(options);
  for (std::size_t i = 0; status && i < outputs.size(); ++i)
    // Outputs of a list broadcast together only where they are fused.
    if ((*results)[i].shape() == outputShape)
      status = sameBits((*results)[i].data(), outputs[i].data(), count());
  return status;
}

std::int64_t Workload::elements() const {
  std::int64_t most = count();
  for (std::uint32_t operand : kernel->expression().usedOperands())
    most = std::max(most, shapes[operand].elementCount());
  return most;
}

std::int64_t Workload::bytes() const {
  std::int64_t elements =
      count() * static_cast<std::int64_t>(kernel->outputCount());
  for (std::uint32_t operand : kernel->expression().usedOperands())
    elements += shapes[operand].elementCount();
  return elements * static_cast<std::int64_t>(sizeof(float));
}
