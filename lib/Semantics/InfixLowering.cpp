//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nodes in order, so no recursion. Under NumPy's rules arguments are converted
/// to the type that NumPy computes in, so that promotion has nothing left to
/// say; under PyTorch's they are left to it.
///
//===----------------------------------------------------------------------===//
#include "Semantics/InfixLowerer.h"
#include "Semantics/Numpy.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace kexpr;
using namespace kexpr::semantics;
using syntax::InfixKind;
using syntax::InfixNode;
using Built = InfixEmitter::Built;
using Arguments = InfixArguments;

/// Casts are nodes, too, and nest.
ParseLimits InfixLowerer::limitsFor(const ParseLimits &limits) {
  const auto times = [](std::size_t limit, std::size_t factor) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    return limit > most / factor ? most : limit * factor;
  };
  return {.maxLength =
              std::max(times(limits.maxLength, 64), times(limits.maxNodes, 64)),
          .maxDepth = times(limits.maxDepth, 6),
          .maxNodes = times(limits.maxNodes, 16),
          .maxOperands = limits.maxOperands,
          .maxLiterals = times(limits.maxNodes, 8)};
}

/// "'a' is f32", "argument 2 of 'atan2' is f32".
std::string InfixLowerer::naming(const Arguments &args,
                                 std::size_t argument) const {
  const InfixNode &node = tree.nodes[args.nodes[argument]];
  const std::string_view text = std::string_view(tree.text).substr(
      node.range.begin, node.range.end - node.range.begin);
  return concat(quote(text), " is ", nameOf(args.values[argument].type));
}

Lowered InfixLowerer::numberValue(const Number &number) const {
  const DType type = number.kind == Number::Kind::Real   ? DType::F64
                     : number.kind == Number::Kind::Bool ? DType::Bool
                                                         : DType::I64;
  return {.type = type, .weight = Weight::Number, .literal = number};
}

Expected<Built> InfixLowerer::emitNumber(const Number &number) {
  switch (number.kind) {
  case Number::Kind::Real:
    return emitter.real(number.real);
  case Number::Kind::Bool:
    return emitter.boolean(number.integer);
  case Number::Kind::Int:
    return emitter.integer(number.integer);
  case Number::Kind::Unsigned:
    break;
  }
  return emitter.unsignedInteger(static_cast<std::uint64_t>(number.integer));
}

bool semantics::fitsInteger(const Number &number, DType type) {
  if (isFloatingPoint(type) || type == DType::Bool)
    return true;
  const Number cast = castNumber(number, type);
  return cast.kind == number.kind && cast.integer == number.integer;
}

/// Has an operand that is a number fit an integer type.
void InfixLowerer::narrow(std::uint32_t operand, DType type) {
  if (isFloatingPoint(type) || type == DType::Bool)
    return;
  constexpr IntegerRange all;
  const auto unused = 64 - static_cast<int>(8 * sizeOf(type));
  const IntegerRange own =
      !isUnsigned(type)
          ? IntegerRange{all.least >> unused, all.greatest >> unused}
      : unused == 0 ? IntegerRange{0, all.greatest}
                    : IntegerRange{0, all.greatest >> (unused - 1)};
  IntegerRange &range = ranges[operand];
  range.least = std::max(range.least, own.least);
  range.greatest = std::min(range.greatest, own.greatest);
}

/// A value as an argument of a call that computes in `type`.
Expected<Built> InfixLowerer::emit(const Lowered &value, DType type,
                                   SourceRange range) {
  if (!value.literal) {
    if (value.type == type || !isNumpy)
      return *value.built;
    if (value.number)
      narrow(*value.number, type);
    return emitter.call(castName(type), {*value.built});
  }
  Number number = *value.literal;
  if (isNumpy && number.isWhole() && !fitsInteger(number, type))
    return doesNotFit(number, type, range);
  if (isNumpy && number.kind != Number::Kind::Bool && heldType(type) != type)
    number = castNumber(number, type);
  return emitNumber(number);
}

Expected<Lowered> InfixLowerer::made(std::string_view op, DType type,
                                     Weight weight,
                                     const std::vector<Built> &args) {
  auto built = emitter.call(op, args);
  if (!built)
    return built.error();
  return Lowered{.built = *built, .type = type, .weight = weight};
}

