//===- Pnnx/Graph/Lowering.h - Operators as expressions -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_GRAPH_LOWERING_H
#define KEXPR_PNNX_GRAPH_LOWERING_H

#include "kexpr/Expression.h"
#include "kexpr/PnnxModel.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::graph {

/// One number for each channel (axis 1), made when a graph is built.
struct ChannelData {
  DType type = DType::F32; ///< Or F64.
  std::int64_t channels = 0;
  std::unique_ptr<unsigned char[]> bytes;
};

/// What `@k` of a lowered text is.
struct LoweredArgument {
  std::uint32_t operand = 0; ///< Of the model.
  /// Instead of the operand, but with as many axes as that has.
  std::shared_ptr<const ChannelData> channels;
};

/// An elementwise operator written as expressions.
struct Lowered {
  std::vector<std::string> texts; ///< One for each output.
  std::vector<LoweredArgument> arguments;
  /// The argument whose element type the results have, if that is so.
  std::optional<std::uint32_t> typeFrom;
};

/// Whether `lower` knows a type of operators.
bool isLowered(std::string_view type);
/// Those types, sorted.
std::vector<std::string_view> loweredTypes();
/// Whether a type is the graph's own: `pnnx.Input`, `.Output`, `.Attribute` and
/// `prim::TupleConstruct`.
bool isOwnType(std::string_view type);

/// The expressions of an operator whose type is known. Errors, without the
/// operator's name: InvalidArgument for arguments that are missing, left over
/// or have no meaning, Unsupported for what cannot be written as expressions.
Expected<Lowered> lower(const PnnxModel &model, const PnnxOperator &op);

/// The same of a `pnnx.Expression`: its text as it stands, or for several
/// outputs the elements of its list.
Expected<Lowered> lowerExpression(const PnnxOperator &op);

/// The text as an expression, if it is one. Throws std::bad_alloc where memory
/// runs out: a text is not another one for that.
std::optional<Expression> parseText(const std::string &text,
                                    const ParseLimits &limits = {});

/// The elements of a list in canonical form; none of other texts.
std::vector<std::string> listElements(const std::string &text);

} // namespace kexpr::graph

#endif // KEXPR_PNNX_GRAPH_LOWERING_H
