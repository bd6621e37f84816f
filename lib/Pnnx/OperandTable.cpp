//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/OperandTable.h"

using namespace kexpr;
using namespace kexpr::pnnx;

Expected<std::uint32_t> OperandTable::add(Word name, std::uint32_t lister) {
  const auto next = static_cast<std::uint32_t>(operands.size());
  const auto [found, isNew] = positions.try_emplace(name.text, next);
  if (!isNew) {
    entries[found->second].lister = lister;
    return found->second;
  }
  if (operands.size() == declared)
    return source.fault(
        name, "operand " + quote(name.text) + " is one more than the " +
                  std::to_string(declared) + " that line 2 says");
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
        word, "operand " + quote(known.name) + " was " + known.shape->str() +
                  (known.type ? std::string(nameOf(*known.type)) : "") +
                  " before");
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
