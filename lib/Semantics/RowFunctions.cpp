//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/RowFunctions.h"

#include "Support/Fork.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <cmath>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {
/// Writes a function as calls of operators and reductions. The first error
/// stays.
class Formula {
public:
  Formula(Simplifier &simplify, const RowSettings &settings)
      : simplify(simplify), settings(settings), axes(settings.axes) {
    axes.stay = true;
    type = simplify.typeOf(tensor(0)).type;
    if (!isFloatingPoint(type))
      fault = Error(ErrorCode::TypeMismatch, "");
  }

  const TypedValue &tensor(std::size_t i) const { return *settings.tensors[i]; }
  bool has(std::size_t i) const {
    return i < settings.tensors.size() && settings.tensors[i].has_value();
  }
  /// Whether axes that were asked to stay do, in what comes last.
  void setStay(bool stay) { axes.stay = stay; }
  bool isDouble() const { return type == DType::F64; }
  TypedValue view(ViewKind kind, const TypedValue &value,
                  std::uint64_t groups = 1) {
    return fault ? value : simplify.view(kind, value, tensor(0), groups);
  }

  template <class... T>
  TypedValue call(std::string_view op, const T &...arguments) {
    const TypedValue list[] = {arguments...};
    return kept(simplify.call(*ops::findAny(op), list));
  }
  TypedValue as(DType to, const TypedValue &value) {
    return kept(simplify.cast(to, value));
  }
  TypedValue wide(const TypedValue &value) { return as(DType::F64, value); }
  /// In the type that formulas compute in for the first tensor's.
  TypedValue held(const TypedValue &value) { return as(heldType(type), value); }
  TypedValue number(double value) {
    return kept(simplify.number({.number = realNumber(value)}));
  }
  TypedValue truth() {
    return kept(simplify.number(
        {.number = {.kind = Number::Kind::Bool, .integer = 1}}));
  }
  TypedValue reduce(std::string_view name, const TypedValue &value) {
    return fault
               ? value
               : kept(simplify.reduce(*ops::findReduction(name), axes, value));
  }
  TypedValue reduceWide(std::string_view name, const TypedValue &value,
                        std::uint32_t uncounted = 0) {
    return fault ? value
                 : simplify.reduceWide(*ops::findReduction(name), axes, value,
                                       heldType(type), uncounted);
  }
  /// The largest, for what is NaN itself where an element is.
  TypedValue most(const TypedValue &value) {
    return reduceWide("largest", value);
  }
  /// The result, of the type of the first tensor.
  Expected<TypedValue> result(const TypedValue &value) {
    if (fault)
      return *fault;
    return simplify.rounded(type, value);
  }

private:
  TypedValue kept(Expected<TypedValue> value) {
    if (value)
      return *value;
    if (!fault)
      fault = value.error();
    return tensor(0);
  }

  Simplifier &simplify;
  const RowSettings &settings;

public:
  AxisSet axes;
  DType type;
  std::optional<Error> fault;
};
} // namespace

using Made = Expected<TypedValue>;

static Made makeReduction(Simplifier &simplify, const RowSettings &settings) {
  return simplify.reduce(settings.reduction, settings.axes,
                         *settings.tensors[0]);
}

static Made makeScan(Simplifier &simplify, const RowSettings &settings) {
  if (settings.axes.axes.size() != 1)
    return Error(
        ErrorCode::InvalidArgument,
        concat(quote(ops::allReductions()[settings.reduction].info.scan),
               " goes along one axis, which is written out"));
  return simplify.scan(settings.reduction, settings.axes, *settings.tensors[0]);
}

/// value * factor, one wide factor of many values. f32 takes it as two floats,
/// of which the first is `nearly`, rounded: a product is rounded once, in no
/// double lane. Where values may be -0 neither float may be negative, as zeros
/// of different signs add up to 0.
static TypedValue productOf(Formula &f, const TypedValue &value,
                            const TypedValue &factor,
                            const TypedValue &nearly) {
  const TypedValue high = f.as(DType::F32, nearly);
  const TypedValue low = f.as(DType::F32, f.call("sub", factor, f.wide(high)));
  return f.call("scale_by", f.held(value), high, low);
}

