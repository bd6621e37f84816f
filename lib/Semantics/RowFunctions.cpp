//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/RowFunctions.h"

#include "Semantics/RowFormulas.h"
#include "Support/Fork.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::semantics;

using enum RowArgument;

/// Those that are more than one reduction.
static constexpr RowFunction Composites[] = {
    {"iota",
     "x, axis",
     "the index of each element along the axis",
     ops::Exact,
     2,
     {Tensor, Along},
     2,
     makeIota,
     0,
     true},
    {"softmax",
     "x, axis",
     "e^x over the sum of e^x",
     {2, 0.51, 3},
     2,
     {Tensor, Axis},
     2,
     makeSoftmax},
    {"softmin",
     "x, axis",
     "softmax of -x",
     {2, 0.51, 3},
     2,
     {Tensor, Axis},
     2,
     makeSoftmin},
    {"log_softmax",
     "x, axis",
     "x - ln(sum of e^x)",
     {2, 0.51, 3},
     2,
     {Tensor, Axis},
     2,
     makeLogSoftmax},
    {"logsumexp",
     "x, axes, [keepdim]",
     "ln(sum of e^x)",
     {0.51, 0.51, 3},
     2,
     {Tensor, Axes, Stay},
     3,
     makeLogSumExp},
    {"var",
     "x, [axes, keepdim, correction]",
     "the sum of (x - mean)^2 over n - correction, which is 1",
     {0.51, 0.51, 3},
     1,
     {Tensor, Axes, Stay, Whole},
     4,
     makeVar},
    {"std",
     "x, [axes, keepdim, correction]",
     "the square root of var",
     {0.51, 0.51, 3},
     1,
     {Tensor, Axes, Stay, Whole},
     4,
     makeStd},
    {"norm",
     "x, [p, axes, keepdim]",
     "the norm of order p, which is 2: (sum of |x|^p)^(1/p)",
     {0.51, 0.51, 3},
     1,
     {Tensor, RowArgument::Number, Axes, Stay},
     4,
     makeNorm},
    {"normalize",
     "x, [p, axes, eps]",
     "x / max(norm of order p, eps), which is 1e-12",
     {2, 0.51, 3},
     1,
     {Tensor, Whole, Axes, RowArgument::Number},
     4,
     makeNormalize},
    {"layer_norm",
     "x, axes, [weight, bias, eps]",
     "(x - mean) / sqrt(variance + eps) * weight + bias; eps is 1e-5",
     {2, 0.51, 4},
     2,
     {Tensor, Axes, Maybe, Maybe, RowArgument::Number},
     5,
     makeLayerNorm},
    {"instance_norm",
     "x, [weight, bias, eps]",
     "layer_norm over all axes but the first two; weight and bias have an "
     "element for each of the second",
     {2, 0.51, 4},
     1,
     {Tensor, Maybe, Maybe, RowArgument::Number},
     4,
     makeInstanceNorm},
    {"group_norm",
     "x, groups, [weight, bias, eps]",
     "the same over all axes but the first, for so many groups of the second",
     {2, 0.51, 4},
     2,
     {Tensor, Count, Maybe, Maybe, RowArgument::Number},
     5,
     makeGroupNorm},
    {"rms_norm",
     "x, axes, [weight, eps]",
     "x / sqrt(mean of x^2 + eps) * weight; eps is the epsilon of the type",
     {2, 0.51, 3},
     2,
     {Tensor, Axes, Maybe, RowArgument::Number},
     4,
     makeRmsNorm},
    {"cosine_similarity",
     "x, y, axis, [eps]",
     "sum of x * y / (max(norm of x, eps) * max(norm of y, eps)); eps is "
     "1e-8",
     {0.51, 0.51, 3},
     3,
     {Tensor, Tensor, Axis, NotNegative},
     4,
     makeCosineSimilarity},
    {"mse_loss",
     "x, y",
     "the mean of (x - y)^2",
     {0.51, 0.51, 3},
     2,
     {Tensor, Tensor},
     2,
     makeMseLoss},
    {"l1_loss",
     "x, y",
     "the mean of |x - y|",
     {0.51, 0.51, 3},
     2,
     {Tensor, Tensor},
     2,
     makeL1Loss},
    {"smooth_l1_loss",
     "x, y, [beta]",
     "the mean of |x - y| - beta / 2, or (x - y)^2 / (2 beta) where |x - y| < "
     "beta; beta is 1",
     {0.51, 0.51, 3},
     2,
     {Tensor, Tensor, NotNegative},
     3,
     makeSmoothL1Loss},
    {"huber_loss",
     "x, y, [delta]",
     "the mean of delta (|x - y| - delta / 2), or (x - y)^2 / 2 where |x - y| "
     "< "
     "delta; delta is 1",
     {0.51, 0.51, 3},
     2,
     {Tensor, Tensor, Positive},
     3,
     makeHuberLoss},
    {"nll_loss",
     "x, classes, [weight, ignored]",
     "the mean over rows of -x where the class of the row is, along the second "
     "axis, times the weight of the class, over the mean of these weights; "
     "without rows of the class ignored, which is -100",
     {0.51, 0.51, 3},
     2,
     {Tensor, Classes, Maybe, Ignored},
     4,
     makeNllLoss},
    {"cross_entropy",
     "x, classes, [weight, ignored]",
     "nll_loss of log_softmax(x, 1)",
     {0.51, 0.51, 3},
     2,
     {Tensor, Classes, Maybe, Ignored},
     4,
     makeCrossEntropy},
};

static std::vector<RowFunction> makeTable() {
  std::vector<RowFunction> table;
  ops::ReductionId id = 0;
  for (const ops::ReductionEntry &each : ops::reductions()) {
    const bool isIndex = each.info.result == ops::ReductionResult::Index;
    table.push_back({each.info.name,
                     isIndex ? "x, [axis, keepdim]" : "x, [axes, keepdim]",
                     each.info.doc,
                     each.info.ulp,
                     1,
                     {Tensor, isIndex ? Axis : Axes, Stay},
                     3,
                     makeReduction,
                     id++});
  }
  for (id = 0; const ops::ReductionEntry &each : ops::reductions()) {
    if (!each.info.scan.empty())
      table.push_back({each.info.scan,
                       "x, axis",
                       each.info.scanDoc,
                       each.info.ulp,
                       2,
                       {Tensor, Along},
                       2,
                       makeScan,
                       id});
    ++id;
  }
  table.insert(table.end(), std::begin(Composites), std::end(Composites));
  return table;
}

static constinit Once<std::vector<RowFunction>> functions;

std::span<const RowFunction> semantics::rowFunctions() {
  return functions.get(makeTable);
}

const RowFunction *semantics::findRowFunction(std::string_view name) {
  for (const RowFunction &each : rowFunctions())
    if (each.name == name)
      return &each;
  return nullptr;
}

std::string RowFunction::takes() const {
  constexpr std::string_view names[] = {"a tensor",
                                        "a tensor of integers",
                                        "a tensor or None",
                                        "an axis",
                                        "an axis",
                                        "axes",
                                        "whether these stay",
                                        "an integer",
                                        "an integer",
                                        "a number",
                                        "a number",
                                        "a number",
                                        "an integer"};
  std::string text;
  for (std::size_t i = 0; i < most; ++i)
    text += concat(i == 0          ? ""
                   : i + 1 == most ? " and "
                                   : ", ",
                   names[static_cast<std::size_t>(list[i])]);
  return text;
}