Expected<Lowered> InfixLowerer::operand(const InfixNode &node) {
  const InfixOperand given =
      node.index < operands.size() ? operands[node.index] : InfixOperand();
  auto built = emitter.operand(node.index);
  if (!built)
    return built.error();
  if (sizeOf(given.type) == 0)
    return fault(
        ErrorCode::InvalidArgument, node.range,
        concat("operand ", quote(node.name), " was given no element type"));
  const bool isNumber = given.kind == OperandKind::Number;
  if (isNumber && given.type != DType::Bool && given.type != DType::I64 &&
      given.type != DType::F64)
    return fault(ErrorCode::InvalidArgument, node.range,
                 concat("operand ", quote(node.name),
                        " is a Python number, which is bool, i64 or f64, not ",
                        nameOf(given.type)));
  const Weight weight = isNumber                             ? Weight::Number
                        : given.kind == OperandKind::ZeroDim ? Weight::ZeroDim
                                                             : Weight::Tensor;
  Lowered result{.built = *built, .type = given.type, .weight = weight};
  if (isNumber && given.type == DType::I64)
    result.number = node.index;
  return result;
}

/// The value of a node that is one; a list or None is none.
Expected<Lowered> InfixLowerer::valueOf(std::uint32_t index) const {
  const InfixNode &node = tree.nodes[index];
  if (node.kind == InfixKind::List)
    return fault(ErrorCode::Unsupported, node.range,
                 "a list is not a value; only the results may be one");
  if (node.kind == InfixKind::None)
    return fault(ErrorCode::Unsupported, node.range, "'None' is not a value");
  return values[index];
}

Expected<Arguments>
InfixLowerer::valuesOf(Span<const std::uint32_t> nodes) const {
  Arguments args;
  for (std::uint32_t node : nodes) {
    auto value = valueOf(node);
    if (!value)
      return value.error();
    args.values.push_back(*value);
    args.nodes.push_back(node);
  }
  return args;
}

/// Arguments of a call that takes no keywords.
Expected<Arguments> InfixLowerer::positional(const InfixNode &node,
                                             std::size_t least,
                                             std::size_t most) {
  for (std::size_t i = 0; i < node.keywords.size(); ++i)
    if (!node.keywords[i].empty())
      return fault(ErrorCode::InvalidSyntax, tree.nodes[node.children[i]].range,
                   concat(quote(node.name), " takes no argument by name, as ",
                          quote(node.keywords[i])));
  const std::size_t count = node.children.size();
  if (count < least || count > most)
    return fault(ErrorCode::WrongArity, node.range,
                 concat(quote(node.name), " takes ",
                        least == most
                            ? counted(least, "argument")
                            : concat(least, most == least + 1 ? " or " : " to ",
                                     counted(most, "argument")),
                        ", not ", count));
  return valuesOf(node.children);
}

// Calls.

Expected<Lowered> InfixLowerer::cast(const InfixNode &node, DType type) {
  auto args = positional(node, 1, 1);
  if (!args)
    return args.error();
  const Lowered &x = args->values[0];
  if (x.literal) {
    auto number = callCast(type, *x.literal);
    if (!number)
      return fault(number.error().code(), node.range, number.error().message());
    Lowered result = numberValue(*number);
    // Python's own conversions give Python's numbers.
    if (node.name == "int" || node.name == "float")
      return result;
    result.type = type;
    result.weight = Weight::Tensor;
    return result;
  }
  if (x.type == type && x.weight != Weight::Number)
    return x;
  return made(castName(type), type,
              x.weight == Weight::Number ? Weight::Tensor : x.weight,
              {*x.built});
}

/// A choice between two numbers. They have the type of no tensor, so one of
/// f64 is put beside the other; it is never chosen.
Expected<Lowered> InfixLowerer::numbersWhere(Built condition,
                                             const Arguments &args) {
  const DType type = numpy::resultType(args.types(1)).type;
  for (std::size_t i : {1, 2})
    if (const Number &number = *args.values[i].literal;
        isNumpy && number.isWhole() && !fitsInteger(number, type))
      return doesNotFit(number, type, tree.nodes[args.nodes[i]].range);
  auto yes = emitNumber(*args.values[1].literal);
  auto no = emitNumber(*args.values[2].literal);
  if (!yes || !no)
    return yes ? no.error() : yes.error();
  if (isNumpy && isFloatingPoint(type)) {
    auto unused = emitter.call(castName(type), {condition});
    if (unused)
      no = emitter.call("where", {condition, *unused, *no});
    if (!unused || !no)
      return unused ? no.error() : unused.error();
  }
  return made("where", isNumpy || type != DType::F64 ? type : DType::F32,
              Weight::Tensor, {condition, *yes, *no});
}