/// The same for a factor from 2^-160 to 2^60 and products below 2^63, by way of
/// a multiple of the factor, of which no part is subnormal.
static TypedValue multipleOf(Formula &f, const TypedValue &value,
                             const TypedValue &factor) {
  constexpr double multiple = 0x1p64, less = 1 - 0x1p-24;
  const TypedValue product =
      productOf(f, value, f.call("mul", factor, f.number(multiple)),
                f.call("mul", factor, f.number(multiple * less)));
  return f.call("mul", product, f.number(1 / multiple));
}

/// The factor that `exp_of` leaves in powers, and so in their sum.
static constexpr double Power = 0x1p64;

/// e^(x - max) over its sum, which is wider. The factor stays on quotients, so
/// that of their products only the last may be subnormal.
static TypedValue softmaxOf(Formula &f, const TypedValue &x) {
  const TypedValue power = f.call("exp_of", x, f.most(x));
  const TypedValue sum = f.reduceWide("sum", power);
  if (f.isDouble())
    return f.call("div", power, sum);
  const TypedValue inverse = f.call("div", f.number(Power), sum);
  const TypedValue product = productOf(f, power, inverse, inverse);
  return f.call("mul", product, f.number(1 / Power));
}

static Made makeSoftmax(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(softmaxOf(f, f.tensor(0)));
}

static Made makeSoftmin(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(softmaxOf(f, f.call("neg", f.tensor(0))));
}

static Made makeLogSoftmax(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue x = f.held(f.tensor(0)), most = f.most(x);
  const TypedValue sum = f.reduceWide("sum", f.call("exp_of", x, most));
  const TypedValue whole = f.call("mul", sum, f.number(1 / Power));
  const TypedValue log = f.held(f.call(f.isDouble() ? "log" : "log_of", whole));
  // The difference is no larger than the result: it may be rounded.
  return f.result(f.call("sub", f.call("sub", x, most), log));
}

static Made makeLogSumExp(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue x = f.wide(f.tensor(0)), most = f.most(x);
  const TypedValue origin =
      f.call("where", f.call("lt", f.call("abs", most), f.number(INFINITY)),
             most, f.number(0));
  // What is far below the largest adds nothing that shows, 0 or not. Beside a
  // largest that is infinite only NaN counts.
  const TypedValue power =
      f.call(f.isDouble() ? "exp" : "exp_below", f.call("sub", x, origin));
  f.setStay(settings.axes.stay);
  return f.result(f.call("add", f.wide(f.most(f.tensor(0))),
                         f.call("log", f.reduceWide("sum", power))));
}

static TypedValue varianceOf(Formula &f, const RowSettings &settings) {
  const TypedValue x = f.wide(f.tensor(0));
  const TypedValue squares =
      f.call("square", f.call("sub", x, f.reduceWide("mean", x)));
  f.setStay(settings.axes.stay);
  return f.reduceWide("mean", squares,
                      static_cast<std::uint32_t>(settings.whole.value_or(1)));
}

static Made makeVar(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(varianceOf(f, settings));
}

static Made makeStd(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(f.call("sqrt", varianceOf(f, settings)));
}

/// The norm of order p over the axes, wide.
static TypedValue normOf(Formula &f, const TypedValue &value, double p) {
  const TypedValue x = f.wide(value);
  if (p == 2)
    return f.call("sqrt", f.reduceWide("sum", f.call("square", x)));
  const TypedValue size = f.call("abs", x);
  if (p == 1)
    return f.reduceWide("sum", size);
  if (std::isinf(p))
    return f.wide(f.reduce(p > 0 ? "amax" : "amin", f.call("abs", value)));
  if (p == 0)
    return f.reduceWide("sum", f.wide(f.call("ne", x, f.number(0))));
  return f.call("pow", f.reduceWide("sum", f.call("pow", size, f.number(p))),
                f.number(1 / p));
}

static Made makeNorm(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  f.setStay(settings.axes.stay);
  return f.result(normOf(f, f.tensor(0), settings.number.value_or(2)));
}

static Made makeNormalize(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue &x = f.tensor(0);
  const double least = settings.number.value_or(1e-12);
  const auto order = static_cast<double>(settings.whole.value_or(2));
  const TypedValue norm =
      f.call("maximum", normOf(f, x, order), f.wide(f.number(least)));
  // The largest element is no larger than its norm, of these orders.
  if (!f.isDouble() && order >= 1 && least >= 0x1p-60 && least <= 0x1p160)
    return f.result(multipleOf(f, x, f.call("reciprocal", norm)));
  return f.result(f.held(f.call("div", f.wide(x), norm)));
}

