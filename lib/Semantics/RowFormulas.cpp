//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/RowFormulas.h"

#include "Support/Quote.h"
#include "Support/Text.h"

#include <cmath>
#include <initializer_list>

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
    form =
        simplify.precision == Precision::Accurate ? DType::F64 : heldType(type);
    if (!isFloatingPoint(type))
      fault = Error(ErrorCode::TypeMismatch, "");
  }

  const TypedValue &tensor(std::size_t i) const { return *settings.tensors[i]; }
  bool has(std::size_t i) const {
    return i < settings.tensors.size() && settings.tensors[i].has_value();
  }
  /// Whether axes that were asked to stay do, in what comes last.
  void setStay(bool stay) { axes.stay = stay; }
  bool isDouble() const { return form == DType::F64; }
  TypedValue view(ViewKind kind, const TypedValue &value,
                  std::uint64_t groups = 1) {
    return fault ? value : simplify.view(kind, value, tensor(0), groups);
  }
  /// `value` at the classes of the rows of the first tensor.
  TypedValue atClasses(ViewKind kind, const TypedValue &value) {
    return fault ? value
                 : simplify.atClasses(kind, value, tensor(0), tensor(1));
  }
  /// Elements of the first tensor at these.
  TypedValue elementsAt(const TypedValue &classes) {
    return fault ? tensor(0) : simplify.elementsAt(classes, tensor(0));
  }

  /// In a list arguments are made in its order, and so values have the same
  /// places whatever compiler builds this: code made ahead is found by them.
  TypedValue call(std::string_view op,
                  std::initializer_list<TypedValue> arguments) {
    return kept(simplify.call(*ops::findAny(op),
                              {arguments.begin(), arguments.size()}));
  }
  TypedValue as(DType to, const TypedValue &value) {
    return kept(simplify.cast(to, value));
  }
  TypedValue wide(const TypedValue &value) { return as(DType::F64, value); }
  TypedValue held(const TypedValue &value) { return as(form, value); }
  TypedValue number(double value) {
    return kept(simplify.number({.number = realNumber(value)}));
  }
  TypedValue whole(std::int64_t value) {
    return kept(simplify.number({.number = {.integer = value}}));
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
                                       form, uncounted);
  }
  /// The largest, for what is NaN itself where an element is. Elements are not
  /// rounded, as others of the formula are not.
  TypedValue most(const TypedValue &value) {
    return reduceWide("largest", held(value));
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
  DType type, form; ///< Of the first tensor, and what formulas compute in.
  std::optional<Error> fault;
};
} // namespace

using Made = Expected<TypedValue>;

Made semantics::makeReduction(Simplifier &simplify,
                              const RowSettings &settings) {
  return simplify.reduce(settings.reduction, settings.axes,
                         *settings.tensors[0]);
}

Made semantics::makeScan(Simplifier &simplify, const RowSettings &settings) {
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
  const TypedValue low =
      f.as(DType::F32, f.call("sub", {factor, f.wide(high)}));
  return f.call("scale_by", {f.held(value), high, low});
}

/// The same for a factor from 2^-160 to 2^60 and products below 2^63, by way of
/// a multiple of the factor, of which no part is subnormal.
static TypedValue multipleOf(Formula &f, const TypedValue &value,
                             const TypedValue &factor) {
  constexpr double multiple = 0x1p64, less = 1 - 0x1p-24;
  const TypedValue whole = f.call("mul", {factor, f.number(multiple)}),
                   nearly = f.call("mul", {factor, f.number(multiple * less)});
  const TypedValue product = productOf(f, value, whole, nearly);
  return f.call("mul", {product, f.number(1 / multiple)});
}

/// The factor that `exp_of` leaves in powers, and so in their sum.
static constexpr double Power = 0x1p64;

/// 2^64 e^(x - max).
static TypedValue powerOf(Formula &f, const TypedValue &x) {
  return f.call("exp_of", {f.held(x), f.held(f.most(x))});
}

