//===- Pnnx/PartReader.h - What follows an operator's operands ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_PARTREADER_H
#define KEXPR_PNNX_PARTREADER_H

#include "Pnnx/OperandTable.h"

namespace kexpr::pnnx {

/// Reads the rest of an operator's line: `key=text`, `@key=shape`,
/// `$key=operand` and `#operand=shape`, in any order.
class PartReader {
public:
  /// The operator's inputs are known; it is at `position`.
  PartReader(Source &source, OperandTable &operands, PnnxOperator &op,
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

  Source &source;
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

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_PARTREADER_H
