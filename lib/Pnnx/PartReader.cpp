//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/PartReader.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::pnnx;

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

/// PNNX writes strings as they are, blanks included.
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
    return source.fault(value, "attribute " + quote(key.text) + " has shape " +
                                   text->shape.str() +
                                   ", which says no number of bytes");
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

/// An operand that is listed twice may have two names.
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

/// Whether no key is given twice.
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