/// e^(x - max) over its sum, which is wider. The factor stays on quotients, so
/// that of their products only the last may be subnormal.
static TypedValue softmaxOf(Formula &f, const TypedValue &x) {
  const TypedValue power = powerOf(f, x);
  const TypedValue sum = f.reduceWide("sum", power);
  if (f.isDouble())
    return f.call("div", {power, sum});
  const TypedValue inverse = f.call("div", {f.number(Power), sum});
  const TypedValue product = productOf(f, power, inverse, inverse);
  return f.call("mul", {product, f.number(1 / Power)});
}

Made semantics::makeSoftmax(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(softmaxOf(f, f.tensor(0)));
}

Made semantics::makeSoftmin(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(softmaxOf(f, f.call("neg", {f.tensor(0)})));
}

/// ln(sum of e^(x - max)), wide, or as good as f32 needs. Powers of 1 are
/// counted and the others added up for themselves, since a 1 would hide what a
/// logarithm near 0 is.
static TypedValue logOfPowers(Formula &f, const TypedValue &power) {
  const TypedValue isOne = f.call("ge", {power, f.number(Power)});
  const TypedValue ones =
      f.reduceWide("tally", f.call("where", {isOne, f.number(1), f.number(0)}));
  const TypedValue below =
      f.reduceWide("sum", f.call("where", {isOne, f.number(0), power}));
  const TypedValue more = f.call("sub", {f.wide(ones), f.number(1)});
  return f.call(f.isDouble() ? "log1p" : "log1p_of",
                {f.call("fma", {below, f.number(1 / Power), more})});
}

Made semantics::makeLogSoftmax(Simplifier &simplify,
                               const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue log = f.held(logOfPowers(f, powerOf(f, f.tensor(0))));
  // The difference is no larger than the result: it may be rounded.
  const TypedValue x = f.held(f.tensor(0)), most = f.held(f.most(f.tensor(0)));
  return f.result(f.call("sub", {f.call("sub", {x, most}), log}));
}

Made semantics::makeLogSumExp(Simplifier &simplify,
                              const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue x = f.wide(f.tensor(0)), most = f.most(x);
  const TypedValue origin = f.call(
      "where", {f.call("lt", {f.call("abs", {most}), f.number(INFINITY)}), most,
                f.number(0)});
  // What is far below the largest adds nothing that shows, 0 or not. Beside a
  // largest that is infinite only NaN counts.
  const TypedValue power =
      f.call(f.isDouble() ? "exp" : "exp_below", {f.call("sub", {x, origin})});
  f.setStay(settings.axes.stay);
  return f.result(f.call("add", {f.wide(f.most(f.tensor(0))),
                                 f.call("log", {f.reduceWide("sum", power)})}));
}

static TypedValue varianceOf(Formula &f, const RowSettings &settings) {
  const TypedValue x = f.wide(f.tensor(0));
  const TypedValue squares =
      f.call("square", {f.call("sub", {x, f.reduceWide("mean", x)})});
  f.setStay(settings.axes.stay);
  return f.reduceWide("mean", squares,
                      static_cast<std::uint32_t>(settings.whole.value_or(1)));
}

Made semantics::makeVar(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(varianceOf(f, settings));
}

Made semantics::makeStd(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(f.call("sqrt", {varianceOf(f, settings)}));
}

/// The norm of order p over the axes, wide.
static TypedValue normOf(Formula &f, const TypedValue &value, double p) {
  const TypedValue x = f.wide(value);
  if (p == 2)
    return f.call("sqrt", {f.reduceWide("sum", f.call("square", {x}))});
  const TypedValue size = f.call("abs", {x});
  if (p == 1)
    return f.reduceWide("sum", size);
  if (std::isinf(p))
    return f.wide(f.reduce(p > 0 ? "amax" : "amin", f.call("abs", {value})));
  if (p == 0)
    return f.reduceWide("sum", f.wide(f.call("ne", {x, f.number(0)})));
  return f.call("pow", {f.reduceWide("sum", f.call("pow", {size, f.number(p)})),
                        f.number(1 / p)});
}