/// 1 / sqrt(square + epsilon), wide. It is rounded twice where that does not
/// show.
static TypedValue inverseRoot(Formula &f, const TypedValue &square,
                              double epsilon) {
  const TypedValue sum = f.call("add", square, f.number(epsilon));
  return f.isDouble() ? f.call("rsqrt", sum)
                      : f.call("reciprocal", f.call("sqrt", sum));
}

/// value * weight + bias; those that a call has are `seen` first.
template <class F>
static TypedValue scaled(Formula &f, const TypedValue &value, F seen) {
  if (f.has(1) && f.has(2))
    return f.call("fma", value, seen(f.tensor(1)), seen(f.tensor(2)));
  if (f.has(1))
    return f.call("mul", value, seen(f.tensor(1)));
  return f.has(2) ? f.call("add", value, seen(f.tensor(2))) : value;
}

static TypedValue scaled(Formula &f, const TypedValue &value) {
  return scaled(f, value, [](const TypedValue &each) { return each; });
}

/// 1 / sqrt(variance + epsilon) of what is centred.
static TypedValue inverseOf(Formula &f, const TypedValue &centred,
                            const RowSettings &settings) {
  return inverseRoot(f, f.reduceWide("mean", f.call("square", centred)),
                     settings.number.value_or(1e-5));
}

/// (x - mean) / sqrt(variance + epsilon) over the axes.
static TypedValue normalized(Formula &f, const RowSettings &settings) {
  const TypedValue x = f.wide(f.tensor(0));
  const TypedValue centred = f.call("sub", x, f.reduceWide("mean", x));
  return f.held(f.call("mul", centred, inverseOf(f, centred, settings)));
}

static Made makeLayerNorm(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(scaled(f, normalized(f, settings)));
}

/// The result, with a weight and bias for each channel.
static Made scaledByChannel(Formula &f, const TypedValue &value) {
  return f.result(scaled(f, value, [&](const TypedValue &each) {
    return f.view(ViewKind::Channels, each);
  }));
}

static Made makeInstanceNorm(Simplifier &simplify,
                             const RowSettings &settings) {
  Formula f(simplify, settings);
  f.axes.first = 2;
  return scaledByChannel(f, normalized(f, settings));
}

static Made makeGroupNorm(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  f.axes.first = 2;
  const auto groups = static_cast<std::uint64_t>(*settings.whole);
  if (groups == 0)
    return Error(ErrorCode::InvalidArgument, "a norm of no groups");
  const TypedValue x = f.wide(f.view(ViewKind::Split, f.tensor(0), groups));
  const TypedValue mean = f.reduceWide("mean", x);
  const TypedValue inverse = inverseOf(f, f.call("sub", x, mean), settings);
  // What is one for a group becomes one for a channel.
  const auto ofChannels = [&](const TypedValue &value) {
    const TypedValue each = f.view(ViewKind::Repeat, value, groups);
    return f.view(ViewKind::Join, f.call("where", f.truth(), each, each),
                  groups);
  };
  const TypedValue centred =
      f.call("sub", f.wide(f.tensor(0)), ofChannels(mean));
  return scaledByChannel(f,
                         f.held(f.call("mul", centred, ofChannels(inverse))));
}

static Made makeRmsNorm(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue &x = f.tensor(0);
  const double epsilon =
      settings.number.value_or(f.isDouble() ? 0x1p-52 : 0x1p-23);
  const TypedValue inverse = inverseRoot(
      f, f.reduceWide("mean", f.call("square", f.wide(x))), epsilon);
  if (!f.isDouble() && epsilon >= 0x1p-100 && epsilon <= 0x1p256)
    return f.result(scaled(f, multipleOf(f, x, inverse)));
  return f.result(scaled(f, f.held(f.call("mul", f.wide(x), inverse))));
}

static Made makeCosineSimilarity(Simplifier &simplify,
                                 const RowSettings &settings) {
  Formula f(simplify, settings);
  f.setStay(false);
  const TypedValue least = f.wide(f.number(settings.number.value_or(1e-8)));
  const auto length = [&](const TypedValue &value) {
    return f.call("maximum", normOf(f, value, 2), least);
  };
  // Both have the axes of both, so that each element counts as often.
  const TypedValue first = f.wide(f.tensor(0)), second = f.wide(f.tensor(1));
  const TypedValue x = f.call("where", f.truth(), first, second);
  const TypedValue y = f.call("where", f.truth(), second, first);
  const TypedValue product = f.reduceWide("sum", f.call("mul", x, y));
  return f.result(f.call("div", product, f.call("mul", length(x), length(y))));
}

