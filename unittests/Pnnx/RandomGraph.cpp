//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/RandomGraph.h"

using namespace kexpr;
using namespace kexpr::test;

RandomGraph::RandomGraph(std::function<unsigned()> source)
    : random(std::move(source)) {
  addInputs();
  const unsigned count = 2 + below(24);
  for (unsigned i = 0; i < count; ++i)
    addOperator(i);
  addOutputs();
}

/// Mostly one of the last, so that chains grow.
const std::string &RandomGraph::anyValue() {
  if (below(3) == 0)
    return oneOf(values);
  return values[values.size() - 1 -
                below(std::min<unsigned>(values.size(), 4))];
}

void RandomGraph::addInputs() {
  static const Shape shapes[] = {{2, 3, 4}, {2, 3, 4}, {2, 3, 4},
                                 {2, 3, 1}, {3, 1},    {4},
                                 {1, 1, 4}, {1},       {}};
  static constexpr DType types[] = {DType::F32, DType::F32,  DType::F32,
                                    DType::F16, DType::BF16, DType::F64,
                                    DType::I32, DType::I64,  DType::Bool};
  // PyTorch refuses u16, u32 and u64 beside other integers.
  static constexpr DType alone[] = {
      DType::F16, DType::BF16, DType::F64, DType::I16, DType::I32, DType::I64,
      DType::U8,  DType::U16,  DType::U32, DType::U64, DType::Bool};
  const bool isMixed = below(2) == 0;
  const DType common = below(3) == 0 ? oneOf(alone) : DType::F32;
  const unsigned count = 1 + below(5);
  for (unsigned i = 0; i < count; ++i) {
    const std::string index = std::to_string(i);
    inputs.push_back(
        {"in" + index, isMixed ? oneOf(types) : common, oneOf(shapes)});
    lines.push_back("pnnx.Input in" + index + " 0 1 x" + index);
    values.push_back("x" + index);
  }
}

void RandomGraph::addOperator(unsigned index) {
  static const char *const unary[] = {
      "F.relu",       "F.silu",       "F.sigmoid",  "nn.ReLU6", "F.tanh",
      "nn.Identity",  "F.leaky_relu", "F.softsign", "F.celu",   "F.hardtanh",
      "nn.Hardswish", "F.gelu",       "nn.Dropout"};
  const std::string name = "op" + std::to_string(index);
  const std::string result = "v" + std::to_string(index);
  switch (below(12)) {
  case 0:
    lines.push_back("test.Rotate " + name + " 1 1 " + anyValue() + " " +
                    result);
    break;
  case 1:
    lines.push_back("test.Rotate " + name + " 1 2 " + anyValue() + " " +
                    result + " " + result + "b");
    values.push_back(result + "b");
    break;
  case 2:
    lines.push_back("Tensor.to " + name + " 1 1 " + anyValue() + " " + result +
                    " dtype=torch." + (below(2) ? "float" : "half"));
    break;
  case 3:
  case 4:
  case 5:
    lines.push_back(std::string(oneOf(unary)) + " " + name + " 1 1 " +
                    anyValue() + " " + result);
    break;
  case 6:
  case 7:
    addRows(name, result);
    break;
  default:
    addExpression(name, result);
  }
  values.push_back(result);
}

void RandomGraph::addRows(const std::string &name, const std::string &result) {
  static const char *const reductions[] = {
      "torch.sum",  "torch.sum",       "torch.amax",  "torch.amin",
      "torch.prod", "torch.mean",      "torch.std",   "torch.var",
      "torch.norm", "torch.logsumexp", "torch.argmax"};
  static const char *const axes[] = {
      "dim=-1 keepdim=True", "dim=-1 keepdim=True",      "dim=-1",
      "dim=-2 keepdim=True", "dim=(-2,-1) keepdim=True", "dim=1 keepdim=False"};
  static const char *const rows[] = {
      "F.softmax",     "F.log_softmax", "F.softmin",           "torch.cumsum",
      "torch.cumprod", "F.normalize",   "F.instance_norm",     "F.layer_norm",
      "F.rms_norm",    "F.group_norm",  "nn.AdaptiveAvgPool1d"};
  static const char *const axis[] = {"dim=-1", "dim=-2", "dim=1"};
  const auto settingOf = [&](const std::string &function) -> std::string {
    if (function == "F.group_norm")
      return below(2) ? "num_groups=1" : "num_groups=3";
    if (function == "F.layer_norm" || function == "F.rms_norm")
      return below(2) ? "normalized_shape=(4)" : "normalized_shape=(3,4)";
    if (function == "F.instance_norm")
      return "use_input_stats=True";
    return function == "nn.AdaptiveAvgPool1d" ? "output_size=1" : oneOf(axis);
  };
  const bool isReduction = below(2) == 0;
  const std::string function = isReduction ? oneOf(reductions) : oneOf(rows);
  lines.push_back(function + " " + name + " 1 1 " + anyValue() + " " + result +
                  " " + (isReduction ? oneOf(axes) : settingOf(function)));
}

void RandomGraph::addExpression(const std::string &name,
                                const std::string &result) {
  static const char *const texts[] = {"add(@0,@1)",
                                      "mul(@0,@1)",
                                      "sub(@0,@1)",
                                      "maximum(@0,@1)",
                                      "add(@0,1)",
                                      "mul(@0,0.5)",
                                      "abs(@0)",
                                      "square(@0)",
                                      "add(mul(@0,@1),@2)",
                                      "div(@0,add(abs(@1),1.5))",
                                      "sqrt(abs(sub(@0,@1)))",
                                      "exp(minimum(@0,3))",
                                      "mul(@0,size(@1,-1))",
                                      "neg(@0)"};
  const std::string text = oneOf(texts);
  unsigned arity = 1;
  for (const char *operand : {"@1", "@2"})
    arity += text.find(operand) != text.npos;
  std::string line =
      "pnnx.Expression " + name + " " + std::to_string(arity) + " 1";
  for (unsigned i = 0; i < arity; ++i)
    line += " " + anyValue();
  lines.push_back(line + " " + result + " expr=" + text);
}

void RandomGraph::addOutputs() {
  const unsigned count = 1 + below(4);
  for (unsigned i = 0; i < count; ++i) {
    outputs.push_back("out" + std::to_string(i));
    lines.push_back("pnnx.Output " + outputs.back() + " 1 0 " +
                    (i == 0 ? values.back() : oneOf(values)));
  }
}