Made semantics::makeNorm(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  f.setStay(settings.axes.stay);
  return f.result(normOf(f, f.tensor(0), settings.number.value_or(2)));
}

Made semantics::makeNormalize(Simplifier &simplify,
                              const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue &x = f.tensor(0);
  const double least = settings.number.value_or(1e-12);
  const auto order = static_cast<double>(settings.whole.value_or(2));
  const TypedValue norm =
      f.call("maximum", {normOf(f, x, order), f.wide(f.number(least))});
  // The largest element is no larger than its norm, of these orders.
  if (!f.isDouble() && order >= 1 && least >= 0x1p-60 && least <= 0x1p160)
    return f.result(multipleOf(f, x, f.call("reciprocal", {norm})));
  return f.result(f.held(f.call("div", {f.wide(x), norm})));
}

/// 1 / sqrt(square + epsilon), wide. It is rounded twice where that does not
/// show.
static TypedValue inverseRoot(Formula &f, const TypedValue &square,
                              double epsilon) {
  const TypedValue sum = f.call("add", {square, f.number(epsilon)});
  return f.isDouble() ? f.call("rsqrt", {sum})
                      : f.call("reciprocal", {f.call("sqrt", {sum})});
}

/// value * weight + bias; those that a call has are `seen` first.
template <class F>
static TypedValue scaled(Formula &f, const TypedValue &value, F seen) {
  if (f.has(1) && f.has(2))
    return f.call("fma", {value, seen(f.tensor(1)), seen(f.tensor(2))});
  if (f.has(1))
    return f.call("mul", {value, seen(f.tensor(1))});
  return f.has(2) ? f.call("add", {value, seen(f.tensor(2))}) : value;
}

static TypedValue scaled(Formula &f, const TypedValue &value) {
  return scaled(f, value, [](const TypedValue &each) { return each; });
}

/// What is one for all elements of a norm.
struct Norm {
  TypedValue first, second; ///< What `centred` takes.
  TypedValue inverse;       ///< 1 / sqrt(variance + epsilon), by its result.
};

/// x - mean, of which nothing is lost to the mean's rounding. The mean of f64
/// has two parts. That of f32 is none yet: f64 holds sums of f32 whole, if
/// their sizes are not far apart, and so the difference is taken of x and the
/// sum, times the number of elements.
static TypedValue centred(Formula &f, const TypedValue &x, const Norm &norm) {
  return f.isDouble()
             ? f.call("sub", {f.call("sub", {x, norm.first}), norm.second})
             : f.call("fma", {x, norm.first, norm.second});
}

static Norm normOver(Formula &f, const TypedValue &x,
                     const RowSettings &settings) {
  const auto inverseOf = [&](const TypedValue &variance) {
    return inverseRoot(f, variance, settings.number.value_or(1e-5));
  };
  const auto squareOf = [&](const Norm &norm) {
    return f.reduceWide("mean", f.call("square", {centred(f, x, norm)}));
  };
  Norm norm;
  if (f.isDouble()) {
    norm = {f.reduceWide("mean", x), f.reduceWide("rest_of_mean", x), {}};
    norm.inverse = inverseOf(squareOf(norm));
    return norm;
  }
  norm = {
      f.reduceWide("count", x), f.call("neg", {f.reduceWide("sum", x)}), {}};
  const TypedValue share = f.call("reciprocal", {norm.first});
  const TypedValue variance =
      f.call("mul", {squareOf(norm), f.call("square", {share})});
  norm.inverse = f.call("mul", {inverseOf(variance), share});
  return norm;
}

/// (x - mean) / sqrt(variance + epsilon).
static TypedValue normalizedBy(Formula &f, const Norm &norm) {
  return f.held(
      f.call("mul", {centred(f, f.wide(f.tensor(0)), norm), norm.inverse}));
}

