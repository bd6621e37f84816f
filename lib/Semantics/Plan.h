//===- Semantics/Plan.h - What one kernel computes ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_PLAN_H
#define KEXPR_SEMANTICS_PLAN_H

#include "Ops/ReductionTable.h"
#include "Semantics/Graph.h"
#include "Syntax/Listing.h"

#include <memory>
#include <optional>

namespace kexpr::semantics {

/// How an operand moves when the innermost loop takes one step.
enum class AccessPattern : std::uint8_t {
  Contiguous, ///< To the next element.
  Constant,   ///< Not at all: one element for the whole loop.
  Strided,    ///< By a number of bytes known at run time.
  // Of plans that take rows whole, which are machine code's:
  Rows,    ///< All elements of a row, and rows one behind the other.
  Row,     ///< All elements of one row, which is that of all.
  Columns, ///< All elements of a row, `Strided`, and rows side by side.
};

/// "contiguous", "constant", "strided", "in rows", "a row", "in columns".
std::string_view nameOf(AccessPattern pattern);

/// A reduction, and the type that it computes in.
struct Reducing {
  ops::ReductionId reduction = 0;
  DType form = DType::F32;
  /// Whether the states are those of the output before, which take elements of
  /// this one after those of that one.
  bool goesOn = false;
  /// Whether this output and those that go on have all elements of rows, the
  /// lanes of one block: the states are of these alone. Of machine code only.
  bool takesRows = false;
  const ops::ReductionLoops &loops() const {
    return ops::loopsOf(reduction, form);
  }
  /// Whether it finds where an element is.
  bool isIndex() const {
    return ops::allReductions()[reduction].info.result ==
           ops::ReductionResult::Index;
  }
  friend bool operator==(const Reducing &, const Reducing &) = default;
};

/// How one operand is read or one output is written. An output may be states of
/// a reduction, which take its elements: if contiguous a state for each element
/// of the loop; if constant `ReductionLanes` states for all of them, in turn;
/// if strided one state of a row, which becomes that of its elements alone,
/// folded. Strides are those from one part of a state to the next.
struct Access {
  DType type = DType::F32;
  AccessPattern pattern = AccessPattern::Contiguous;
  std::optional<Reducing> reducing = std::nullopt;
  /// Whether the caches keep it: an output that is read soon, and so never goes
  /// past them, or what is in them when it is read, and is not fetched.
  bool isKept = false;
  /// Whether rows that are taken whole have elements of their own.
  bool isInRows() const {
    return pattern == AccessPattern::Rows || pattern == AccessPattern::Columns;
  }
  friend bool operator==(const Access &, const Access &) = default;
};

/// The pattern, "contiguous, kept", or "sum in lanes", "sum of each", "sum of
/// all".
std::string textOf(const Access &access);

/// The tree of an output that reduces: which state takes which element, and how
/// they are folded.
std::string treeOf(const Access &access);

/// Bytes that outputs of a plan that streams are aligned to: those of a cache
/// line, and of the widest vector.
inline constexpr std::size_t StreamAlignment = 64;

/// The origin of a plan, for dumps.
struct Source {
  Expression expression;
  std::vector<DType> operandTypes;
  /// See `Signature::zeroDimOperands`.
  std::vector<std::uint32_t> zeroDims;
};

/// Everything machine code depends on besides the target: one fused loop over
/// `count` elements, or rows that it takes whole. Of shapes the length of such
/// rows alone is part of it.
struct Plan {
  Graph graph;
  std::vector<Access> inputs;  ///< One for each of `graph.inputs`.
  std::vector<Access> outputs; ///< One for each of `graph.outputs`.
  Precision precision = Precision::Default;
  /// Whether outputs are written past the caches, for memory that is not read
  /// again soon. All that are stored are then contiguous, `Rows` or `Columns`,
  /// and begin at a multiple of `StreamAlignment`, as does each row that
  /// vectors go along, and each of the columns; or where elements are aligned,
  /// if it `streamsAnywhere`.
  bool streams = false;
  /// Of a loop over rows that takes each whole, how many elements these have,
  /// at most those of a block but in parts; 0 of others. What is neither
  /// `Rows`, `Columns` nor a `Row`, nor computed of these, has an element a
  /// row.
  unsigned rowLength = 0;
  /// Whether lanes of vectors are elements of such a row, and not rows.
  bool isAlongRows = false;
  /// Whether it sweeps over the elements of such a row, some at a time, as
  /// often as its folds need: these are too many for code of each.
  bool isInParts = false;
  /// The expression as profilers and debuggers show it; `Graph::origins` are
  /// nodes of it. Null without listeners. Machine code does not depend on it.
  std::shared_ptr<const syntax::Listing> listing = nullptr;
  /// Null without dumps. Machine code does not depend on it.
  std::shared_ptr<const Source> source = nullptr;

