//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Lowering.h"
#include "Graph/Faults.h"
#include "Graph/LoweringTable.h"
#include "Semantics/Promotion.h"
#include "Support/DefaultFloats.h"

#include <algorithm>
#include <set>

using namespace kexpr;
using namespace kexpr::graph;

static constexpr std::string_view ExpressionType = "pnnx.Expression";

/// Takes the first word, and the blanks behind it, off `list`.
static std::string_view takeWord(std::string_view &list) {
  const std::string_view word = list.substr(0, list.find(' '));
  list.remove_prefix(std::min(list.size(), word.size() + 1));
  return word;
}

static bool holdsWord(std::string_view list, std::string_view word) {
  while (!list.empty())
    if (takeWord(list) == word)
      return true;
  return false;
}

bool graph::isOwnType(std::string_view type) {
  return type == "pnnx.Input" || type == "pnnx.Output" ||
         type == "pnnx.Attribute" || type == "prim::TupleConstruct";
}

bool graph::isLowered(std::string_view type) {
  return type == ExpressionType ||
         std::any_of(loweringRows().begin(), loweringRows().end(),
                     [&](const LoweringRow &row) {
                       return holdsWord(row.types, type);
                     });
}

std::vector<std::string_view> graph::loweredTypes() {
  std::set<std::string_view> types = {ExpressionType};
  for (const LoweringRow &row : loweringRows())
    for (std::string_view list = row.types; !list.empty();)
      types.insert(takeWord(list));
  return {types.begin(), types.end()};
}

namespace {
/// What an argument of a row stands for in one operator: the text of a literal,
/// or an operand.
struct BoundArgument {
  std::string_view name; ///< In the row.
  std::string text = {};
  const PnnxOperand *operand = nullptr;
  const TensorView *constant = nullptr;

  bool isText() const { return !operand && !constant; }
};
using BoundArguments = std::vector<BoundArgument>;
} // namespace

