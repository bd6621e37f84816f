//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/ParamReader.h"

#include "Pnnx/ParamText.h"
#include "Support/Text.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <queue>
#include <utility>

using namespace kexpr;
using namespace kexpr::pnnx;

static constexpr std::string_view Magic = "7767517";

/// The most operators of a cycle that a message names.
static constexpr std::size_t MaxNamed = 8;

//===-- Operands ----------------------------------------------------------===//

namespace {
/// The operands that were listed so far. Names are looked up in a tree, which
/// no choice of names makes slow, as it can a hash table.
class OperandTable {
public:
  explicit OperandTable(const ParamText &source) : source(source) {}

  /// Sets the number of operands in the header; more are refused.
  void expect(std::size_t count) { declared = count; }
  std::size_t expected() const { return declared; }
  std::size_t size() const { return operands.size(); }

  /// Adds an operator, by position, that takes or makes the operand.
  Expected<std::uint32_t> addConsumer(Word name, std::uint32_t consumer);
  Expected<std::uint32_t> addProducer(Word name, std::uint32_t producer);

  /// The operand of that name if this operator lists it.
  Expected<std::uint32_t> find(Word name, std::uint32_t lister) const;
  /// Sets type and shape of an operand, which the file may repeat.
  Status setShape(Word word, std::uint32_t operand, const ShapeText &shape);

  /// Moves all operands out. Each must have a producer.
  Expected<std::vector<PnnxOperand>> take();

private:
  /// What is known of an operand besides what the model keeps.
  struct OperandState {
    Word listed; ///< Where it was listed first.
    std::uint32_t lister = 0;
    bool produced = false;
    bool shaped = false;
  };
  Expected<std::uint32_t> add(Word name, std::uint32_t lister);

  const ParamText &source;
  std::size_t declared = 0;
  std::map<std::string_view, std::uint32_t> positions;
  std::vector<OperandState> entries;
  std::vector<PnnxOperand> operands;
};
} // namespace

Expected<std::uint32_t> OperandTable::add(Word name, std::uint32_t lister) {
  const auto next = static_cast<std::uint32_t>(operands.size());
  const auto [found, isNew] = positions.try_emplace(name.text, next);
  if (!isNew) {
    entries[found->second].lister = lister;
    return found->second;
  }
  if (operands.size() == declared)
    return source.fault(name, concat("operand ", quote(name.text),
                                     " is one more than the ", declared,
                                     " that line 2 says"));
  entries.push_back({name, lister});
  operands.push_back({});
  operands.back().name = name.text;
  return next;
}

Expected<std::uint32_t> OperandTable::addConsumer(Word name,
                                                  std::uint32_t consumer) {
  auto operand = add(name, consumer);
  if (operand)
    operands[*operand].consumers.push_back(consumer);
  return operand;
}

Expected<std::uint32_t> OperandTable::addProducer(Word name,
                                                  std::uint32_t producer) {
  auto operand = add(name, producer);
  if (!operand)
    return operand;
  if (std::exchange(entries[*operand].produced, true))
    return source.fault(name, "operand " + quote(name.text) +
                                  " has been produced before");
  operands[*operand].producer = producer;
  return operand;
}

Expected<std::uint32_t> OperandTable::find(Word name,
                                           std::uint32_t lister) const {
  const auto found = positions.find(name.text);
  if (found == positions.end() || entries[found->second].lister != lister)
    return source.fault(name,
                        quote(name.text) + " is no operand of this operator");
  return found->second;
}

Status OperandTable::setShape(Word word, std::uint32_t operand,
                              const ShapeText &shape) {
  PnnxOperand &known = operands[operand];
  if (!std::exchange(entries[operand].shaped, true)) {
    known.shape = shape.shape;
    known.type = shape.type;
  } else if (known.shape != shape.shape || known.type != shape.type) {
    return source.fault(
        word, concat("operand ", quote(known.name), " was ", known.shape->str(),
                     known.type ? nameOf(*known.type) : "", " before"));
  }
  return {};
}

Expected<std::vector<PnnxOperand>> OperandTable::take() {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!entries[i].produced)
      return source.fault(entries[i].listed, "no operator produces operand " +
                                                 quote(operands[i].name));
  return std::move(operands);
}

//===-- Operators ---------------------------------------------------------===//

namespace {
/// Reads the rest of an operator's line: `key=text`, `@key=shape`,
/// `$key=operand` and `#operand=shape`, in any order.
class PartReader {
public:
  /// The operator's inputs are known; it is at `position`.
  PartReader(ParamText &source, OperandTable &operands, PnnxOperator &op,
             std::uint32_t position)
      : source(source), operands(operands), op(op), position(position) {}