/// The condition may be of any type, and has no say in that of the result.
Expected<Lowered> InfixLowerer::where(const InfixNode &,
                                      const Arguments &args) {
  const Lowered &condition = args.values[0];
  Arguments both = {{args.values.begin() + 1, args.values.end()},
                    {args.nodes.begin() + 1, args.nodes.end()}};
  if (condition.literal &&
      std::all_of(both.values.begin(), both.values.end(),
                  [](const Lowered &value) { return value.literal; })) {
    Lowered chosen = both.values[condition.literal->asReal() != 0 ? 0 : 1];
    if (isNumpy) {
      const ArgumentType type = numpy::resultType(both.types());
      chosen.literal = castNumber(*chosen.literal, type.type);
      chosen.type = type.type;
      chosen.weight = type.weight;
    }
    return chosen;
  }
  Lowered asBool = condition;
  if (condition.literal)
    asBool.literal = {.kind = Number::Kind::Bool,
                      .integer = condition.literal->asReal() != 0};
  auto test = condition.literal ? emitNumber(*asBool.literal)
              : condition.type == DType::Bool
                  ? Expected<Built>(*condition.built)
                  : emitter.call(castName(DType::Bool), {*condition.built});
  if (!test)
    return test.error();
  if (both.values[0].literal && both.values[1].literal)
    return numbersWhere(*test, args);
  asBool = {.built = *test, .type = DType::Bool};
  const ops::OpEntry &entry = ops::table()[*ops::find("where")];
  if (!isNumpy)
    return torchCall(entry, {"where", "where", Typing::Where},
                     {{asBool, both.values[0], both.values[1]}, args.nodes});
  const ArgumentType type = numpy::resultType(both.types());
  std::vector<Built> built = {*test};
  for (std::size_t i = 0; i < 2; ++i) {
    auto value =
        emit(both.values[i], type.type, tree.nodes[both.nodes[i]].range);
    if (!value)
      return value.error();
    built.push_back(*value);
  }
  return made("where", type.type, Weight::Tensor, built);
}

Expected<Lowered> InfixLowerer::conditional(const InfixNode &node) {
  const auto args = valuesOf(node.children);
  if (!args)
    return args.error();
  return where(node, *args);
}

/// Literals that are limits, of which the first may be the least result, become
/// the nearest integers of the type.
Status InfixLowerer::holdLimits(Arguments &args, bool hasLeast) const {
  const DType type = numpy::resultType(args.types()).type;
  for (std::size_t i = 1; i < args.values.size(); ++i)
    if (std::optional<Number> &literal = args.values[i].literal) {
      auto held = limitAs(type, *literal, i == 1 && hasLeast);
      if (!held)
        return fault(held.error().code(), tree.nodes[args.nodes[i]].range,
                     held.error().message());
      literal = *held;
    }
  return {};
}

/// clip(x, min, max), of which either may be None or have its name.
Expected<Lowered> InfixLowerer::clip(const InfixNode &node) {
  std::array<std::optional<std::uint32_t>, 3> slots;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const std::string_view keyword = node.keywords[i];
    const std::size_t slot = keyword == "min" || keyword == "a_min"   ? 1
                             : keyword == "max" || keyword == "a_max" ? 2
                             : keyword.empty() && i < 3               ? i
                                                                      : 3;
    if (slot == 3 || slots[slot])
      return fault(ErrorCode::WrongArity, node.range,
                   concat(quote(node.name),
                          " takes a value, the least and the largest result"));
    slots[slot] = node.children[i];
  }
  for (std::size_t i : {1, 2})
    if (slots[i] && tree.nodes[*slots[i]].kind == InfixKind::None)
      slots[i].reset();
  if (!slots[0] || (!slots[1] && !slots[2]))
    return fault(ErrorCode::WrongArity, node.range,
                 concat(quote(node.name),
                        " takes a value, the least and the largest result"));
  Arguments args;
  for (const auto &slot : slots) {
    if (!slot)
      continue;
    auto value = valueOf(*slot);
    if (!value)
      return value.error();
    args.values.push_back(*value);
    args.nodes.push_back(*slot);
  }
  const std::string_view op = args.values.size() == 3 ? "clamp"
                              : slots[1]              ? "maximum"
                                                      : "minimum";
  if (auto status = holdLimits(args, slots[1].has_value()); !status)
    return status.error();
  return applyOperator(node, {node.name, op, Typing::Common}, args);
}

/// `max` is a reduction in NumPy and a choice in Python and in PNNX's text.
Expected<Lowered> InfixLowerer::extreme(const InfixNode &node,
                                        const InfixFunction &function) {
  std::size_t count = 0;
  for (std::string_view keyword : node.keywords)
    count += keyword.empty();
  if (count < 2)
    return rows(node, function.op);
  const auto textOf = [this](std::uint32_t child) {
    const SourceRange range = tree.nodes[child].range;
    const std::string_view text = std::string_view(tree.text).substr(
        range.begin, range.end - range.begin);
    return text.size() > 16 ? std::string_view("x") : text;
  };
  const std::string_view x = textOf(node.children[0]);
  const std::string_view y = textOf(node.children[1]);
  const std::string_view axis = wholeOf(node.children[1]) ? y : "0";
  const bool isMax = node.name == "max";
  return fault(ErrorCode::InvalidSyntax, node.range,
               concat(quote(node.name), " of two arguments has two meanings: ",
                      isMax ? "maximum(" : "minimum(", x, ", ", y, ") or ",
                      function.op, '(', x, ", axis=", axis, ')'));
}

