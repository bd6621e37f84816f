//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/LoweringTable.h"

#include "Graph/Faults.h"
#include "Ops/Table.h"

#include <algorithm>
#include <cmath>

using namespace kexpr;
using namespace kexpr::graph;

static constexpr LoweringRow Lowerings[] = {
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
    {"F.relu nn.ReLU F.selu nn.SELU F.silu nn.SiLU F.sigmoid nn.Sigmoid "
     "F.tanh nn.Tanh F.mish nn.Mish F.hardswish nn.Hardswish F.hardsigmoid "
     "nn.Hardsigmoid",
     "input", "", "{}({input})"},
    {"F.relu6 nn.ReLU6", "input", "", "clamp({input},0,6)"},
    {"F.leaky_relu nn.LeakyReLU", "input negative_slope=0.01", "",
     "leaky_relu({input},{negative_slope})"},
    {"nn.PReLU F.prelu", "input", "", "leaky_relu({input},{weight})",
     preluChannels, "input"},
    {"nn.RReLU", "input lower=0.125 upper=0.3333333333333333", "",
     "leaky_relu({input},div(add({lower},{upper}),2))"},
    {"F.elu nn.ELU", "input alpha=1.0", "", "elu({input},{alpha})"},
    {"F.celu nn.CELU", "input alpha=1.0", "", "celu({input},{alpha})"},
    {"F.logsigmoid nn.LogSigmoid", "input", "",
     "sub(minimum({input},0),log1p(exp(neg(abs({input})))))"},
    {"F.tanhshrink nn.Tanhshrink", "input", "", "sub({input},tanh({input}))"},
    {"F.gelu nn.GELU", "input approximate=none", "approximate=none",
     "gelu({input})"},
    // 0.797... is sqrt(2 / pi).
    {"F.gelu nn.GELU", "input approximate=none", "approximate=tanh",
     "mul(mul({input},0.5),add(tanh(mul(mul(add(mul(mul({input},{input}),"
     "0.044715),1),{input}),0.7978845608028654)),1))"},
    {"F.softplus nn.Softplus", "input beta=1.0 threshold=20.0",
     "beta=1 threshold=20", "softplus({input})"},
    {"F.softplus nn.Softplus", "input beta=1.0 threshold=20.0", "",
     "softplus({input},{beta},{threshold})"},
    {"F.softsign nn.Softsign", "input", "", "softsign({input})"},
    {"F.hardtanh nn.Hardtanh", "input min_val=-1.0 max_val=1.0", "",
     "hardtanh({input},{min_val},{max_val})"},
    {"F.hardshrink nn.Hardshrink F.softshrink nn.Softshrink", "input lambd=0.5",
     "", "{}({input},{lambd})"},
    {"F.threshold nn.Threshold", "input threshold value", "",
     "threshold({input},{threshold},{value})"},

    // Functions that expression strings leave out. PNNX itself keeps the names
    // that TorchScript has for them.
    {"torch.isnan torch.isinf torch.isfinite torch.isposinf torch.isneginf "
     "torch.signbit torch.frac torch.exp2 torch.log2 torch.deg2rad "
     "torch.rad2deg aten::isnan aten::isinf aten::isfinite aten::isposinf "
     "aten::isneginf aten::signbit aten::frac aten::exp2 aten::log2 "
     "aten::deg2rad aten::rad2deg torch.erfc aten::erfc",
     "input", "", "{}({input})"},
    {"torch.copysign torch.fmax torch.fmin torch.hypot torch.xlogy "
     "aten::copysign aten::fmax aten::fmin aten::hypot aten::xlogy torch.gcd "
     "torch.lcm aten::gcd aten::lcm torch.ldexp aten::ldexp torch.nextafter "
     "aten::nextafter",
     "input other", "", "{}({input},{other})"},
    {"torch.heaviside aten::heaviside", "input values", "",
     "heaviside({input},{values})"},
    {"torch.logit", "input eps=None", "eps=None", "logit({input})"},
    {"torch.logit", "input eps=None", "",
     "logit(clamp({input},{eps},sub(1,{eps})))"},
    {"torch.nan_to_num", "input nan posinf neginf", "",
     "nan_to_num({input},{nan},{posinf},{neginf})"},
    {"torch.div", "input other rounding_mode=None", "rounding_mode=trunc",
     "trunc_divide({input},{other})"},
    {"torch.div", "input other rounding_mode=None", "rounding_mode=floor",
     "floor_divide({input},{other})"},
    {"torch.div", "input other rounding_mode=None", "rounding_mode=None",
     "div({input},{other})"},
    {"torch.lerp aten::lerp", "input end weight", "",
     "lerp({input},{end},{weight})"},

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
    {"torch.eq torch.ne torch.lt torch.le torch.gt torch.ge "
     "torch.logical_and torch.logical_or torch.logical_xor",
     "input other", "", "{}({input},{other})"},
    {"torch.logical_not torch.bitwise_not", "input", "", "{}({input})"},
    {"torch.bitwise_and", "input other", "", "and({input},{other})"},
    {"torch.bitwise_or", "input other", "", "or({input},{other})"},
    {"torch.bitwise_xor", "input other", "", "xor({input},{other})"},
    {"torch.bitwise_left_shift", "input other", "", "lshift({input},{other})"},
    {"torch.bitwise_right_shift", "input other", "", "rshift({input},{other})"},

    // Reductions.
    {"torch.sum torch.prod torch.mean", "input dim=None keepdim=False", "",
     "{}({input!},{dim?},{keepdim})"},
    {"torch.amax torch.amin torch.argmax torch.argmin torch.logsumexp",
     "input dim=None keepdim=False", "", "{}({input},{dim?},{keepdim})"},
    {"torch.max torch.min", "input dim=None keepdim=False", "dim=None",
     "a{}({input})"},
    {"torch.max torch.min", "input dim keepdim=False", "outputs=1",
     "a{}({input},{dim},{keepdim})"},
    {"torch.max torch.min", "input dim keepdim=False", "",
     "[a{}({input},{dim},{keepdim}),arg{}({input},{dim},{keepdim})]"},
    {"torch.var torch.std",
     "input dim=None keepdim=False unbiased=True correction=None",
     "correction=None unbiased=True", "{}({input},{dim?},{keepdim},1)"},
    {"torch.var torch.std",
     "input dim=None keepdim=False unbiased=True correction=None",
     "correction=None unbiased=False", "{}({input},{dim?},{keepdim},0)"},
    {"torch.var torch.std",
     "input dim=None keepdim=False unbiased=True correction=None",
     "correction=None", "{}({input},{dim?},{keepdim},{unbiased})"},
    {"torch.var torch.std", "input dim=None keepdim=False correction=1", "",
     "{}({input},{dim?},{keepdim},{correction})"},
    {"torch.cumsum torch.cumprod", "input dim", "", "{}({input!},{dim})"},
    {"torch.norm", "input p=2 dim=None keepdim=False", "p=fro",
     "norm({input},2,{dim?},{keepdim})"},
    {"torch.norm", "input p=2 dim=None keepdim=False", "",
     "norm({input},{p},{dim?},{keepdim})"},
    {"nn.AdaptiveAvgPool1d F.adaptive_avg_pool1d", "input output_size",
     "output_size=1", "mean({input},-1,True)"},
    {"nn.AdaptiveAvgPool1d F.adaptive_avg_pool1d", "input output_size",
     "output_size=[1]", "mean({input},-1,True)"},
    {"nn.AdaptiveAvgPool2d F.adaptive_avg_pool2d", "input output_size",
     "output_size=1", "mean({input},[-2,-1],True)"},
    {"nn.AdaptiveAvgPool2d F.adaptive_avg_pool2d", "input output_size",
     "output_size=[1,1]", "mean({input},[-2,-1],True)"},
    {"nn.AdaptiveAvgPool3d F.adaptive_avg_pool3d", "input output_size",
     "output_size=1", "mean({input},[-3,-2,-1],True)"},
    {"nn.AdaptiveAvgPool3d F.adaptive_avg_pool3d", "input output_size",
     "output_size=[1,1,1]", "mean({input},[-3,-2,-1],True)"},

    // Softmaxes and norms.
    {"F.softmax nn.Softmax F.softmin nn.Softmin F.log_softmax", "input dim", "",
     "{}({input!},{dim})"},
    {"nn.LogSoftmax", "input dim", "", "log_softmax({input!},{dim})"},
    {"nn.Softmax2d", "input", "", "softmax({input},-3)"},
    {"nn.LayerNorm F.layer_norm",
     "input normalized_shape weight=None bias=None eps=1e-5", "",
     "layer_norm({input},{last normalized_shape},{weight?},{bias?},{eps})"},
    {"nn.RMSNorm F.rms_norm", "input normalized_shape weight=None eps=None", "",
     "rms_norm({input},{last normalized_shape},{weight?},{eps?})"},
    {"F.normalize", "input p=2.0 dim=1 eps=1e-12", "",
     "normalize({input},{p},{dim},{eps})"},
    {"nn.InstanceNorm1d nn.InstanceNorm2d nn.InstanceNorm3d F.instance_norm",
     "input running_mean=None running_var=None weight=None bias=None eps=1e-5 "
     "track_running_stats=False use_input_stats=True",
     "track_running_stats=False use_input_stats=True running_mean=None "
     "running_var=None",
     "layer_norm({input},{spatial},{weight?},{bias?},{eps})",
     instanceNormChannels},
    {"nn.GroupNorm F.group_norm",
     "input num_groups weight=None bias=None eps=1e-5", "",
     "layer_norm({input},{grouped},{weight?},{bias?},{eps})", groupNormChannels,
     "", "num_groups"},

    // Inference alone: PNNX drops `training`.
    {"nn.InstanceNorm1d nn.InstanceNorm2d nn.InstanceNorm3d F.instance_norm",
     "input", "", "add(mul({input},{scale}),{shift})", runningNormChannels,
     "input"},
    {"nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d F.batch_norm", "input", "",
     "add(mul({input},{scale}),{shift})", batchNormChannels, "input"},
};