  Status read();

private:
  Status readPart(Word word);
  Status readParameter(Word key, Word value);
  Status readAttribute(Word key, Word value);
  Status readInputName(Word key, Word value);
  Status readShape(Word operand, Word value);
  void continueParameter(Word word);
  void chainInputs();
  Status checkKeys() const;

  ParamText &source;
  OperandTable &operands;
  PnnxOperator &op;
  const std::uint32_t position;
  /// Keys of parameters, and those of attributes with their `@`.
  std::vector<Word> keys;
  /// The text of the parameter that the last word was, or was part of.
  std::string_view parameter;
  /// The next input without a name of each operand, and after each input the
  /// next of the same operand.
  std::map<std::uint32_t, std::size_t> unnamed;
  std::vector<std::size_t> nextUnnamed;
};
} // namespace

Status PartReader::read() {
  for (Word word = source.word(); !word.text.empty(); word = source.word())
    if (auto status = readPart(word); !status)
      return status;
  return checkKeys();
}

Status PartReader::readPart(Word word) {
  const std::size_t equals = word.text.find('=');
  if (equals == word.text.npos && parameter.data()) {
    continueParameter(word);
    return {};
  }
  const char mark = word.text.front();
  const bool marked = mark == '@' || mark == '$' || mark == '#';
  if (equals == word.text.npos || equals == marked)
    return source.fault(word, "expected key=value, found " + quote(word.text));

  const Word key = {word.text.substr(marked, equals - marked), word.line};
  const Word value = {word.text.substr(equals + 1), word.line};
  if (!marked)
    return readParameter(key, value);
  parameter = {};
  return mark == '@'   ? readAttribute(key, value)
         : mark == '$' ? readInputName(key, value)
                       : readShape(key, value);
}

Status PartReader::readParameter(Word key, Word value) {
  op.parameters.push_back({std::string(key.text), std::string(value.text)});
  parameter = value.text;
  keys.push_back(key);
  return {};
}

/// Appends a word to a parameter: PNNX writes strings with their blanks.
void PartReader::continueParameter(Word word) {
  const char *end = word.text.data() + word.text.size();
  op.parameters.back().text.append(parameter.data() + parameter.size(), end);
  parameter = {parameter.data(),
               static_cast<std::size_t>(end - parameter.data())};
}

Status PartReader::readAttribute(Word key, Word value) {
  auto text = pnnx::readShape(value.text);
  if (!text)
    return source.fault(value, text.error().message());
  const std::int64_t count = text->shape.elementCount();
  if (text->type && (count < 0 || count > MaxElements))
    return source.fault(value, concat("attribute ", quote(key.text),
                                      " has shape ", text->shape.str(),
                                      ", which says no number of bytes"));
  const void *none = nullptr;
  op.attributes.push_back(
      {std::string(key.text),
       text->type ? TensorView(none, *text->type, text->shape) : TensorView()});
  keys.push_back({{key.text.data() - 1, key.text.size() + 1}, key.line});
  return {};
}

Status PartReader::readShape(Word operand, Word value) {
  auto found = operands.find(operand, position);
  if (!found)
    return found.error();
  auto text = pnnx::readShape(value.text);
  if (!text)
    return source.fault(value, text.error().message());
  return operands.setShape(value, *found, *text);
}

/// Links inputs that are one operand, which may have a name each time.
void PartReader::chainInputs() {
  op.inputNames.resize(op.inputs.size());
  nextUnnamed.resize(op.inputs.size());
  for (std::size_t i = op.inputs.size(); i-- > 0;) {
    const auto entry =
        unnamed.try_emplace(op.inputs[i], op.inputs.size()).first;
    nextUnnamed[i] = std::exchange(entry->second, i);
  }
}

Status PartReader::readInputName(Word key, Word value) {
  auto operand = operands.find(value, position);
  if (!operand)
    return operand.error();
  if (op.inputNames.empty())
    chainInputs();
  const auto input = unnamed.find(*operand);
  if (input == unnamed.end() || input->second == op.inputs.size())
    return source.fault(value, "operand " + quote(value.text) +
                                   " is no input without a name");
  op.inputNames[input->second] = key.text;
  input->second = nextUnnamed[input->second];
  return {};
}

