//===- Graph/LoweringTable.h - One row an operator ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_LOWERINGTABLE_H
#define KEXPR_GRAPH_LOWERINGTABLE_H

#include "Graph/Lowering.h"
#include "kexpr/Span.h"

namespace kexpr::graph {

/// A constant that is computed from an operator, and its name in a row's text.
struct NamedChannels {
  std::string_view name;
  std::shared_ptr<const ChannelData> data;
};

/// How operators of some types are written as an expression. Lists are
/// separated by blanks, but for Python's tuples, which are written as lists:
/// `[1,1]`.
struct LoweringRow {
  std::string_view types;
  /// Names as PNNX writes them, in PyTorch's order, with defaults: each is an
  /// input of the operator, one of its parameters or one of its attributes.
  std::string_view arguments;
  /// `name=value` for all that must hold for this row; of several rows for a
  /// type, the first that fits is taken. `outputs` is their number.
  std::string_view when;
  /// `{name}` stands for an argument or constant, `{name?}` for one that may be
  /// None, and `{}` for the part of the type after its dot or colons, in lower
  /// case.
  /// `{name!}` is cast to the type that the file says the result has: PNNX
  /// drops what was asked for. `{last name}` are the last axes, as many as a
  /// list has elements, `{spatial}` those behind the channels, of a known rank,
  /// and `{grouped}` those behind the groups.
  std::string_view text;
  Expected<std::vector<NamedChannels>> (*constants)(const PnnxModel &,
                                                    const PnnxOperator &,
                                                    Texts &) = nullptr;
  /// The argument whose element type the result is cast to; most have none.
  std::string_view typeFrom = {};
  /// The argument that is `Lowered::groups`; most have none.
  std::string_view groups = {};
};

Span<const LoweringRow> loweringRows();

/// The operand that is an operator's input of that name, or is at `position`
/// of its unnamed inputs; null if there is none.
const PnnxOperand *inputOf(const PnnxModel &model, const PnnxOperator &op,
                           std::string_view name, std::size_t position);

/// `scale` and `shift` of a batch normalisation in inference, from its
/// attributes or, for `F.batch_norm`, from inputs that are constants.
Expected<std::vector<NamedChannels>>
batchNormChannels(const PnnxModel &model, const PnnxOperator &op, Texts &texts);
/// The same of an instance normalisation by running statistics.
Expected<std::vector<NamedChannels>> runningNormChannels(const PnnxModel &model,
                                                         const PnnxOperator &op,
                                                         Texts &texts);
/// `weight` and `bias` of an instance normalisation, as far as it has them.
Expected<std::vector<NamedChannels>>
instanceNormChannels(const PnnxModel &model, const PnnxOperator &op,
                     Texts &texts);
/// The same of a group normalisation.
Expected<std::vector<NamedChannels>>
groupNormChannels(const PnnxModel &model, const PnnxOperator &op, Texts &texts);
/// The `weight` of a PReLU.
Expected<std::vector<NamedChannels>>
preluChannels(const PnnxModel &model, const PnnxOperator &op, Texts &texts);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_LOWERINGTABLE_H