Span<const LoweringRow> graph::loweringRows() {
  return {Lowerings, std::size(Lowerings)};
}

const PnnxOperand *graph::inputOf(const PnnxModel &model,
                                  const PnnxOperator &op, std::string_view name,
                                  std::size_t position) {
  for (std::size_t i = 0; i < op.inputNames.size(); ++i)
    if (op.inputNames[i] == name)
      return &model.operands()[op.inputs[i]];
  if (!op.inputNames.empty() || position >= op.inputs.size())
    return nullptr;
  return &model.operands()[op.inputs[position]];
}

/// The constant of that name: an attribute of the operator, or what a
/// `pnnx.Attribute` that is its input holds. Null if there is none.
static const TensorView *constantOf(const PnnxModel &model,
                                    const PnnxOperator &op,
                                    std::string_view name,
                                    std::size_t position) {
  if (const TensorView *attribute = op.attribute(name))
    return attribute;
  const PnnxOperand *input = inputOf(model, op, name, position);
  if (!input)
    return nullptr;
  const PnnxOperator &producer = model.operators()[input->producer];
  return producer.type == "pnnx.Attribute" && producer.attributes.size() == 1
             ? &producer.attributes[0].tensor
             : nullptr;
}

namespace {
/// The elements of a constant as doubles.
struct ConstantNumbers {
  DType type; ///< F64 if it is that, else F32.
  std::size_t count;
  std::unique_ptr<double[]> values = // Not set to 0: all are written.
      std::make_unique_for_overwrite<double[]>(count);
};
} // namespace