/// Checks that no key is given twice.
Status PartReader::checkKeys() const {
  auto sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](Word a, Word b) { return a.text < b.text; });
  const auto twice =
      std::adjacent_find(sorted.begin(), sorted.end(),
                         [](Word a, Word b) { return a.text == b.text; });
  if (twice == sorted.end())
    return {};
  return source.fault(twice[1], quote(twice->text) + " is given twice");
}

//===-- Order -------------------------------------------------------------===//

/// All operators, producers before consumers, else by position. Those on a
/// cycle, and what depends on them, are left out.
static std::vector<std::uint32_t> orderOf(const Network &network) {
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>
      ready;
  std::vector<std::size_t> missing(network.operators.size());
  for (std::uint32_t i = 0; i < missing.size(); ++i) {
    missing[i] = network.operators[i].inputs.size();
    if (missing[i] == 0)
      ready.push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (std::uint32_t output : network.operators[next].outputs)
      for (std::uint32_t consumer : network.operands[output].consumers)
        if (--missing[consumer] == 0)
          ready.push(consumer);
  }
  return order;
}

/// A producer of one of the inputs that is not `ordered`.
static std::uint32_t waitsFor(const Network &network,
                              const std::vector<bool> &ordered,
                              std::uint32_t position) {
  for (std::uint32_t input : network.operators[position].inputs)
    if (const auto from = network.operands[input].producer; !ordered[from])
      return from;
  return position;
}

/// Operators of which each consumes what the one before it makes, the first
/// what the last makes. `network.order` leaves some operator out.
static std::vector<std::uint32_t> cycleOf(const Network &network) {
  std::vector<bool> ordered(network.operators.size()), met(ordered);
  for (std::uint32_t position : network.order)
    ordered[position] = true;
  auto current = static_cast<std::uint32_t>(
      std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
  // Every operator that is left out waits for another one, so going from one to
  // the next ends in a cycle.
  std::vector<std::uint32_t> path;
  while (!met[current]) {
    met[current] = true;
    path.push_back(current);
    current = waitsFor(network, ordered, current);
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), current));
  std::reverse(path.begin(), path.end());
  return path;
}

//===-- The file ----------------------------------------------------------===//

namespace {
class ParamReader {
public:
  ParamReader(std::string_view text, std::string_view name)
      : text(text), source(text, name), operands(source) {}
  Expected<Network> read();

private:
  Status checkBytes();
  Status readHeader();
  Status readOperators();
  Status readOperator(Word type);
  Status readOperands(PnnxOperator &op, std::size_t inputs,
                      std::size_t outputs);
  Expected<Word> readName(Word type);
  Expected<std::uint32_t> readCount(const std::string &what);
  Status checkCounts();
  Status checkOrder();
  std::string quoteName(std::uint32_t position) const {
    return quote(network.operators[position].name);
  }

  std::string_view text;
  ParamText source;
  OperandTable operands;
  Network network;
  Word operatorCount, operandCount; ///< Where line 2 has them.
  std::uint32_t declared = 0;       ///< Number of operators in line 2.
  std::map<std::string_view, std::uint32_t> positions;
  std::vector<Word> names; ///< Of the operators.
};
} // namespace

/// Refuses NUL bytes, at which C would end a name.
Status ParamReader::checkBytes() {
  const std::size_t nul = text.find('\0');
  if (nul == text.npos)
    return {};
  const auto line = 1 + std::count(text.begin(), text.begin() + nul, '\n');
  return source.fault({text.substr(nul, 1), static_cast<std::size_t>(line)},
                      "a NUL byte is no text");
}

Expected<std::uint32_t> ParamReader::readCount(const std::string &what) {
  const Word word = source.word();
  const char *end = word.text.data() + word.text.size();
  std::uint32_t count = 0;
  const auto result = std::from_chars(word.text.data(), end, count);
  if (result.ec == std::errc::result_out_of_range)
    return source.fault(word, "the number of " + what +
                                  " is too large: " + quote(word.text));
  if (result.ec != std::errc() || result.ptr != end)
    return source.fault(word, "expected the number of " + what + ", found " +
                                  quote(word.text));
  return count;
}

