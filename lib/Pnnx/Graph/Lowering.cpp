//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Lowering.h"
#include "Pnnx/Graph/Faults.h"
#include "Pnnx/Graph/LoweringTable.h"
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

/// Whether a parameter's text is one literal or word: it becomes part of an
/// expression, and must not be able to change what stands around it.
static bool isPlain(const std::string &text) {
  const auto parsed = parseText(text, {.maxLength = 256});
  return parsed && parsed->nodes().size() == 1 &&
         parsed->root().kind != NodeKind::Operand &&
         parsed->root().kind != NodeKind::Complex &&
         parsed->root().kind != NodeKind::List;
}

/// The text of an operand that is a literal: PNNX leaves some as expressions of
/// their own.
static const std::string *literalOf(const PnnxModel &model,
                                    const PnnxOperand &operand) {
  const PnnxOperator &producer = model.operators()[operand.producer];
  const std::string *text = producer.parameter("expr");
  return producer.type == ExpressionType && text && isPlain(*text) ? text
                                                                   : nullptr;
}

static Expected<Bindings> bindArguments(const LoweringRow &row,
                                        const PnnxModel &model,
                                        const PnnxOperator &op) {
  Bindings bindings;
  std::size_t taken = 0;
  for (std::string_view list = row.arguments; !list.empty();) {
    const std::string_view word = takeWord(list);
    const std::string_view name = word.substr(0, word.find('='));
    const std::string *parameter = op.parameter(name);
    Binding binding;
    if (parameter && isPlain(*parameter))
      binding.text = *parameter;
    else if (parameter)
      return Error(ErrorCode::InvalidArgument,
                   quote(name) + " is no single value: " + quote(*parameter));
    else if (const auto *operand = inputOf(model, op, name, taken)) {
      ++taken;
      if (const std::string *literal = literalOf(model, *operand))
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
static bool areEqual(const std::string &a, const std::string &b) {
  if (a == b)
    return true;
  const auto left = parseText(a), right = parseText(b);
  const auto isNumber = [](const std::optional<Expression> &e) {
    return e && (e->root().kind == NodeKind::Integer ||
                 e->root().kind == NodeKind::Float);
  };
  return isNumber(left) && isNumber(right) &&
         left->root().number == right->root().number;
}

static bool rowFits(const LoweringRow &row, const Bindings &bindings) {
  for (std::string_view list = row.when; !list.empty();) {
    const std::string_view word = takeWord(list);
    const std::size_t equals = word.find('=');
    const auto found = bindings.find(word.substr(0, equals));
    if (found == bindings.end() || found->second.operand ||
        !areEqual(found->second.text, std::string(word.substr(equals + 1))))
      return false;
  }
  return true;
}

namespace {
/// Puts arguments and constants in the place of their names.
class Writer {
public:
  Writer(const PnnxModel &model, Lowered &lowered)
      : model(model), lowered(lowered) {}

  Status write(const LoweringRow &row, const Bindings &bindings,
               const std::vector<NamedChannels> &constants);

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
  Lowered &lowered;
};
} // namespace

/// Its position, which is that of an equal one if there is such.
std::uint32_t Writer::addArgument(LoweredArgument argument) {
  auto &all = lowered.arguments;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const LoweredArgument &other) {
        return other.channels == argument.channels &&
               other.operand == argument.operand;
      });
  const auto position = static_cast<std::uint32_t>(found - all.begin());
  if (found == all.end())
    all.push_back(std::move(argument));
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

Status Writer::write(const LoweringRow &row, const Bindings &bindings,
                     const std::vector<NamedChannels> &constants) {
  std::string result;
  std::string_view rest = row.text;
  for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
    const std::size_t close = rest.find('}', open);
    auto text =
        textOf(rest.substr(open + 1, close - open - 1), bindings, constants);
    if (!text)
      return text.error();
    result.append(rest.substr(0, open)).append(*text);
    rest.remove_prefix(close + 1);
  }
  lowered.texts.push_back(result.append(rest));
  const auto type = bindings.find(row.typeFrom);
  if (type != bindings.end() && type->second.operand)
    lowered.typeFrom = addOperand(*type->second.operand);
  return {};
}

static Expected<Lowered> lowerBy(const LoweringRow &row,
                                 const Bindings &bindings,
                                 const PnnxModel &model,
                                 const PnnxOperator &op) {
  Lowered lowered;
  std::vector<NamedChannels> constants;
  if (row.constants) {
    auto made = row.constants(model, op);
    if (!made)
      return made.error();
    constants = std::move(*made);
  }
  if (Status status = Writer(model, lowered).write(row, bindings, constants);
      !status)
    return status.error();
  return lowered;
}

Expected<Lowered> graph::lower(const PnnxModel &model, const PnnxOperator &op) {
  const DefaultFloats floats;
  Expected<Lowered> lowered = Error(
      ErrorCode::Unsupported, "its arguments have no meaning in inference");
  if (op.type == ExpressionType) {
    lowered = lowerExpression(op);
  } else {
    for (const LoweringRow &row : loweringRows()) {
      if (!holdsWord(row.types, op.type))
        continue;
      auto bindings = bindArguments(row, model, op);
      if (!bindings)
        return bindings.error();
      if (!rowFits(row, *bindings))
        continue;
      lowered = lowerBy(row, *bindings, model, op);
      break;
    }
  }
  if (lowered && lowered->texts.size() != op.outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 "it has " + std::to_string(op.outputs.size()) +
                     " outputs for " + std::to_string(lowered->texts.size()) +
                     " values");
  return lowered;
}
