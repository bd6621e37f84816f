//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/LoweringTable.h"

using namespace kexpr;
using namespace kexpr::graph;

static constexpr LoweringRow Rows[] = {
    // What changes no element in inference.
    {"nn.Identity nn.Dropout nn.Dropout2d nn.Dropout3d nn.AlphaDropout "
     "nn.FeatureAlphaDropout torch.positive torch.clone",
     "input", "", "{input}"},
    {"F.dropout F.dropout2d F.dropout3d F.alpha_dropout "
     "F.feature_alpha_dropout",
     "input p=0.5 training=False", "training=False", "{input}"},
    {"Tensor.to", "input dtype=None", "dtype=None", "{input}"},
    {"Tensor.to", "input dtype=None", "", "{dtype}({input})"},

    {"Tensor.type_as", "input other", "", "{input}", nullptr, "other"},

    // Activations.
    {"F.relu nn.ReLU", "input", "", "relu({input})"},
    {"F.relu6 nn.ReLU6", "input", "", "clamp({input},0,6)"},
    {"F.leaky_relu nn.LeakyReLU", "input negative_slope=0.01", "",
     "leaky_relu({input},{negative_slope})"},
    {"nn.PReLU F.prelu", "input", "", "leaky_relu({input},{weight})",
     preluChannels, "input"},
    {"nn.RReLU", "input lower=0.125 upper=0.3333333333333333", "",
     "leaky_relu({input},div(add({lower},{upper}),2))"},
    {"F.elu nn.ELU", "input alpha=1.0", "", "elu({input},{alpha})"},
    {"F.celu nn.CELU", "input alpha=1.0", "",
     "where(gt({input},0),{input},mul(expm1(div({input},{alpha})),{alpha}))"},
    {"F.selu nn.SELU", "input", "", "selu({input})"},
    {"F.silu nn.SiLU", "input", "", "silu({input})"},
    {"F.sigmoid nn.Sigmoid", "input", "", "sigmoid({input})"},
    {"F.logsigmoid nn.LogSigmoid", "input", "",
     "sub(minimum({input},0),log1p(exp(neg(abs({input})))))"},
    {"F.tanh nn.Tanh", "input", "", "tanh({input})"},
    {"F.tanhshrink nn.Tanhshrink", "input", "", "sub({input},tanh({input}))"},
    {"F.gelu nn.GELU", "input approximate=none", "approximate=none",
     "gelu({input})"},
    // 0.797... is sqrt(2 / pi).
    {"F.gelu nn.GELU", "input approximate=none", "approximate=tanh",
     "mul(mul({input},0.5),add(tanh(mul(mul(add(mul(mul({input},{input}),"
     "0.044715),1),{input}),0.7978845608028654)),1))"},
    {"F.mish nn.Mish", "input", "", "mish({input})"},
    {"F.softplus nn.Softplus", "input beta=1.0 threshold=20.0",
     "beta=1 threshold=20", "softplus({input})"},
    {"F.softplus nn.Softplus", "input beta=1.0 threshold=20.0", "",
     "where(gt(mul({input},{beta}),{threshold}),{input},"
     "div(log1p(exp(mul({input},{beta}))),{beta}))"},
    {"F.softsign nn.Softsign", "input", "", "div({input},add(abs({input}),1))"},
    {"F.hardswish nn.Hardswish", "input", "", "hardswish({input})"},
    {"F.hardsigmoid nn.Hardsigmoid", "input", "", "hardsigmoid({input})"},
    {"F.hardtanh nn.Hardtanh", "input min_val=-1.0 max_val=1.0", "",
     "clamp({input},{min_val},{max_val})"},
    {"F.hardshrink nn.Hardshrink", "input lambd=0.5", "",
     "where(le(abs({input}),{lambd}),0,{input})"},
    {"F.softshrink nn.Softshrink", "input lambd=0.5", "",
     "where(gt({input},{lambd}),sub({input},{lambd}),"
     "where(lt({input},neg({lambd})),add({input},{lambd}),0))"},
    {"F.threshold nn.Threshold", "input threshold value", "",
     "where(le({input},{threshold}),{value},{input})"},

    // Limits, choices, comparisons.
    {"torch.clamp", "input min=None max=None", "min=None",
     "minimum({input},{max})"},
    {"torch.clamp", "input min=None max=None", "max=None",
     "maximum({input},{min})"},
    {"torch.clamp", "input min=None max=None", "",
     "clamp({input},{min},{max})"},
    {"torch.where", "condition input other", "",
     "where({condition},{input},{other})"},
    {"Tensor.masked_fill", "input mask value", "",
     "where({mask},{value},{input})", nullptr, "input"},
    {"torch.eq", "input other", "", "eq({input},{other})"},
    {"torch.ne", "input other", "", "ne({input},{other})"},
    {"torch.lt", "input other", "", "lt({input},{other})"},
    {"torch.le", "input other", "", "le({input},{other})"},
    {"torch.gt", "input other", "", "gt({input},{other})"},
    {"torch.ge", "input other", "", "ge({input},{other})"},
    {"torch.logical_and", "input other", "", "logical_and({input},{other})"},
    {"torch.logical_or", "input other", "", "logical_or({input},{other})"},
    {"torch.logical_xor", "input other", "", "logical_xor({input},{other})"},
    {"torch.logical_not", "input", "", "logical_not({input})"},
    {"torch.bitwise_and", "input other", "", "and({input},{other})"},
    {"torch.bitwise_or", "input other", "", "or({input},{other})"},
    {"torch.bitwise_xor", "input other", "", "xor({input},{other})"},
    {"torch.bitwise_not", "input", "", "bitwise_not({input})"},
    {"torch.bitwise_left_shift", "input other", "", "lshift({input},{other})"},
    {"torch.bitwise_right_shift", "input other", "", "rshift({input},{other})"},

    // Inference alone: PNNX drops `training`.
    {"nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d F.batch_norm", "input", "",
     "add(mul({input},{scale}),{shift})", batchNormChannels, "input"},
};

Span<const LoweringRow> graph::loweringRows() {
  return {Rows, std::size(Rows)};
}