static Made makeMseLoss(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  f.setStay(false);
  return f.result(
      f.reduceWide("mean", f.call("square", f.call("sub", f.wide(f.tensor(0)),
                                                   f.wide(f.tensor(1))))));
}

static Made makeL1Loss(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  f.setStay(false);
  return f.result(f.reduceWide(
      "mean",
      f.call("abs", f.call("sub", f.wide(f.tensor(0)), f.wide(f.tensor(1))))));
}

/// Ones of the shape of x, added up.
static Made makeIota(Simplifier &simplify, const RowSettings &settings) {
  if (settings.axes.axes.size() != 1)
    return Error(ErrorCode::InvalidArgument,
                 "'iota' goes along one axis, which is written out");
  const auto whole = [&](std::int64_t value) {
    return simplify.number({.number = {.integer = value}});
  };
  const auto one = whole(1);
  const auto isTrue =
      simplify.number({.number = {.kind = Number::Kind::Bool, .integer = 1}});
  const auto x = simplify.cast(DType::I64, *settings.tensors[0]);
  if (!one || !isTrue || !x)
    return !one ? one : !x ? x : isTrue;
  const TypedValue choice[] = {*isTrue, *one, *x};
  auto ones = simplify.call(*ops::find("where"), choice);
  if (!ones)
    return ones;
  auto counts = simplify.scan(*ops::findReduction("sum"), settings.axes, *ones);
  if (!counts)
    return counts;
  const TypedValue distance[] = {*counts, *one};
  return simplify.call(*ops::find("sub"), distance);
}

using enum RowArgument;

/// Those that are more than one reduction.
static constexpr RowFunction Composites[] = {
    {"iota",
     "x, axis",
     "the index of each element along the axis",
     ops::Exact,
     2,
     {Tensor, Axis},
     2,
     makeIota,
     0,
     true},
    {"softmax",
     "x, axis",
     "e^x over the sum of e^x",
     {2, 2, 3},
     2,
     {Tensor, Axis},
     2,
     makeSoftmax},
    {"softmin",
     "x, axis",
     "softmax of -x",
     {2, 2, 3},
     2,
     {Tensor, Axis},
     2,
     makeSoftmin},
    {"log_softmax",
     "x, axis",
     "x - ln(sum of e^x)",
     {2, 2, 3},
     2,
     {Tensor, Axis},
     2,
     makeLogSoftmax},
    {"logsumexp",
     "x, axes, [keepdim]",
     "ln(sum of e^x)",
     {1, 1, 3},
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
     {2, 2, 3},
     1,
     {Tensor, Whole, Axes, RowArgument::Number},
     4,
     makeNormalize},
    {"layer_norm",
     "x, axes, [weight, bias, eps]",
     "(x - mean) / sqrt(variance + eps) * weight + bias; eps is 1e-5",
     {2, 2, 3},
     2,
     {Tensor, Axes, Maybe, Maybe, RowArgument::Number},
     5,
     makeLayerNorm},
    {"instance_norm",
     "x, [weight, bias, eps]",
     "layer_norm over all axes but the first two; weight and bias have an "
     "element for each of the second",
     {2, 2, 3},
     1,
     {Tensor, Maybe, Maybe, RowArgument::Number},
     4,
     makeInstanceNorm},
    {"group_norm",
     "x, groups, [weight, bias, eps]",
     "the same over all axes but the first, for so many groups of the second",
     {2, 2, 3},
     2,
     {Tensor, Whole, Maybe, Maybe, RowArgument::Number},
     5,
     makeGroupNorm},
    {"rms_norm",
     "x, axes, [weight, eps]",
     "x / sqrt(mean of x^2 + eps) * weight; eps is the epsilon of the type",
     {2, 2, 3},
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
     {Tensor, Tensor, Axis, RowArgument::Number},
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
                       {Tensor, Axis},
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
  constexpr std::string_view names[] = {
      "a tensor",           "a tensor or None", "an axis", "axes",
      "whether these stay", "an integer",       "a number"};
  std::string text;
  for (std::size_t i = 0; i < most; ++i)
    text += concat(i == 0          ? ""
                   : i + 1 == most ? " and "
                                   : ", ",
                   names[static_cast<std::size_t>(list[i])]);
  return text;
}
