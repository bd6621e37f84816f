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
#include <map>
#include <optional>
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
/// What an argument of a row is: the text of a parameter, or an operand.
struct Binding {
  std::string text;
  const PnnxOperand *operand = nullptr;
};

/// Names of a row to what they are in one operator.
using Bindings = std::map<std::string, Binding, std::less<>>;
} // namespace

const Expected<Expression> &Texts::parse(const std::string &text) {
  auto place = known.find(text);
  if (place == known.end())
    place = known.emplace(text, Expression::parse(text)).first;
  if (!place->second && place->second.error().code() == ErrorCode::OutOfMemory)
    throw std::bad_alloc();
  return place->second;
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

/// The text of an operand that is a literal: PNNX leaves some as expressions of
/// their own.
static const std::string *literalOf(const PnnxModel &model,
                                    const PnnxOperand &operand, Texts &texts) {
  const PnnxOperator &producer = model.operators()[operand.producer];
  const std::string *text = producer.parameter("expr");
  return producer.type == ExpressionType && text && texts.literal(*text)
             ? text
             : nullptr;
}

static Expected<Bindings> bindArguments(const LoweringRow &row,
                                        const PnnxModel &model,
                                        const PnnxOperator &op, Texts &texts) {
  Bindings bindings;
  std::size_t taken = 0;
  for (std::string_view list = row.arguments; !list.empty();) {
    const std::string_view word = takeWord(list);
    const std::string_view name = word.substr(0, word.find('='));
    const std::string *parameter = op.parameter(name);
    Binding binding;
    if (parameter && texts.literal(*parameter))
      binding.text = *parameter;
    else if (parameter)
      return Error(ErrorCode::InvalidArgument,
                   quote(name) + " is no single value: " + quote(*parameter));
    else if (const auto *operand = inputOf(model, op, name, taken)) {
      ++taken;
      if (const std::string *literal = literalOf(model, *operand, texts))
        binding.text = *literal;
      else
        binding.operand = operand;
    } else if (name.size() < word.size())
      binding.text = word.substr(name.size() + 1);
    else
      return Error(ErrorCode::InvalidArgument, quote(name) + " is missing");
    bindings.emplace(name, std::move(binding));
  }
  // Rows with constants look for the other inputs themselves.
  if (taken < op.inputs.size() && !row.constants)
    return Error(ErrorCode::InvalidArgument,
                 "it has " + std::to_string(op.inputs.size()) +
                     " inputs, of which " + std::to_string(taken) +
                     " have a meaning");
  return bindings;
}

/// Whether two literals say the same: `20` and `20.0` do.
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

static bool rowFits(const LoweringRow &row, const Bindings &bindings,
                    Texts &texts) {
  for (std::string_view list = row.when; !list.empty();) {
    const std::string_view word = takeWord(list);
    const std::size_t equals = word.find('=');
    const auto found = bindings.find(word.substr(0, equals));
    if (found == bindings.end() || found->second.operand ||
        !areEqual(found->second.text, std::string(word.substr(equals + 1)),
                  texts))
      return false;
  }
  return true;
}

namespace {
/// Puts arguments and constants in the place of their names.
class Writer {
public:
  explicit Writer(const PnnxModel &model) : model(model) {}

  Expected<std::string> write(const LoweringRow &row, const Bindings &bindings,
                              const std::vector<NamedChannels> &constants);

  std::vector<LoweredArgument> arguments;
  std::optional<std::uint32_t> typeFrom;

private:
  Expected<std::string> textOf(std::string_view name, const Bindings &bindings,
                               const std::vector<NamedChannels> &constants);
  Expected<std::string> textOf(const NamedChannels &constant,
                               const Bindings &bindings);
  std::uint32_t addArgument(LoweredArgument argument);
  std::uint32_t positionOf(const PnnxOperand &operand) const {
    return static_cast<std::uint32_t>(&operand - model.operands().data());
  }
  std::uint32_t addOperand(const PnnxOperand &operand) {
    return addArgument({positionOf(operand), {}});
  }

  const PnnxModel &model;
};
} // namespace

/// Its position, which is that of an equal one if there is such.
std::uint32_t Writer::addArgument(LoweredArgument argument) {
  const auto found = std::find_if(
      arguments.begin(), arguments.end(), [&](const LoweredArgument &other) {
        return other.channels == argument.channels &&
               other.operand == argument.operand;
      });
  const auto position = static_cast<std::uint32_t>(found - arguments.begin());
  if (found == arguments.end())
    arguments.push_back(std::move(argument));
  return position;
}

/// Channels are those of the input, which a literal has none of.
Expected<std::string> Writer::textOf(const NamedChannels &constant,
                                     const Bindings &bindings) {
  const auto input = bindings.find("input");
  if (input == bindings.end() || !input->second.operand)
    return Error(ErrorCode::InvalidArgument,
                 "'input' is a literal, which has no channels");
  return "@" + std::to_string(addArgument(
                   {positionOf(*input->second.operand), constant.data}));
}

Expected<std::string>
Writer::textOf(std::string_view name, const Bindings &bindings,
               const std::vector<NamedChannels> &constants) {
  for (const NamedChannels &constant : constants)
    if (constant.name == name)
      return textOf(constant, bindings);
  const auto found = bindings.find(name);
  const Binding &binding = found->second;
  if (binding.operand)
    return "@" + std::to_string(addOperand(*binding.operand));
  if (binding.text == "None")
    return Error(ErrorCode::InvalidArgument, quote(name) + " is None");
  return binding.text;
}

Expected<std::string>
Writer::write(const LoweringRow &row, const Bindings &bindings,
              const std::vector<NamedChannels> &constants) {
  std::string result;
  std::string_view rest = row.text;
  for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
    const std::size_t close = rest.find('}', open);
    auto text =
        textOf(rest.substr(open + 1, close - open - 1), bindings, constants);
    if (!text)
      return text;
    result.append(rest.substr(0, open)).append(*text);
    rest.remove_prefix(close + 1);
  }
  const auto type = bindings.find(row.typeFrom);
  if (type != bindings.end() && type->second.operand)
    typeFrom = addOperand(*type->second.operand);
  return result.append(rest);
}

