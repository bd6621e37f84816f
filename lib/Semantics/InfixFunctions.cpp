//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/InfixFunctions.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

using namespace kexpr;
using namespace kexpr::semantics;

/// What is not in the operator table by its own name, or has other types there;
/// sorted by name.
static constexpr InfixFunction Functions[] = {
    {"abs", "abs", Typing::Absolute},
    {"absolute", "abs", Typing::Absolute},
    {"add", "add", Typing::Common},
    {"arccos", "acos", Typing::Float},
    {"arccosh", "acosh", Typing::Float},
    {"arcsin", "asin", Typing::Float},
    {"arcsinh", "asinh", Typing::Float},
    {"arctan", "atan", Typing::Float},
    {"arctan2", "atan2", Typing::Float},
    {"arctanh", "atanh", Typing::Float},
    {"around", "round", Typing::Nearest},
    {"bitwise_and", "and", Typing::Bits},
    {"bitwise_invert", "bitwise_not", Typing::Bits},
    {"bitwise_left_shift", "lshift", Typing::Shift},
    {"bitwise_or", "or", Typing::Bits},
    {"bitwise_right_shift", "rshift", Typing::Shift},
    {"bitwise_xor", "xor", Typing::Bits},
    {"ceil", "ceil", Typing::Round},
    {"clamp", "clamp", Typing::Clip},
    {"clip", "clamp", Typing::Clip},
    {"deg2rad", "mul", Typing::Radians},
    {"degrees", "mul", Typing::Degrees},
    {"div", "div", Typing::Divide},
    {"divide", "div", Typing::Divide},
    {"equal", "eq", Typing::Compare},
    {"fabs", "abs", Typing::Float},
    {"fix", "trunc", Typing::Round},
    {"floor", "floor", Typing::Round},
    {"floor_divide", "floor_divide", Typing::Whole},
    {"fmod", "fmod", Typing::Whole},
    {"greater", "gt", Typing::Compare},
    {"greater_equal", "ge", Typing::Compare},
    {"invert", "bitwise_not", Typing::Bits},
    {"ldexp", "ldexp", Typing::Scale},
    {"left_shift", "lshift", Typing::Shift},
    {"less", "lt", Typing::Compare},
    {"less_equal", "le", Typing::Compare},
    {"max", "amax", Typing::Extreme},
    {"maximum", "maximum", Typing::Common},
    {"min", "amin", Typing::Extreme},
    {"minimum", "minimum", Typing::Common},
    {"mod", "remainder", Typing::Rest},
    {"multiply", "mul", Typing::Common},
    {"negative", "neg", Typing::NoBool},
    {"not_equal", "ne", Typing::Compare},
    {"positive", "", Typing::Positive},
    {"pow", "pow", Typing::Power},
    {"power", "pow", Typing::Power},
    {"rad2deg", "mul", Typing::Degrees},
    {"radians", "mul", Typing::Radians},
    {"reciprocal", "reciprocal", Typing::Inverse},
    {"remainder", "remainder", Typing::Rest},
    {"right_shift", "rshift", Typing::Shift},
    {"rint", "round", Typing::Float},
    {"round", "round", Typing::Nearest},
    {"sign", "sign", Typing::Sign},
    {"square", "square", Typing::Whole},
    {"subtract", "sub", Typing::NoBool},
    {"true_divide", "div", Typing::Divide},
    {"trunc", "trunc", Typing::Round},
    {"where", "where", Typing::Where},
};

/// The names of conversions: NumPy's types and Python's.
static constexpr std::pair<std::string_view, DType> InfixCasts[] = {
    {"bfloat16", DType::BF16}, {"bool", DType::Bool},   {"bool_", DType::Bool},
    {"float", DType::F64},     {"float16", DType::F16}, {"float32", DType::F32},
    {"float64", DType::F64},   {"int", DType::I64},     {"int16", DType::I16},
    {"int32", DType::I32},     {"int64", DType::I64},   {"int8", DType::I8},
    {"uint16", DType::U16},    {"uint32", DType::U32},  {"uint64", DType::U64},
    {"uint8", DType::U8},
};

static constexpr std::pair<std::string_view, double> Constants[] = {
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
};

template <class T>
static auto findIn(const T &table, std::string_view name)
    -> decltype(&table[0].second) {
  for (const auto &[key, value] : table)
    if (key == name)
      return &value;
  return nullptr;
}

std::optional<DType> semantics::infixCast(std::string_view name) {
  const DType *type = findIn(InfixCasts, name);
  return type ? std::optional(*type) : std::nullopt;
}

std::optional<double> semantics::infixConstant(std::string_view name) {
  const double *value = findIn(Constants, name);
  return value ? std::optional(*value) : std::nullopt;
}