static void convert(DType from, DType to, std::int64_t count,
                    const void *elements, void *results) {
  if (from == to)
    std::copy_n(static_cast<const unsigned char *>(elements),
                sizeOf(to) * count, static_cast<unsigned char *>(results));
  else
    ops::conversion(from, to)(count, &elements, results);
}

ChannelData::ChannelData(DType type, Span<const double> values)
    : bytes(new unsigned char[sizeOf(type) * values.size()]),
      tensor(static_cast<const void *>(bytes.get()), type,
             {static_cast<std::int64_t>(values.size())}) {
  convert(DType::F64, type, tensor.shape()[0], values.data(), bytes.get());
}

/// A constant that a row computes, of the type of `like`.
static NamedChannels makeChannels(std::string_view name,
                                  const ConstantNumbers &like,
                                  const ConstantNumbers &numbers) {
  return {name, std::make_shared<ChannelData>(
                    like.type,
                    Span<const double>(numbers.values.get(), numbers.count))};
}

static Expected<ConstantNumbers> readConstant(const PnnxModel &model,
                                              const PnnxOperator &op,
                                              std::string_view name,
                                              std::size_t position) {
  const TensorView *tensor = constantOf(model, op, name, position);
  if (!tensor)
    return Error(ErrorCode::Unsupported,
                 quotedName(name) + " is missing, or no constant");
  if (tensor->empty() || tensor->shape().rank() > 1)
    return Error(ErrorCode::Unsupported,
                 quotedName(name) + " is no list of numbers of a known type");
  const std::int64_t count = tensor->shape().elementCount();
  ConstantNumbers numbers{tensor->type() == DType::F64 ? DType::F64
                                                       : DType::F32,
                          static_cast<std::size_t>(count)};
  convert(tensor->type(), DType::F64, count, tensor->data(),
          numbers.values.get());
  return numbers;
}

static bool isAbsent(const PnnxModel &model, const PnnxOperator &op,
                     std::string_view name, std::size_t position) {
  const std::string *text = op.parameter(name);
  return !op.attribute(name) &&
         (!inputOf(model, op, name, position) || (text && *text == "None"));
}

/// A constant that may be missing: `otherwise` for each channel then.
static Expected<ConstantNumbers>
readOptional(const PnnxModel &model, const PnnxOperator &op,
             std::string_view name, std::size_t position, double otherwise,
             std::size_t channels) {
  if (!isAbsent(model, op, name, position))
    return readConstant(model, op, name, position);
  ConstantNumbers numbers{DType::F32, channels};
  std::fill_n(numbers.values.get(), channels, otherwise);
  return numbers;
}