static Expected<Lowered> lowerBy(const LoweringRow &row,
                                 const Bindings &bindings,
                                 const PnnxModel &model, const PnnxOperator &op,
                                 Texts &texts) {
  std::vector<NamedChannels> constants;
  if (row.constants) {
    auto made = row.constants(model, op, texts);
    if (!made)
      return made.error();
    constants = std::move(*made);
  }
  Writer writer(model);
  const auto text = writer.write(row, bindings, constants);
  if (!text)
    return text.error();
  const auto &parsed = texts.parse(*text);
  if (!parsed)
    return parsed.error();
  return Lowered{*parsed, std::move(writer.arguments), writer.typeFrom};
}

/// A `pnnx.Expression` is its text as it stands.
static Expected<Lowered> lowerExpression(const PnnxOperator &op, Texts &texts) {
  const std::string *text = op.parameter("expr");
  if (!text)
    return Error(ErrorCode::InvalidArgument, "'expr' is missing");
  const auto &parsed = texts.parse(*text);
  if (!parsed)
    return parsed.error();
  if (parsed->operandCount() > op.inputs.size())
    return Error(
        ErrorCode::MissingOperand,
        "its expression names @" + std::to_string(parsed->operandCount() - 1) +
            ", and it has " + std::to_string(op.inputs.size()) + " inputs");
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
    auto bindings = bindArguments(row, model, op, texts);
    if (!bindings)
      return bindings.error();
    if (rowFits(row, *bindings, texts))
      return lowerBy(row, *bindings, model, op, texts);
  }
  return Error(ErrorCode::Unsupported,
               "its arguments have no meaning in inference");
}