Status ParamReader::readHeader() {
  if (!source.nextLine())
    return source.fault({text, 1}, "the file is empty");
  const Word magic = source.word();
  if (magic.text != Magic)
    return source.fault(magic, "a PNNX file begins with " + std::string(Magic) +
                                   ", not " + quote(magic.text));
  const bool alone = source.word().text.empty();
  if (!alone || !source.nextLine())
    return source.fault(magic, "the magic number and no counts");

  operatorCount = operandCount = source.peek();
  auto count = readCount("operators");
  if (!count)
    return count.error();
  declared = *count;
  operandCount = source.peek();
  count = readCount("operands");
  if (!count)
    return count.error();
  operands.expect(*count);
  if (const Word more = source.word(); !more.text.empty())
    return source.fault(more,
                        "expected two counts, found also " + quote(more.text));
  return {};
}

Expected<Word> ParamReader::readName(Word type) {
  const Word name = source.word();
  if (name.text.empty())
    return source.fault(name, "an operator of type " + quote(type.text) +
                                  " has no name");
  const auto [other, isNew] = positions.try_emplace(
      name.text, static_cast<std::uint32_t>(network.operators.size()));
  if (!isNew)
    return source.fault(name, concat("operator name ", quote(name.text),
                                     " is taken by line ",
                                     network.operators[other->second].line));
  return name;
}

Status ParamReader::readOperands(PnnxOperator &op, std::size_t inputs,
                                 std::size_t outputs) {
  const auto position = static_cast<std::uint32_t>(network.operators.size());
  for (std::size_t i = 0; i < inputs + outputs; ++i) {
    const Word name = source.word();
    if (name.text.empty())
      return source.fault(name,
                          concat("operator ", quote(op.name), " lists ", i,
                                 " of ", inputs + outputs, " operands"));
    const bool isInput = i < inputs;
    auto operand = isInput ? operands.addConsumer(name, position)
                           : operands.addProducer(name, position);
    if (!operand)
      return operand.error();
    (isInput ? op.inputs : op.outputs).push_back(*operand);
  }
  return {};
}

Status ParamReader::readOperator(Word type) {
  if (network.operators.size() == declared)
    return source.fault(type, concat("this operator is one more than the ",
                                     declared, " that line 2 says"));
  auto name = readName(type);
  if (!name)
    return name.error();
  PnnxOperator op;
  op.type = type.text;
  op.name = name->text;
  op.line = type.line;
  auto inputs = readCount("inputs of operator " + quote(op.name));
  if (!inputs)
    return inputs.error();
  auto outputs = readCount("outputs of operator " + quote(op.name));
  if (!outputs)
    return outputs.error();
  if (op.type == "pnnx.Output" && *inputs != 1)
    return source.fault(type, concat("pnnx.Output ", quote(op.name), " has ",
                                     *inputs, " inputs instead of 1"));
  if (auto status = readOperands(op, *inputs, *outputs); !status)
    return status;
  const auto position = static_cast<std::uint32_t>(names.size());
  if (auto s = PartReader(source, operands, op, position).read(); !s)
    return s;
  names.push_back(*name);
  network.operators.push_back(std::move(op));
  return {};
}

Status ParamReader::readOperators() {
  while (!source.endsHere()) {
    source.nextLine();
    const Word type = source.word();
    if (type.text.empty())
      return source.fault(type, "a blank line between operators");
    if (auto status = readOperator(type); !status)
      return status;
  }
  return {};
}

Status ParamReader::checkCounts() {
  if (names.size() != declared)
    return source.fault(operatorCount,
                        concat("the file ends after ", names.size(), " of ",
                               declared, " operators"));
  if (operands.size() != operands.expected())
    return source.fault(operandCount,
                        concat("the file lists ", operands.size(),
                               " operands, not ", operands.expected()));
  return {};
}

Status ParamReader::checkOrder() {
  auto all = operands.take();
  if (!all)
    return all.error();
  network.operands = std::move(*all);
  network.order = orderOf(network);
  if (network.order.size() == network.operators.size())
    return {};
  const auto cycle = cycleOf(network);
  std::string message = quoteName(cycle.back());
  for (std::size_t i = 0; i < std::min(cycle.size(), MaxNamed); ++i)
    message += " -> " + quoteName(cycle[i]);
  message += cycle.size() > MaxNamed ? " -> ..." : "";
  return source.fault(names[cycle.back()],
                      "operators need their own results: " + message);
}

Expected<Network> ParamReader::read() {
  for (const auto step : {&ParamReader::checkBytes, &ParamReader::readHeader,
                          &ParamReader::readOperators,
                          &ParamReader::checkCounts, &ParamReader::checkOrder})
    if (auto status = (this->*step)(); !status)
      return status.error();
  return std::move(network);
}

Expected<Network> pnnx::readParam(std::string_view text,
                                  std::string_view name) {
  return ParamReader(text, name).read();
}
