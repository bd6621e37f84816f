//===- Pnnx/OperandTable.h - Operands by name -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_OPERANDTABLE_H
#define KEXPR_PNNX_OPERANDTABLE_H

#include "Pnnx/Network.h"
#include "Pnnx/ShapeText.h"
#include "Pnnx/Source.h"

#include <map>

namespace kexpr::pnnx {

/// The operands that were listed so far. Names are compared in a tree, not a
/// hash table: a file cannot make that slow.
class OperandTable {
public:
  explicit OperandTable(const Source &source) : source(source) {}

  /// How many operands the file says there are; more are refused.
  void expect(std::size_t count) { declared = count; }
  std::size_t expected() const { return declared; }
  std::size_t size() const { return operands.size(); }

  /// An operator, by position, that takes or makes the operand of that name.
  Expected<std::uint32_t> addConsumer(Word name, std::uint32_t consumer);
  Expected<std::uint32_t> addProducer(Word name, std::uint32_t producer);

  /// The operand of that name if this operator lists it.
  Expected<std::uint32_t> find(Word name, std::uint32_t lister) const;
  /// What a file says of an operand; it may say so again.
  Status setShape(Word word, std::uint32_t operand, const ShapeText &shape);

  /// Checks that each operand has a producer, and hands them all out.
  Expected<std::vector<PnnxOperand>> take();

private:
  /// What is known of an operand besides what the model keeps.
  struct Entry {
    Word listed; ///< Where it was listed first.
    std::uint32_t lister = 0;
    bool produced = false;
    bool shaped = false;
  };
  Expected<std::uint32_t> add(Word name, std::uint32_t lister);

  const Source &source;
  std::size_t declared = 0;
  std::map<std::string_view, std::uint32_t> positions;
  std::vector<Entry> entries;
  std::vector<PnnxOperand> operands;
};

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_OPERANDTABLE_H