/// The same over the axes.
static TypedValue normalized(Formula &f, const RowSettings &settings) {
  return normalizedBy(f, normOver(f, f.wide(f.tensor(0)), settings));
}

Made semantics::makeLayerNorm(Simplifier &simplify,
                              const RowSettings &settings) {
  Formula f(simplify, settings);
  return f.result(scaled(f, normalized(f, settings)));
}

/// The result, with a weight and bias for each channel.
static Made scaledByChannel(Formula &f, const TypedValue &value) {
  return f.result(scaled(f, value, [&](const TypedValue &each) {
    return f.view(ViewKind::Channels, each);
  }));
}

Made semantics::makeInstanceNorm(Simplifier &simplify,
                                 const RowSettings &settings) {
  Formula f(simplify, settings);
  f.axes.first = 2;
  return scaledByChannel(f, normalized(f, settings));
}

Made semantics::makeGroupNorm(Simplifier &simplify,
                              const RowSettings &settings) {
  Formula f(simplify, settings);
  f.axes.first = 2;
  const auto groups = static_cast<std::uint64_t>(*settings.whole);
  const TypedValue x = f.wide(f.view(ViewKind::Split, f.tensor(0), groups));
  const Norm norm = normOver(f, x, settings);
  // What is one for a group becomes one for a channel.
  const auto ofChannels = [&](const TypedValue &value) {
    const TypedValue each = f.view(ViewKind::Repeat, value, groups);
    return f.view(ViewKind::Join, f.call("where", {f.truth(), each, each}),
                  groups);
  };
  return scaledByChannel(
      f, normalizedBy(f, {ofChannels(norm.first), ofChannels(norm.second),
                          ofChannels(norm.inverse)}));
}

Made semantics::makeRmsNorm(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  const TypedValue &x = f.tensor(0);
  const double epsilon =
      settings.number.value_or(f.type == DType::F64 ? 0x1p-52 : 0x1p-23);
  const TypedValue inverse = inverseRoot(
      f, f.reduceWide("mean", f.call("square", {f.wide(x)})), epsilon);
  if (!f.isDouble() && epsilon >= 0x1p-100 && epsilon <= 0x1p256)
    return f.result(scaled(f, multipleOf(f, x, inverse)));
  return f.result(scaled(f, f.held(f.call("mul", {f.wide(x), inverse}))));
}

Made semantics::makeCosineSimilarity(Simplifier &simplify,
                                     const RowSettings &settings) {
  Formula f(simplify, settings);
  f.setStay(false);
  const double epsilon = settings.number.value_or(1e-8);
  const TypedValue least = f.wide(f.number(epsilon));
  const auto length = [&](const TypedValue &value) {
    return f.call("maximum", {normOf(f, value, 2), least});
  };
  // Both have the axes of both, so that each element counts as often.
  const TypedValue first = f.wide(f.tensor(0)), second = f.wide(f.tensor(1));
  const TypedValue x = f.call("where", {f.truth(), first, second});
  const TypedValue y = f.call("where", {f.truth(), second, first});
  const TypedValue products = f.call("mul", {x, y}),
                   sum = f.reduceWide("sum", products);
  // A product of lengths may be below the least number.
  const TypedValue part = f.call("div", {sum, length(x)}),
                   quotient = f.call("div", {part, length(y)});
  if (epsilon != 0)
    return f.result(quotient);
  // PyTorch adds up quotients: of no elements that is 0.
  const TypedValue count = f.reduceWide("count", products);
  return f.result(f.call(
      "where", {f.call("gt", {count, f.number(0)}), quotient, f.number(0)}));
}

static TypedValue differenceOf(Formula &f) {
  return f.call("sub", {f.wide(f.tensor(0)), f.wide(f.tensor(1))});
}

/// The mean of what each element adds to a loss.
static Made lossOf(Formula &f, const TypedValue &each) {
  f.setStay(false);
  return f.result(f.reduceWide("mean", each));
}

Made semantics::makeMseLoss(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return lossOf(f, f.call("square", {differenceOf(f)}));
}