/// What the rule of an operator is under NumPy.
static Typing typingOf(const ops::OpInfo &info) {
  if (info.takesCondition)
    return Typing::Where;
  if (info.result == ops::ResultRule::Bool &&
      info.types != ops::TypeRule::Truth)
    return Typing::Compare;
  switch (info.types) {
  case ops::TypeRule::Numeric:
    return Typing::Common;
  case ops::TypeRule::Number:
    return Typing::NoBool;
  case ops::TypeRule::Counting:
    return Typing::Whole;
  case ops::TypeRule::Integral:
    return Typing::Bits;
  case ops::TypeRule::Integer:
    return Typing::Shift;
  case ops::TypeRule::Truth:
    return Typing::Truth;
  default:
    return Typing::Float;
  }
}

std::optional<InfixFunction>
semantics::findInfixFunction(std::string_view name) {
  constexpr auto isLess = [](const InfixFunction &a, const InfixFunction &b) {
    return a.name < b.name;
  };
  static_assert(
      std::is_sorted(std::begin(Functions), std::end(Functions), isLess));
  const auto *place =
      std::lower_bound(std::begin(Functions), std::end(Functions),
                       InfixFunction{name, {}, {}}, isLess);
  if (place != std::end(Functions) && place->name == name)
    return *place;
  const auto op = ops::find(name);
  if (!op)
    return std::nullopt;
  const ops::OpInfo &info = ops::table()[*op].info;
  return InfixFunction{info.name, info.name, typingOf(info)};
}

unsigned semantics::longerArity(const InfixFunction &function,
                                const ops::OpInfo &info) {
  return function.typing == Typing::Float ? info.overload.arity : 0;
}

const InfixFunction &semantics::operationOf(syntax::InfixOperator op) {
  static constexpr InfixFunction functions[] = {
      {"or", "logical_or", Typing::Truth},
      {"and", "logical_and", Typing::Truth},
      {"not", "logical_not", Typing::Truth},
      {"<", "lt", Typing::Compare},
      {"<=", "le", Typing::Compare},
      {">", "gt", Typing::Compare},
      {">=", "ge", Typing::Compare},
      {"==", "eq", Typing::Compare},
      {"!=", "ne", Typing::Compare},
      {"|", "or", Typing::Bits},
      {"^", "xor", Typing::Bits},
      {"&", "and", Typing::Bits},
      {"<<", "lshift", Typing::Shift},
      {">>", "rshift", Typing::Shift},
      {"+", "add", Typing::Common},
      {"-", "sub", Typing::NoBool},
      {"*", "mul", Typing::Common},
      {"/", "div", Typing::Divide},
      {"//", "floor_divide", Typing::Whole},
      {"%", "remainder", Typing::Rest},
      {"+", "", Typing::Positive},
      {"-", "neg", Typing::NoBool},
      {"~", "bitwise_not", Typing::Bits},
      {"**", "pow", Typing::Power}};
  return functions[static_cast<std::size_t>(op)];
}

syntax::NameKind semantics::kindOfName(std::string_view name) {
  if (infixConstant(name))
    return syntax::NameKind::Constant;
  const bool isFunction =
      infixCast(name) || findInfixFunction(name) || findRowFunction(name);
  return isFunction ? syntax::NameKind::Function : syntax::NameKind::Free;
}

std::string_view semantics::closestFunction(std::string_view name) {
  std::vector<std::string_view> others;
  for (const InfixFunction &function : Functions)
    others.push_back(function.name);
  for (const RowFunction &function : rowFunctions())
    others.push_back(function.name);
  for (const auto &[cast, type] : InfixCasts)
    others.push_back(cast);
  return ops::closest(name, others);
}

std::vector<std::string_view>
semantics::parametersOf(const RowFunction &function) {
  std::vector<std::string_view> parameters;
  std::string_view rest = function.signature;
  while (!rest.empty()) {
    const std::size_t first = rest.find_first_not_of(", []");
    if (first == std::string_view::npos)
      break;
    rest.remove_prefix(first);
    const std::size_t end = std::min(rest.find_first_of(", []"), rest.size());
    parameters.push_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return parameters;
}

std::string_view
semantics::parameterFor(std::string_view keyword,
                        std::span<const std::string_view> parameters) {
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"axis", "axes"},
      {"axes", "axis"},
      {"dim", "axes"},
      {"dim", "axis"},
      {"keepdims", "keepdim"},
      {"ddof", "correction"},
      {"ord", "p"},
      {"a", "x"}};
  const auto has = [&](std::string_view name) {
    return std::find(parameters.begin(), parameters.end(), name) !=
           parameters.end();
  };
  if (has(keyword))
    return keyword;
  for (const auto &[from, to] : others)
    if (from == keyword && has(to))
      return to;
  return {};
}