/// The argument of that name; null if the row has none.
static const BoundArgument *find(const BoundArguments &arguments,
                                 std::string_view name) {
  for (const BoundArgument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

const Expected<Expression> &Texts::parse(const std::string &text) {
  auto found = known.find(text);
  if (found == known.end())
    found = known.emplace(text, Expression::parse(text)).first;
  if (!found->second && found->second.error().code() == ErrorCode::OutOfMemory)
    throw std::bad_alloc();
  return found->second;
}

const Node *Texts::literal(const std::string &text) {
  constexpr std::size_t longest = 256;
  const auto *parsed = text.size() <= longest ? &parse(text) : nullptr;
  if (!parsed || !*parsed)
    return nullptr;
  const auto isLiteral = [&](const Node &node) {
    return node.kind != NodeKind::Operand && node.kind != NodeKind::Complex &&
           node.kind != NodeKind::Call &&
           (node.kind != NodeKind::List || &node == &(*parsed)->root());
  };
  const auto nodes = (*parsed)->nodes();
  return std::all_of(nodes.begin(), nodes.end(), isLiteral) ? &(*parsed)->root()
                                                            : nullptr;
}

/// `(2,3)` and `(1,)` as lists.
static std::string asList(const std::string &text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')' ||
      text == "(,)")
    return text;
  const bool hasComma = text[text.size() - 2] == ',';
  return concat('[', text.substr(1, text.size() - (hasComma ? 3 : 2)), ']');
}

/// The text of an operand that is a literal, else null: PNNX writes some as
/// expressions of their own.
static const std::string *literalOf(const PnnxModel &model,
                                    const PnnxOperand &operand, Texts &texts) {
  const PnnxOperator &producer = model.operators()[operand.producer];
  const std::string *text = producer.parameter("expr");
  return producer.type == ExpressionType && text && texts.literal(*text)
             ? text
             : nullptr;
}

static Expected<BoundArguments> bindArguments(const LoweringRow &row,
                                              const PnnxModel &model,
                                              const PnnxOperator &op,
                                              Texts &texts) {
  BoundArguments arguments;
  std::size_t taken = 0;
  for (std::string_view list = row.arguments; !list.empty();) {
    const std::string_view word = takeWord(list);
    const std::string_view name = word.substr(0, word.find('='));
    const std::string *parameter = op.parameter(name);
    BoundArgument &argument = arguments.emplace_back();
    argument.name = name;
    if (parameter && texts.literal(asList(*parameter)))
      argument.text = asList(*parameter);
    else if (parameter)
      return Error(ErrorCode::InvalidArgument,
                   quotedName(name) +
                       " is no single value: " + quotedName(*parameter));
    else if (const auto *operand = inputOf(model, op, name, taken)) {
      ++taken;
      if (const std::string *literal = literalOf(model, *operand, texts))
        argument.text = *literal;
      else
        argument.operand = operand;
    } else if (const TensorView *attribute = op.attribute(name);
               attribute && word.ends_with("=None")) {
      if (attribute->empty())
        return Error(ErrorCode::Unsupported,
                     quotedName(name) + " is no tensor of a known type");
      argument.constant = attribute;
    } else if (name.size() < word.size())
      argument.text = word.substr(name.size() + 1);
    else
      return Error(ErrorCode::InvalidArgument,
                   quotedName(name) + " is missing");
  }
  // The constants of some rows come from the other inputs.
  if (taken < op.inputs.size() && !(row.constants && row.arguments == "input"))
    return Error(ErrorCode::InvalidArgument,
                 concat("it has ", op.inputs.size(), " inputs, of which ",
                        taken, " have a meaning"));
  arguments.push_back({"outputs", std::to_string(op.outputs.size())});
  return arguments;
}

/// Whether two literals have the same value, as `20` and `20.0`.
static bool areEqual(const std::string &a, const std::string &b, Texts &texts) {
  if (a == b)
    return true;
  const Node *left = texts.literal(a), *right = texts.literal(b);
  const auto isNumber = [](const Node *node) {
    return node &&
           (node->kind == NodeKind::Integer || node->kind == NodeKind::Float);
  };
  return isNumber(left) && isNumber(right) && left->number == right->number;
}

static bool rowFits(const LoweringRow &row, const BoundArguments &arguments,
                    Texts &texts) {
  for (std::string_view list = row.when; !list.empty();) {
    const std::string_view word = takeWord(list);
    const std::size_t equals = word.find('=');
    const BoundArgument *found = find(arguments, word.substr(0, equals));
    if (!found || !found->isText() ||
        !areEqual(found->text, std::string(word.substr(equals + 1)), texts))
      return false;
  }
  return true;
}

/// `relu` of `nn.ReLU`. Types in the table are ASCII.
static std::string functionOf(std::string_view type) {
  std::string name(type.substr(type.find_last_of(".:") + 1));
  for (char &letter : name)
    if (letter >= 'A' && letter <= 'Z')
      letter += 'a' - 'A';
  return name;
}

namespace {
/// Fills the text of a row with the arguments and constants of an operator.
class TemplateWriter {
public:
  TemplateWriter(const PnnxModel &model, const PnnxOperator &op,
                 const BoundArguments &bound,
                 const std::vector<NamedChannels> &constants, Texts &texts)
      : model(model), op(op), bound(bound), constants(constants), texts(texts) {
  }

  Expected<std::string> write(std::string_view text);
  std::uint32_t addArgument(const PnnxOperand &operand) {
    return addArgument({idOf(operand)});
  }

  std::vector<LoweredArgument> arguments;

private:
  std::uint32_t idOf(const PnnxOperand &operand) const {
    return static_cast<std::uint32_t>(&operand - model.operands().data());
  }
  std::uint32_t addArgument(LoweredArgument argument);
  Expected<std::string> textFor(std::string_view placeholder);
  Expected<std::string> textOf(std::string_view name, bool mayBeNone = false);
  Expected<std::string> castOf(std::string_view name);
  Expected<std::string> axesOf(std::string_view name);

  const PnnxModel &model;
  const PnnxOperator &op;
  const BoundArguments &bound;
  const std::vector<NamedChannels> &constants;
  Texts &texts;
};
} // namespace

/// The position of an argument, the same for equal ones.
std::uint32_t TemplateWriter::addArgument(LoweredArgument argument) {
  std::uint32_t position = 0;
  for (; position < arguments.size(); ++position)
    if (arguments[position] == argument)
      return position;
  arguments.push_back(std::move(argument));
  return position;
}

static Expected<std::string> noChannels() {
  return Error(ErrorCode::InvalidArgument,
               "'input' is a literal, which has no channels");
}

Expected<std::string> TemplateWriter::textOf(std::string_view name,
                                             bool mayBeNone) {
  for (const NamedChannels &constant : constants) {
    if (constant.name != name)
      continue;
    const BoundArgument *input = find(bound, "input");
    if (!input || !input->operand)
      return noChannels();
    return concat('@', addArgument({idOf(*input->operand), constant.data}));
  }
  const BoundArgument &argument = *find(bound, name);
  if (argument.operand)
    return concat('@', addArgument(*argument.operand));
  if (argument.constant)
    return concat('@', addArgument({.constant = argument.constant}));
  if (argument.text == "None" && !mayBeNone)
    return Error(ErrorCode::InvalidArgument, quotedName(name) + " is None");
  return argument.text;
}

/// A cast where the file says another type of floating point, or one for an
/// integer. Sums of integers are i64, and cast behind that: see `write`.
Expected<std::string> TemplateWriter::castOf(std::string_view name) {
  auto text = textOf(name);
  const BoundArgument &argument = *find(bound, name);
  if (!text || !argument.operand || op.outputs.empty())
    return text;
  const auto &from = argument.operand->type,
             &to = model.operands()[op.outputs[0]].type;
  const bool isOwn =
      !from || !to || from == to || !semantics::isFloatingPoint(*to);
  return isOwn ? text : concat(semantics::castName(*to), '(', *text, ')');
}

/// "[-2,-1]".
static std::string lastAxes(std::size_t count) {
  std::string text;
  for (std::size_t axis = count; axis > 0; --axis)
    text += concat(text.empty() ? "[-" : ",-", axis);
  return text + ']';
}

/// The axes of the extents that a list has: the last of the input. Weights and
/// biases have these extents.
Expected<std::string> TemplateWriter::axesOf(std::string_view name) {
  const BoundArgument &list = *find(bound, name);
  std::vector<std::int64_t> extents;
  bool isGood = list.isText() && texts.literal(list.text);
  if (isGood)
    for (const Node &node : texts.parse(list.text)->nodes()) {
      isGood &= node.kind == NodeKind::List ||
                (node.kind == NodeKind::Integer && node.integer >= 0);
      if (node.kind == NodeKind::Integer)
        extents.push_back(node.integer);
    }
  if (!isGood || extents.empty() || extents.size() > MaxRank)
    return Error(ErrorCode::InvalidArgument,
                 quotedName(name) + " is no list of extents");
  const Shape wanted(extents.data(), extents.size());
  for (const BoundArgument &each : bound) {
    const Shape *shape = each.constant ? &each.constant->shape()
                         : each.operand && each.operand->shape
                             ? &*each.operand->shape
                             : nullptr;
    if (!shape)
      continue;
    const std::size_t rank = shape->rank(), own = wanted.rank();
    const bool fits =
        rank >= own && (rank == own || each.name == "input") &&
        std::equal(
            wanted.begin(), wanted.end(), shape->end() - own,
            [](std::int64_t a, std::int64_t b) { return a == b || b == -1; });
    if (!fits)
      return Error(ErrorCode::ShapeMismatch,
                   concat(quotedName(each.name), " of shape ", shape->str(),
                          " does not end in ", wanted.str()));
  }
  return lastAxes(extents.size());
}

Expected<std::string> TemplateWriter::textFor(std::string_view placeholder) {
  constexpr std::string_view last = "last ";
  if (placeholder.empty())
    return functionOf(op.type);
  if (placeholder == "spatial" || placeholder == "grouped") {
    const PnnxOperand *input = find(bound, "input")->operand;
    const std::size_t others = placeholder == "spatial" ? 2 : 1;
    return input ? lastAxes(input->shape->rank() - others) : noChannels();
  }
  if (placeholder.starts_with(last))
    return axesOf(placeholder.substr(last.size()));
  const std::string_view name = placeholder.substr(0, placeholder.size() - 1);
  switch (placeholder.back()) {
  case '?':
    return textOf(name, true);
  case '!':
    return castOf(name);
  default:
    return textOf(placeholder);
  }
}

Expected<std::string> TemplateWriter::write(std::string_view text) {
  std::string result;
  const bool takesType = text.find("!}") != text.npos;
  for (std::size_t open; (open = text.find('{')) != text.npos;) {
    const std::size_t close = text.find('}', open);
    auto argument = textFor(text.substr(open + 1, close - open - 1));
    if (!argument)
      return argument;
    result.append(text.substr(0, open)).append(*argument);
    text.remove_prefix(close + 1);
  }
  result.append(text);
  const auto type = op.outputs.empty() ? std::optional<DType>()
                                       : model.operands()[op.outputs[0]].type;
  const bool isCast = takesType && type && *type != DType::I64 &&
                      !semantics::isFloatingPoint(*type);
  return isCast ? concat(semantics::castName(*type), '(', result, ')') : result;
}

static Expected<Lowered> lowerBy(const LoweringRow &row,
                                 const BoundArguments &bound,
                                 const PnnxModel &model, const PnnxOperator &op,
                                 Texts &texts) {
  std::vector<NamedChannels> constants;
  if (row.constants) {
    auto made = row.constants(model, op, texts);
    if (!made)
      return made.error();
    constants = std::move(*made);
  }
  TemplateWriter writer(model, op, bound, constants, texts);
  const auto text = writer.write(row.text);
  if (!text)
    return text.error();
  const auto &parsed = texts.parse(*text);
  if (!parsed)
    return parsed.error();
  Lowered lowered{*parsed};
  const BoundArgument *typeFrom = find(bound, row.typeFrom);
  if (typeFrom && typeFrom->operand)
    lowered.typeFrom = writer.addArgument(*typeFrom->operand);
  lowered.arguments = std::move(writer.arguments);
  if (!row.groups.empty()) {
    const Node *groups = texts.literal(find(bound, row.groups)->text);
    if (!groups || groups->kind != NodeKind::Integer || groups->integer < 1)
      return Error(ErrorCode::InvalidArgument,
                   quotedName(row.groups) + " is no number of groups");
    lowered.groups = groups->integer;
  }
  return lowered;
}

/// The text of a `pnnx.Expression`.
static Expected<Lowered> lowerExpression(const PnnxOperator &op, Texts &texts) {
  const std::string *text = op.parameter("expr");
  if (!text)
    return Error(ErrorCode::InvalidArgument, "'expr' is missing");
  const auto &parsed = texts.parse(*text);
  if (!parsed)
    return parsed.error();
  if (parsed->operandCount() > op.inputs.size())
    return Error(ErrorCode::MissingOperand,
                 concat("its expression names @", parsed->operandCount() - 1,
                        ", and it has ", op.inputs.size(), " inputs"));
  Lowered lowered{*parsed};
  for (const std::uint32_t input : op.inputs)
    lowered.arguments.push_back({input});
  return lowered;
}

Expected<Lowered> graph::lower(const PnnxModel &model, const PnnxOperator &op,
                               Texts &texts) {
  const DefaultFloats floats;
  if (op.type == ExpressionType)
    return lowerExpression(op, texts);
  for (const LoweringRow &row : loweringRows()) {
    if (!holdsWord(row.types, op.type))
      continue;
    auto bound = bindArguments(row, model, op, texts);
    if (!bound)
      return bound.error();
    if (rowFits(row, *bound, texts))
      return lowerBy(row, *bound, model, op, texts);
  }
  return Error(ErrorCode::Unsupported,
               "its arguments have no meaning in inference");
}
