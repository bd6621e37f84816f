//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/ParamReader.h"

#include "Pnnx/Order.h"
#include "Pnnx/PartReader.h"

#include <algorithm>
#include <charconv>

using namespace kexpr;
using namespace kexpr::pnnx;

static constexpr std::string_view Magic = "7767517";

/// Operators of a cycle that a message names at most.
static constexpr std::size_t MaxNamed = 8;

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
  Status takeOperands();
  Status checkOrder();
  std::string quoteName(std::uint32_t position) const {
    return quote(network.operators[position].name);
  }

  std::string_view text;
  Source source;
  OperandTable operands;
  Network network;
  Word operatorCount, operandCount; ///< Where line 2 has them.
  std::uint32_t declared = 0;       ///< Operators.
  std::map<std::string_view, std::uint32_t> positions;
  std::vector<Word> names; ///< Of the operators.
};
} // namespace

/// Text has no NUL; names end at one where C reads them.
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
    return source.fault(
        name, "operator name " + quote(name.text) + " is taken by line " +
                  std::to_string(network.operators[other->second].line));
  return name;
}

Status ParamReader::readOperands(PnnxOperator &op, std::size_t inputs,
                                 std::size_t outputs) {
  const auto position = static_cast<std::uint32_t>(network.operators.size());
  for (std::size_t i = 0; i < inputs + outputs; ++i) {
    const Word name = source.word();
    if (name.text.empty())
      return source.fault(
          name, "operator " + quote(op.name) + " lists " + std::to_string(i) +
                    " of " + std::to_string(inputs + outputs) + " operands");
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
    return source.fault(type, "this operator is one more than the " +
                                  std::to_string(declared) +
                                  " that line 2 says");
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
    return source.fault(type, "pnnx.Output " + quote(op.name) + " has " +
                                  std::to_string(*inputs) +
                                  " inputs instead of 1");
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
                        "the file ends after " + std::to_string(names.size()) +
                            " of " + std::to_string(declared) + " operators");
  if (operands.size() != operands.expected())
    return source.fault(operandCount, "the file lists " +
                                          std::to_string(operands.size()) +
                                          " operands, not " +
                                          std::to_string(operands.expected()));
  return {};
}

Status ParamReader::checkOrder() {
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

/// Hands the operands over to the network.
Status ParamReader::takeOperands() {
  auto all = operands.take();
  if (!all)
    return all.error();
  network.operands = std::move(*all);
  return {};
}

Expected<Network> ParamReader::read() {
  for (const auto step :
       {&ParamReader::checkBytes, &ParamReader::readHeader,
        &ParamReader::readOperators, &ParamReader::checkCounts,
        &ParamReader::takeOperands, &ParamReader::checkOrder})
    if (auto status = (this->*step)(); !status)
      return status.error();
  return std::move(network);
}

Expected<Network> pnnx::readParam(std::string_view text,
                                  std::string_view name) {
  return ParamReader(text, name).read();
}