namespace {
struct Arity {
  std::size_t least, most;
};
} // namespace

/// The arguments that a function of elements takes.
static Arity arityFor(const InfixFunction &function) {
  switch (function.typing) {
  case Typing::Positive:
  case Typing::Degrees:
  case Typing::Radians:
    return {1, 1};
  default: {
    const ops::OpEntry &entry = ops::table()[*ops::find(function.op)];
    const unsigned longer = longerArity(function, entry.info);
    return {entry.arity - entry.info.defaults.count,
            longer ? longer : entry.arity};
  }
  }
}

/// Those that were left out.
Status InfixLowerer::addDefaults(const InfixFunction &function,
                                 Arguments &args) const {
  const ops::OpEntry &entry = ops::table()[*ops::find(function.op)];
  while (args.values.size() < entry.arity) {
    args.values.push_back(numberValue(
        defaultArgument(entry, args.values.size(), args.values[0].type)));
    args.nodes.push_back(args.nodes[0]);
  }
  return entry.info.takesLimits ? holdLimits(args, true) : Status();
}

Expected<Lowered> InfixLowerer::call(const InfixNode &node) {
  if (const auto type = infixCast(node.name))
    return cast(node, *type);
  if (const auto function = findInfixFunction(node.name)) {
    if (function->typing == Typing::Extreme)
      return extreme(node, *function);
    if (function->typing == Typing::Clip)
      return clip(node);
    const Arity arity = arityFor(*function);
    auto args = positional(node, arity.least, arity.most);
    if (!args)
      return args.error();
    if (arity.least < arity.most)
      if (auto status = addDefaults(*function, *args); !status)
        return status.error();
    return apply(node, *function, *args);
  }
  if (findRowFunction(node.name))
    return rows(node, node.name);
  const std::string_view close = closestFunction(node.name);
  return fault(ErrorCode::UnknownOperator, node.token,
               concat("unknown function ", quote(node.name),
                      close.empty()
                          ? ""
                          : concat("; did you mean ", quote(close), "?")));
}

Expected<Lowered> InfixLowerer::lower(const InfixNode &node) {
  switch (node.kind) {
  case InfixKind::Operand:
    return operand(node);
  case InfixKind::Constant:
    return numberValue(
        {.kind = Number::Kind::Real, .real = *infixConstant(node.name)});
  case InfixKind::Integer:
    return numberValue(
        {.kind = node.isUnsigned ? Number::Kind::Unsigned : Number::Kind::Int,
         .integer = node.integer});
  case InfixKind::Float:
    return numberValue({.kind = Number::Kind::Real, .real = node.number});
  case InfixKind::Bool:
    return numberValue({.kind = Number::Kind::Bool, .integer = node.integer});
  case InfixKind::Operator: {
    Arguments args;
    for (std::uint32_t child : node.children) {
      auto value = valueOf(child);
      if (!value)
        return value.error();
      args.values.push_back(*value);
      args.nodes.push_back(child);
    }
    return apply(node, operationOf(node.op), args);
  }
  case InfixKind::Conditional:
    return conditional(node);
  case InfixKind::Call:
    return call(node);
  default:
    return Lowered();
  }
}

Expected<LoweredInfix> InfixLowerer::run() {
  values.reserve(tree.nodes.size());
  for (const InfixNode &node : tree.nodes) {
    emitter.setRange(node.range);
    auto value = lower(node);
    if (!value)
      return value.error().hasRange() ? value.error()
                                      : fault(value.error().code(), node.range,
                                              value.error().message());
    values.push_back(*value);
  }
  std::vector<Built> outputs;
  for (std::uint32_t output : tree.outputs) {
    emitter.setRange(tree.nodes[output].range);
    auto value = valueOf(output);
    if (!value)
      return value.error();
    auto built = emit(*value, value->type, tree.nodes[output].range);
    // A number alone is f32 or i64 in the engine.
    if (built && isNumpy && value->literal &&
        value->literal->type() != value->type)
      built = emitter.call(castName(value->type), {*built});
    if (!built)
      return built.error();
    outputs.push_back(*built);
  }
  auto expression = emitter.finish(outputs);
  if (!expression)
    return fault(
        expression.error().code(), {0, tree.text.size()},
        concat("with its casts written out: ", expression.error().message()));
  return LoweredInfix{std::move(*expression), std::move(emitter),
                      std::move(outputs), std::move(ranges)};
}

Expected<LoweredInfix> semantics::lowerInfix(const detail::InfixData &program,
                                             Span<const InfixOperand> operands,
                                             Semantics semantics) {
  return InfixLowerer(program, operands, semantics).run();
}