  /// Work of one element, reductions included.
  ops::Work work() const;
  /// Operations of a short body at most: of it a core's schedulers hold many
  /// steps.
  static constexpr unsigned ShortBody = 13;
  bool hasLongBody() const { return work().operations > ShortBody; }
  /// The same of each of the elements that it takes at once, but for what
  /// states and folds do with it.
  bool hasLongElements() const;
  /// The arithmetic of a call of the graph.
  ops::Arithmetic arithmeticOf(const Value &call) const {
    return ops::arithmeticOf(graph.computedType(call), precision);
  }
  /// Whether a reduction is an index.
  bool findsIndices() const;
  /// Whether elements of rows that are taken whole lie in columns.
  bool takesColumns() const;
  /// Whether loops go over rows, each of which becomes a state.
  bool isFolded() const;
  /// Whether a loop over rows fetches elements of rows further on: it computes
  /// with results of its rows, so these were read before, and those that come
  /// next are still to be. It has the time for it that a first loop lacks.
  bool fetchesAhead() const;
  /// Whether a short loop reduces elements of f32 that it does nothing with but
  /// convert them to f64, before all else.
  bool convertsInputs() const;
  /// How many outputs in turn the states of the first one take.
  unsigned elementsAtOnce() const;
  /// Pointers that a `LoopFn` takes.
  std::size_t slots() const {
    return outputs.size() + inputs.size() + graph.parameters.size();
  }

  /// Gives every input and output of the graph a contiguous access.
  void setContiguous();
  /// The plan of some of the outputs, which are contiguous like its inputs.
  Plan restrictedTo(std::span<const std::size_t> kept) const;
  /// The plan of a loop over rows that does several elements of each at once,
  /// or all if it `takesRows`. Each output and input is that of the first
  /// element, and those of the others follow it. States are of each.
  Plan unrolled(unsigned elements, bool takesRows) const;

  /// Bytes that are read and written for an element, and those written.
  std::size_t bytesPerElement() const;
  std::size_t bytesWritten() const;
  /// A readable listing: graph, accesses, work.
  std::string str() const;
  /// A key for caches: equal for two plans exactly if their code is. Values of
  /// parameters are not part of it.
  std::string key() const;
};

/// The fused loop as a function, compiled or interpreted. `pointers` holds the
/// outputs' first elements, then the inputs', then the parameters; `strides`
/// holds, in the same order, the byte steps of outputs and inputs whose access
/// pattern is `Strided` or `Columns`, and from part to part of states not in
/// lanes (others are not read). An output pointer may equal an input pointer of
/// the same access pattern and type. Contiguous states have room for a multiple
/// of 64. Of a folded plan `count` is that of a row. There `strides` has,
/// behind those of outputs and inputs, the byte steps of each from row to row,
/// how many rows there are, at least one, and, if it `fetchesAhead`, by how
/// many rows.
using LoopFn = void (*)(std::int64_t count, void *const *pointers,
                        const std::int64_t *strides);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_PLAN_H
