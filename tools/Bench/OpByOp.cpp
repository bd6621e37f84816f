//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/OpByOp.h"

#include <algorithm>
#include <optional>
#include <string>

using namespace kexpr;
using namespace kexpr::tools;

namespace kexpr::tools {
/// The stack machine that turns reverse Polish order into steps.
class OpByOpBuilder {
public:
  OpByOpBuilder(const Engine &engine, const Expression &expression,
                Span<const Shape> shapes)
      : engine(engine), expression(expression), shapes(shapes) {}

  Expected<OpByOp> build() {
    if (expression.rpn().empty())
      return Error(ErrorCode::Unsupported,
                   "an expression that names values is no list of steps");
    for (const RpnEntry &entry : expression.rpn())
      if (auto status = take(entry); !status)
        return status.error();
    for (const Item &item : stack)
      if (auto status = finish(item); !status)
        return status.error();
    product.findLastUses();
    return std::move(product);
  }

private:
  /// A tensor, or the text of a literal.
  struct Item {
    std::string literal;
    std::optional<OpByOp::Source> source = {};
    Shape shape = {};
  };

  Status take(const RpnEntry &entry) {
    const Node &node = expression.nodes()[entry.node];
    if (node.kind == NodeKind::Call)
      return call(node, entry.arity);
    if (node.kind == NodeKind::List)
      return {}; // At the root: the outputs are on the stack already.
    if (node.kind != NodeKind::Operand) {
      stack.push_back({std::string(expression.text().substr(
          node.range.begin, node.range.end - node.range.begin))});
      return {};
    }
    if (node.index >= shapes.size())
      return Error(ErrorCode::MissingOperand, "an operand has no shape");
    stack.push_back({"", OpByOp::Source{true, node.index}, shapes[node.index]});
    return {};
  }

  Status call(const Node &node, std::uint32_t arity) {
    const std::vector<Item> items(stack.end() - arity, stack.end());
    stack.resize(stack.size() - arity);
    std::string text = std::string(node.name) + "(";
    std::vector<Item> tensors;
    for (const Item &item : items) {
      text += &item == items.data() ? "" : ",";
      text += item.source ? "@" + std::to_string(tensors.size()) : item.literal;
      if (item.source)
        tensors.push_back(item);
    }
    text += ")";
    if (tensors.empty()) {
      stack.push_back({text});
      return {};
    }
    auto result = addStep(text, tensors);
    if (!result)
      return result.error();
    stack.push_back(*result);
    return {};
  }

  /// An output that no operator computes is copied, as the fused kernel does.
  Status finish(const Item &item) {
    if (item.source && !item.source->isInput) {
      product.results.push_back(item.source->index);
      return {};
    }
    auto copy = item.source ? addStep("@0", {item}) : addStep(item.literal, {});
    if (!copy)
      return copy.error();
    product.results.push_back(copy->source->index);
    return {};
  }

  Expected<Item> addStep(const std::string &text,
                         const std::vector<Item> &tensors) {
    auto kernel = engine.compile(text);
    if (!kernel)
      return kernel.error();
    std::vector<OpByOp::Source> arguments;
    std::vector<TensorView> views;
    for (const Item &tensor : tensors) {
      arguments.push_back(*tensor.source);
      // Only the shape counts here.
      views.emplace_back(static_cast<const void *>(this), DType::F32,
                         tensor.shape);
    }
    auto shape = kernel->outputShape(views);
    if (!shape)
      return shape.error();
    const auto index = static_cast<std::uint32_t>(product.steps.size());
    product.steps.push_back({*kernel, std::move(arguments), *shape, {}});
    return Item{"", OpByOp::Source{false, index}, *shape};
  }

  const Engine &engine;
  const Expression &expression;
  Span<const Shape> shapes;
  std::vector<Item> stack;
  OpByOp product;
};
} // namespace kexpr::tools

Expected<OpByOp> OpByOp::make(const Engine &engine,
                              const Expression &expression,
                              Span<const Shape> shapes) {
  return OpByOpBuilder(engine, expression, shapes).build();
}

void OpByOp::findLastUses() {
  std::vector<bool> needed(steps.size());
  for (std::uint32_t result : results)
    needed[result] = true;
  for (std::size_t i = steps.size(); i-- > 0;)
    for (const Source &argument : steps[i].arguments)
      if (!argument.isInput && !needed[argument.index]) {
        needed[argument.index] = true;
        steps[i].lastUses.push_back(argument.index);
      }
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
    for (const Source &argument : step.arguments)
      views.push_back(argument.isInput ? inputs[argument.index]
                                       : values[argument.index]->view());
    const TensorView output = result->view();
    if (auto status = step.kernel.run(views, output, options); !status)
      return status.error();
    values[i] = std::move(*result);
    for (std::uint32_t dead : step.lastUses)
      values[dead].reset();
  }
  std::vector<Array> outputs;
  for (std::uint32_t result : results)
    outputs.push_back(std::move(*values[result]));
  return outputs;
}
