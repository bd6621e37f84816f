//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Lowering.h"
#include "Graph/Faults.h"
#include "Graph/LoweringTable.h"
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
  if (!parsed || !*parsed || (*parsed)->nodes().size() != 1)
    return nullptr;
  const Node &root = (*parsed)->root();
  return root.kind == NodeKind::Operand || root.kind == NodeKind::Complex ||
                 root.kind == NodeKind::List
             ? nullptr
             : &root;
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
    if (parameter && texts.literal(*parameter))
      argument.text = *parameter;
    else if (parameter)
      return Error(ErrorCode::InvalidArgument,
                   quoted(name) + " is no single value: " + quoted(*parameter));
    else if (const auto *operand = inputOf(model, op, name, taken)) {
      ++taken;
      if (const std::string *literal = literalOf(model, *operand, texts))
        argument.text = *literal;
      else
        argument.operand = operand;
    } else if (name.size() < word.size())
      argument.text = word.substr(name.size() + 1);
    else
      return Error(ErrorCode::InvalidArgument, quoted(name) + " is missing");
  }
  // The constants of a row come from the other inputs.
  if (taken < op.inputs.size() && !row.constants)
    return Error(ErrorCode::InvalidArgument,
                 concat("it has ", op.inputs.size(), " inputs, of which ",
                        taken, " have a meaning"));
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
    if (!found || found->operand ||
        !areEqual(found->text, std::string(word.substr(equals + 1)), texts))
      return false;
  }
  return true;
}

namespace {
/// Fills the text of a row with the arguments and constants of an operator.
class TemplateWriter {
public:
  TemplateWriter(const PnnxModel &model, const BoundArguments &bound,
                 const std::vector<NamedChannels> &constants)
      : model(model), bound(bound), constants(constants) {}

  /// `type` is that of the operator.
  Expected<std::string> write(std::string_view text, std::string_view type);
  std::uint32_t addArgument(const PnnxOperand &operand,
                            std::shared_ptr<const ChannelData> channels = {});

  std::vector<LoweredArgument> arguments;

private:
  Expected<std::string> textOf(std::string_view name);

  const PnnxModel &model;
  const BoundArguments &bound;
  const std::vector<NamedChannels> &constants;
};
} // namespace

/// The position of an argument, the same for equal ones.
std::uint32_t
TemplateWriter::addArgument(const PnnxOperand &operand,
                            std::shared_ptr<const ChannelData> channels) {
  const auto id =
      static_cast<std::uint32_t>(&operand - model.operands().data());
  std::uint32_t position = 0;
  for (; position < arguments.size(); ++position)
    if (arguments[position].operand == id &&
        arguments[position].channels == channels)
      return position;
  arguments.push_back({id, std::move(channels)});
  return position;
}

Expected<std::string> TemplateWriter::textOf(std::string_view name) {
  for (const NamedChannels &constant : constants) {
    if (constant.name != name)
      continue;
    const BoundArgument *input = find(bound, "input");
    if (!input || !input->operand)
      return Error(ErrorCode::InvalidArgument,
                   "'input' is a literal, which has no channels");
    return concat('@', addArgument(*input->operand, constant.data));
  }
  const BoundArgument &argument = *find(bound, name);
  if (argument.operand)
    return concat('@', addArgument(*argument.operand));
  if (argument.text == "None")
    return Error(ErrorCode::InvalidArgument, quoted(name) + " is None");
  return argument.text;
}

/// `relu` of `nn.ReLU`. Types in the table are ASCII.
static std::string functionOf(std::string_view type) {
  std::string name(type.substr(type.find('.') + 1));
  for (char &letter : name)
    if (letter >= 'A' && letter <= 'Z')
      letter += 'a' - 'A';
  return name;
}

Expected<std::string> TemplateWriter::write(std::string_view text,
                                            std::string_view type) {
  std::string result;
  for (std::size_t open; (open = text.find('{')) != text.npos;) {
    const std::size_t close = text.find('}', open);
    auto argument = close == open + 1
                        ? Expected<std::string>(functionOf(type))
                        : textOf(text.substr(open + 1, close - open - 1));
    if (!argument)
      return argument;
    result.append(text.substr(0, open)).append(*argument);
    text.remove_prefix(close + 1);
  }
  return result.append(text);
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
  TemplateWriter writer(model, bound, constants);
  const auto text = writer.write(row.text, op.type);
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
    lowered.arguments.push_back({input, nullptr});
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