Made semantics::makeL1Loss(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  return lossOf(f, f.call("abs", {differenceOf(f)}));
}

/// A parabola below a threshold and the line on which it ends, as PyTorch has
/// them: of the slope 1, or as steep as the threshold.
static Made bentLossOf(Formula &f, double threshold, bool isSteep) {
  const TypedValue difference = differenceOf(f), end = f.number(threshold),
                   size = f.call("abs", {difference});
  TypedValue near =
      f.call("mul", {f.call("square", {difference}), f.number(0.5)});
  TypedValue beyond = f.call("sub", {size, f.number(0.5 * threshold)});
  if (isSteep)
    beyond = f.call("mul", {beyond, end});
  else
    near = f.call("div", {near, end});
  return lossOf(f, f.call("where", {f.call("lt", {size, end}), near, beyond}));
}

Made semantics::makeSmoothL1Loss(Simplifier &simplify,
                                 const RowSettings &settings) {
  Formula f(simplify, settings);
  return bentLossOf(f, settings.number.value_or(1), false);
}

Made semantics::makeHuberLoss(Simplifier &simplify,
                              const RowSettings &settings) {
  Formula f(simplify, settings);
  return bentLossOf(f, settings.number.value_or(1), true);
}

namespace {
/// Losses of rows along the second axis, each of which has a class.
class ClassLoss {
public:
  ClassLoss(Formula &f, const RowSettings &settings)
      : f(f),
        ignored(static_cast<std::int64_t>(settings.number.value_or(-100))) {
    f.axes = {.axes = {1}, .stay = true};
  }

  /// Elements of the first tensor at the classes of rows.
  TypedValue own() { return f.wide(f.elementsAt(f.tensor(1))); }

  /// The weighted mean of what each row has; NaN where there is no such class.
  Made mean(const TypedValue &each) {
    // In i64, as is the class that is ignored.
    const TypedValue classes =
        f.as(DType::I64, f.view(ViewKind::Classes, f.tensor(1)));
    const TypedValue counts = f.call("ne", {classes, f.whole(ignored)}),
                     isClass = f.atClasses(ViewKind::IsClass, f.tensor(1)),
                     loss = f.call("where", {isClass, each, f.number(NAN)});
    const TypedValue weight = f.wide(
        f.has(2) ? f.atClasses(ViewKind::OfClass, f.tensor(2)) : f.number(1));
    f.axes = {};
    const auto total = [&](const TypedValue &value) {
      return f.reduceWide("sum", f.call("where", {counts, value, f.number(0)}));
    };
    const TypedValue sum = total(f.call("mul", {weight, loss}));
    return f.result(f.call("div", {sum, total(weight)}));
  }

private:
  Formula &f;
  const std::int64_t ignored;
};
} // namespace

Made semantics::makeNllLoss(Simplifier &simplify, const RowSettings &settings) {
  Formula f(simplify, settings);
  ClassLoss loss(f, settings);
  return loss.mean(f.call("neg", {loss.own()}));
}

Made semantics::makeCrossEntropy(Simplifier &simplify,
                                 const RowSettings &settings) {
  Formula f(simplify, settings);
  ClassLoss loss(f, settings);
  const TypedValue x = f.tensor(0), most = f.wide(f.most(x)),
                   log = logOfPowers(f, powerOf(f, x)),
                   below = f.call("sub", {loss.own(), most});
  return loss.mean(f.call("sub", {log, below}));
}

/// Ones of the shape of x, added up.
Made semantics::makeIota(Simplifier &simplify, const RowSettings &settings) {
  const auto whole = [&](std::int64_t value) {
    return simplify.number({.number = {.integer = value}});
  };
  const auto one = whole(1);
  const auto isTrue =
      simplify.number({.number = {.kind = Number::Kind::Bool, .integer = 1}});
  const auto x = simplify.cast(DType::I64, *settings.tensors[0]);
  if (!x || !one || !isTrue)
    return !x ? x : !one ? one : isTrue;
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
