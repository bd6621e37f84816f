//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every type of operator that kexpr computes, against what PyTorch means by it.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphRows.h"
#include "TestUtil/Floats.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// What one or two arguments come to.
struct Meaning {
  const char *types; ///< Separated by blanks.
  const char *parameters;
  double (*of)(double x, double y);
  int inputs = 1;
};

class GraphLowering : public GraphTest {};
} // namespace

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double erfGelu(double x) {
  return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}
static double tanhGelu(double x) {
  return x / 2 *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double softplus(double x, double beta, double threshold) {
  return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
}
static double logit(double x) { return std::log(x / (1 - x)); }
static double elu(double x, double alpha) {
  return x > 0 ? x : alpha * std::expm1(x);
}

#define X(value) [](double x, double) -> double { return value; }
#define XY(value) [](double x, double y) -> double { return value; }

static const Meaning Meanings[] = {
    {"nn.Identity nn.Dropout nn.Dropout2d nn.Dropout3d nn.AlphaDropout "
     "nn.FeatureAlphaDropout torch.positive torch.clone F.dropout F.dropout2d "
     "F.dropout3d F.alpha_dropout F.feature_alpha_dropout",
     "p=0.5 training=False", X(x)},
    {"Tensor.to", "copy=False dtype=torch.float memory_format=None", X(x)},
    {"Tensor.to", "copy=True dtype=None", X(x)},
    {"Tensor.to", "dtype=torch.int", X(std::trunc(x))},
    {"Tensor.to", "dtype=torch.bool", X(x != 0)},
    {"F.relu nn.ReLU", "", X(std::max(x, 0.0))},
    {"F.relu6 nn.ReLU6", "", X(std::clamp(x, 0.0, 6.0))},
    {"F.leaky_relu nn.LeakyReLU", "negative_slope=0.2", X(x > 0 ? x : 0.2 * x)},
    {"F.leaky_relu", "", X(x > 0 ? x : 0.01 * x)},
    {"nn.RReLU", "lower=0.25 upper=0.75", X(x > 0 ? x : 0.5 * x)},
    {"F.elu nn.ELU", "alpha=0.5", X(elu(x, 0.5))},
    {"F.elu", "", X(elu(x, 1))},
    {"F.celu nn.CELU", "alpha=2.0", X(x > 0 ? x : 2 * std::expm1(x / 2))},
    {"F.selu nn.SELU", "", X(1.0507009873554805 * elu(x, 1.6732632423543773))},
    {"F.silu nn.SiLU", "", X(x *sigmoid(x))},
    {"F.sigmoid nn.Sigmoid", "", X(sigmoid(x))},
    {"F.logsigmoid nn.LogSigmoid", "", X(std::log(sigmoid(x)))},
    {"F.tanh nn.Tanh", "", X(std::tanh(x))},
    {"F.tanhshrink nn.Tanhshrink", "", X(x - std::tanh(x))},
    {"F.gelu nn.GELU", "", X(erfGelu(x))},
    {"F.gelu nn.GELU", "approximate=none", X(erfGelu(x))},
    {"F.gelu nn.GELU", "approximate=tanh", X(tanhGelu(x))},
    {"F.mish nn.Mish", "", X(x *std::tanh(std::log1p(std::exp(x))))},
    {"F.softplus nn.Softplus", "beta=1 threshold=20", X(softplus(x, 1, 20))},
    {"F.softplus nn.Softplus", "beta=2.0 threshold=3.0", X(softplus(x, 2, 3))},
    {"F.softsign nn.Softsign", "", X(x / (1 + std::fabs(x)))},
    {"F.hardswish nn.Hardswish", "", X(x *std::clamp(x + 3, 0.0, 6.0) / 6)},
    {"F.hardsigmoid nn.Hardsigmoid", "", X(std::clamp(x + 3, 0.0, 6.0) / 6)},
    {"F.hardtanh nn.Hardtanh", "max_val=2.5 min_val=-1.5",
     X(std::clamp(x, -1.5, 2.5))},
    {"F.hardtanh", "", X(std::clamp(x, -1.0, 1.0))},
    {"F.hardshrink nn.Hardshrink", "lambd=0.75",
     X(std::fabs(x) > 0.75 ? x : 0)},
    {"F.softshrink nn.Softshrink", "lambd=0.75",
     X(x > 0.75    ? x - 0.75
       : x < -0.75 ? x + 0.75
                   : 0)},
    {"F.threshold nn.Threshold", "threshold=1.5 value=-7", X(x > 1.5 ? x : -7)},
    {"torch.isnan aten::isnan", "", X(std::isnan(x))},
    {"torch.isinf aten::isinf", "", X(std::isinf(x))},
    {"torch.isfinite aten::isfinite", "", X(std::isfinite(x))},
    {"torch.isposinf aten::isposinf", "", X(x == HUGE_VAL)},
    {"torch.isneginf aten::isneginf", "", X(x == -HUGE_VAL)},
    {"torch.signbit aten::signbit", "", X(std::signbit(x))},
    {"torch.frac aten::frac", "", X(x - std::trunc(x))},
    {"torch.exp2 aten::exp2", "", X(std::exp2(x))},
    {"torch.erfc aten::erfc", "", X(std::erfc(x))},
    {"torch.log2 aten::log2", "", X(std::log2(x))},
    {"torch.deg2rad aten::deg2rad", "", X(x *M_PI / 180)},
    {"torch.rad2deg aten::rad2deg", "", X(x * 180 / M_PI)},
    {"torch.copysign aten::copysign", "", XY(std::copysign(x, y)), 2},
    {"torch.ldexp aten::ldexp", "", XY(x * std::exp2(y)), 2},
    {"torch.nextafter aten::nextafter", "", XY(y == x ? y : x), 2},
    {"torch.fmax aten::fmax", "", XY(std::fmax(x, y)), 2},
    {"torch.fmin aten::fmin", "", XY(std::fmin(x, y)), 2},
    {"torch.hypot aten::hypot", "", XY(std::hypot(x, y)), 2},
    {"torch.xlogy aten::xlogy", "", XY(x == 0 ? 0 : x * std::log(y)), 2},
    {"torch.heaviside aten::heaviside", "", XY(x == 0 ? y : x > 0), 2},
    {"torch.logit", "", X(logit(x))},
    {"torch.logit", "eps=None", X(logit(x))},
    {"torch.logit", "eps=0.25", X(logit(std::clamp(x, 0.25, 0.75)))},
    {"torch.nan_to_num", "nan=1.0 neginf=-2.0 posinf=2.0", X(x)},
    {"torch.div", "rounding_mode=trunc", XY(std::trunc(x / y)), 2},
    {"torch.div", "rounding_mode=floor", XY(std::floor(x / y)), 2},
    {"torch.div", "rounding_mode=None", XY(x / y), 2},
    {"torch.lerp aten::lerp", "weight=0.25", XY(x + 0.25 * (y - x)), 2},
    {"torch.lerp aten::lerp", "weight=0.75", XY(x + 0.75 * (y - x)), 2},
    {"torch.clamp", "max=3 min=-0.5", X(std::clamp(x, -0.5, 3.0))},
    {"torch.clamp", "max=None min=-0.5", X(std::max(x, -0.5))},
    {"torch.clamp", "max=0.5 min=None", X(std::min(x, 0.5))},
    {"torch.clamp", "max=2.0", XY(std::min(std::max(x, y), 2.0)), 2},
    {"torch.eq", "", XY(x == y), 2},
    {"torch.ne", "", XY(x != y), 2},
    {"torch.lt", "", XY(x < y), 2},
    {"torch.le", "", XY(x <= y), 2},
    {"torch.gt", "", XY(x > y), 2},
    {"torch.ge", "", XY(x >= y), 2},
    {"torch.gt", "other=0.5", X(x > 0.5)},
    {"torch.logical_and", "", XY(x &&y), 2},
    {"torch.logical_or", "", XY(x || y), 2},
    {"torch.logical_xor", "", XY(!x != !y), 2},
    {"torch.logical_not", "", X(!x)},
    {"pnnx.Expression", "expr=add(mul(@0,2),1.5)", X(2 * x + 1.5)},
    {"pnnx.Expression", "expr=sub(@1,@0)", XY(y - x), 2},
};

/// What an output's elements are as doubles.
static std::vector<double> doublesOf(const TensorView &view) {
  const Kernel widen =
      *Engine().compile("torch.double(@0)", {.mode = Mode::Interpret,
                                             .operandTypes = {view.type()}});
  std::vector<double> values(view.shape().elementCount());
  EXPECT_TRUE(widen.run(view, TensorView(static_cast<void *>(values.data()),
                                         DType::F64, view.shape())));
  return values;
}

static std::vector<std::string> typesOf(const Meaning &meaning) {
  std::istringstream words(meaning.types);
  return {std::istream_iterator<std::string>(words), {}};
}

static PnnxModel modelOf(const Meaning &meaning, const std::string &type) {
  std::vector<std::string> lines = {"pnnx.Input in0 0 1 x"};
  if (meaning.inputs == 2)
    lines.emplace_back("pnnx.Input in1 0 1 y");
  lines.push_back(type + " op " + std::to_string(meaning.inputs) + " 1 x " +
                  (meaning.inputs == 2 ? "y " : "") + "z " +
                  meaning.parameters);
  lines.emplace_back("pnnx.Output out 1 0 z");
  return test::modelOf(lines);
}

TEST_F(GraphLowering, MeansWhatPyTorchMeans) {
  Floats x = someFloats({41}), y = someFloats({41}, 2);
  for (const Meaning &meaning : Meanings)
    for (const std::string &type : typesOf(meaning)) {
      auto graph = make(modelOf(meaning, type));
      std::vector<NamedTensor> inputs = {{"in0", x.view()}};
      if (meaning.inputs == 2)
        inputs.push_back({"in1", y.view()});
      const Status status = graph.run(inputs);
      if (!status) {
        ADD_FAILURE() << status.error().message();
        continue;
      }
      const auto values = doublesOf(*graph.output("out"));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double exact = meaning.of(x.data[i], y.data[i]);
        if (!std::isfinite(exact))
          EXPECT_TRUE(sameFloat(values[i], exact))
              << type << " of " << x.data[i];
        else
          EXPECT_NEAR(values[i], exact, 2e-6 * std::max(1.0, std::fabs(exact)))
              << type << " of " << x.data[i];
      }
    }
}

TEST_F(GraphLowering, EveryTypeIsTested) {
  // GraphChannelsTest has these.
  std::set<std::string> tested = {"nn.BatchNorm1d",
                                  "nn.BatchNorm2d",
                                  "nn.BatchNorm3d",
                                  "F.batch_norm",
                                  "nn.PReLU",
                                  "F.prelu",
                                  "torch.where",
                                  "Tensor.masked_fill",
                                  "Tensor.type_as",
                                  "torch.gcd",
                                  "aten::gcd",
                                  "torch.lcm",
                                  "aten::lcm",
                                  "torch.bitwise_and",
                                  "torch.bitwise_not",
                                  "torch.bitwise_or",
                                  "torch.bitwise_xor",
                                  "torch.bitwise_left_shift",
                                  "torch.bitwise_right_shift"};
  for (const Meaning &meaning : Meanings)
    for (const std::string &type : typesOf(meaning))
      tested.insert(type);
  tested.merge(rowTypes());
  const auto types = LayerRegistry::elementwiseTypes();
  EXPECT_EQ(tested, std::set<std::string>(types.begin(), types.end()));
}