static Expected<double> readEpsilon(const PnnxOperator &op, Texts &texts) {
  const std::string *text = op.parameter("eps");
  const Node *literal = texts.literal(text ? *text : "1e-5");
  if (!literal ||
      (literal->kind != NodeKind::Float && literal->kind != NodeKind::Integer))
    return Error(ErrorCode::InvalidArgument, "'eps' is no number");
  return literal->number;
}

Expected<std::vector<NamedChannels>>
graph::batchNormChannels(const PnnxModel &model, const PnnxOperator &op,
                         Texts &texts) {
  auto epsilon = readEpsilon(op, texts);
  if (!epsilon)
    return epsilon.error();
  auto mean = readConstant(model, op, "running_mean", 1);
  if (!mean)
    return mean.error();
  const std::size_t channels = mean->count;
  auto variance = readConstant(model, op, "running_var", 2);
  auto weight = readOptional(model, op, "weight", 3, 1, channels);
  auto bias = readOptional(model, op, "bias", 4, 0, channels);
  for (const auto *part : {&variance, &weight, &bias}) {
    if (!*part)
      return part->error();
    if ((*part)->count != channels)
      return Error(ErrorCode::ShapeMismatch,
                   concat("its constants differ in length: ", (*part)->count,
                          " and ", channels));
  }
  double *scale = variance->values.get(), *shift = bias->values.get();
  for (std::size_t i = 0; i < channels; ++i) {
    scale[i] = weight->values[i] / std::sqrt(scale[i] + *epsilon);
    shift[i] -= mean->values[i] * scale[i];
  }
  return std::vector<NamedChannels>{makeChannels("scale", *mean, *variance),
                                    makeChannels("shift", *mean, *bias)};
}

/// Axes of inputs with a batch, a channel and as many more as the type's digit.
static Status checkBatch(const PnnxModel &model, const PnnxOperator &op) {
  const PnnxOperand *input = inputOf(model, op, "input", 0);
  if (!input || !input->shape)
    return Error(ErrorCode::Unsupported, "the file says no rank of 'input'");
  const std::size_t rank = input->shape->rank();
  const std::size_t digit = op.type.find_first_of("123");
  if (rank >= 3 && (digit == op.type.npos || op.type[digit] - '0' + 2u == rank))
    return {};
  return Error(ErrorCode::Unsupported,
               concat("'input' of ", rank, " axes has no batch"));
}

/// `weight` and `bias`, as far as there are any, from a position on: a number
/// for each channel of the input, whose shape the file says.
static Expected<std::vector<NamedChannels>>
affineChannels(const PnnxModel &model, const PnnxOperator &op,
               std::size_t position) {
  if (op.inputNames.empty() && op.inputs.size() > 1)
    return Error(ErrorCode::Unsupported, "its inputs have no names");
  const std::int64_t channels = (*inputOf(model, op, "input", 0)->shape)[1];
  std::vector<NamedChannels> all;
  for (const std::string_view name : {"weight", "bias"}) {
    if (!isAbsent(model, op, name, position)) {
      auto constant = readConstant(model, op, name, position);
      if (!constant)
        return constant.error();
      if (channels >= 0 &&
          constant->count != static_cast<std::size_t>(channels))
        return Error(ErrorCode::ShapeMismatch,
                     concat(quotedName(name), " has ", constant->count,
                            " numbers for ", channels, " channels"));
      all.push_back(makeChannels(name, *constant, *constant));
    }
    ++position;
  }
  return all;
}

Expected<std::vector<NamedChannels>>
graph::instanceNormChannels(const PnnxModel &model, const PnnxOperator &op,
                            Texts &) {
  constexpr std::size_t weight = 3;
  Status status = checkBatch(model, op);
  return status ? affineChannels(model, op, weight) : status.error();
}

Expected<std::vector<NamedChannels>>
graph::groupNormChannels(const PnnxModel &model, const PnnxOperator &op,
                         Texts &) {
  const PnnxOperand *input = inputOf(model, op, "input", 0);
  if (!input || !input->shape)
    return Error(ErrorCode::Unsupported, "the file says no rank of 'input'");
  const std::size_t rank = input->shape->rank();
  if (rank < 2 || rank >= MaxRank)
    return Error(ErrorCode::Unsupported, concat("'input' has ", rank, " axes"));
  return affineChannels(model, op, 1);
}

Expected<std::vector<NamedChannels>>
graph::runningNormChannels(const PnnxModel &model, const PnnxOperator &op,
                           Texts &texts) {
  Status status = checkBatch(model, op);
  return status ? batchNormChannels(model, op, texts) : status.error();
}

Expected<std::vector<NamedChannels>>
graph::preluChannels(const PnnxModel &model, const PnnxOperator &op, Texts &) {
  auto weight = readConstant(model, op, "weight", 1);
  if (!weight)
    return weight.error();
  return std::vector<NamedChannels>{makeChannels("weight", *weight, *weight)};
}
