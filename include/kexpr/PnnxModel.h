//===- kexpr/PnnxModel.h - What a PNNX file says ----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNXMODEL_H
#define KEXPR_PNNXMODEL_H

#include "kexpr/Error.h"
#include "kexpr/Span.h"
#include "kexpr/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr {
inline namespace v2 {

/// `key=text` of an operator, not interpreted: `expr=3` is the text "3". What
/// PNNX writes with blanks in it is kept with them.
struct PnnxParameter {
  std::string key;
  std::string text;
};

/// A constant tensor of an operator (`@weight=(64)f32`); its bytes are entry
/// `<operator>.<key>` of the `.bin` file.
struct PnnxAttribute {
  std::string key;
  /// Row-major; empty where the file says a type that is no DType. The memory
  /// is aligned to 64 bytes and lives as long as any copy of the model.
  TensorView tensor;
};

/// A value that flows from one operator to others.
struct PnnxOperand {
  std::string name;
  std::uint32_t producer = 0;           ///< Position of its operator.
  std::vector<std::uint32_t> consumers; ///< Ascending; twice if listed twice.
  /// From `#name=(dims)dtype`, if the file says it; -1 is an unknown extent.
  std::optional<Shape> shape;
  std::optional<DType> type;
};

/// A line of the `.param` file: what is computed from which operands.
struct PnnxOperator {
  std::string type;
  std::string name;                  ///< No other operator of the model has it.
  std::vector<std::uint32_t> inputs; ///< Positions in `operands()`, in order.
  std::vector<std::uint32_t> outputs; ///< The same.
  /// From `$key=operand`: nothing, or one for each input, "" where none is
  /// said.
  std::vector<std::string> inputNames;
  std::vector<PnnxParameter> parameters;
  std::vector<PnnxAttribute> attributes;
  std::size_t line = 0; ///< Of the `.param` file, from 1.

  /// The text of a parameter; null if there is none of that key.
  KEXPR_API const std::string *parameter(std::string_view key) const;
  /// The same for attributes.
  KEXPR_API const TensorView *attribute(std::string_view key) const;
};

/// A network as its two files say it, checked as far as can be without knowing
/// what the operators do. Immutable, cheap to copy, usable from any thread.
class KEXPR_API PnnxModel {
public:
  /// Reads `<name>.pnnx.param`, and the `.bin` (empty: none, which is an error
  /// if an operator has attributes of a DType). Errors: Io names the file;
  /// InvalidSyntax is what is wrong inside one, with its line or entry name,
  /// and with the range in a `.param` text of up to a mebibyte; OutOfMemory.
  static Expected<PnnxModel> load(const std::string &paramPath,
                                  const std::string &binPath = {});
  /// The same from memory, which is copied; `name` stands for the files in
  /// messages.
  static Expected<PnnxModel> parse(std::string_view param,
                                   Span<const unsigned char> bin = {},
                                   std::string_view name = "model");

  Span<const PnnxOperator> operators() const; ///< As in the file.
  Span<const PnnxOperand> operands() const;   ///< As first listed.
  /// Positions in `operators()`, producers before consumers, else as in the
  /// file.
  Span<const std::uint32_t> order() const;

private:
  struct Data;
  explicit PnnxModel(std::shared_ptr<const Data> model)
      : data(std::move(model)) {}
  std::shared_ptr<const Data> data;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_PNNXMODEL_H
