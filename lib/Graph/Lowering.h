//===- Graph/Lowering.h - Operators as expressions ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_LOWERING_H
#define KEXPR_GRAPH_LOWERING_H

#include "kexpr/Expression.h"
#include "kexpr/PnnxModel.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::graph {

/// One number for each channel (axis 1), made when a graph is built.
struct ChannelData {
  ChannelData(DType type, Span<const double> values);

  std::unique_ptr<unsigned char[]> bytes;
  TensorView tensor; ///< Of shape [channels]; f32 or f64.
};

/// The value that `@k` of a lowered expression stands for.
struct LoweredArgument {
  std::uint32_t operand = 0; ///< Of the model.
  /// A constant in place of the operand, with as many axes as that has.
  std::shared_ptr<const ChannelData> channels = {};
  /// A constant of the model in place of the operand.
  const TensorView *constant = nullptr;

  friend bool operator==(const LoweredArgument &,
                         const LoweredArgument &) = default;
};

/// An operator as an expression, which is a list for several outputs or a
/// tuple.
struct Lowered {
  Expression expression;
  std::vector<LoweredArgument> arguments = {};
  /// The argument whose element type the results are cast to.
  std::optional<std::uint32_t> typeFrom = {};
  /// If not 0, the channels (axis 1) of all tensors are seen as two axes, of
  /// groups and of the channels of a group.
  std::int64_t groups = 0;
};

/// The texts of a network, each parsed once.
class Texts {
public:
  /// Errors: those of `Expression::parse`, which are kept with the text. But
  /// for OutOfMemory, which another attempt may not meet: it is thrown.
  const Expected<Expression> &parse(const std::string &text);

  /// The node of a parameter that is one literal or word, or a list of them,
  /// else null. Such a text can become part of another without changing how
  /// that is parsed.
  const Node *literal(const std::string &text);

private:
  std::map<std::string, Expected<Expression>, std::less<>> known;
};

/// Whether `lower` supports a type of operators.
bool isLowered(std::string_view type);
/// The types that `lower` supports, sorted.
std::vector<std::string_view> loweredTypes();
/// Whether a type is the graph's own: `pnnx.Input`, `.Output`, `.Attribute` and
/// `prim::TupleConstruct`.
bool isOwnType(std::string_view type);

/// The expression of an operator whose type is known. Errors, without the
/// operator's name: InvalidArgument for arguments that are missing, left over
/// or have no meaning, Unsupported for what cannot be written as one.
Expected<Lowered> lower(const PnnxModel &model, const PnnxOperator &op,
                        Texts &texts);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_LOWERING_H
