//===- Semantics/RowFunctions.h - Functions over axes of tensors ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls that go over axes: every reduction, and functions such as softmax that
/// are several reductions and operators. What they take besides tensors is
/// written into the text.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_ROWFUNCTIONS_H
#define KEXPR_SEMANTICS_ROWFUNCTIONS_H

#include "Semantics/Simplify.h"
#include "kexpr/Expression.h"

namespace kexpr::semantics {

/// What an argument is.
enum class RowArgument : std::uint8_t {
  Tensor,
  Classes, ///< A tensor of integers, which stay what they are.
  Maybe,   ///< A tensor, or None.
  Axis,    ///< An integer, or None for all.
  Along,   ///< An integer.
  Axes,    ///< An integer, a list of them, or None for all.
  Stay,    ///< Whether reduced axes stay: True or False.
  Whole,   ///< An integer, 0 or more.
  Count,   ///< An integer, 1 or more.
  // What follows may be None, for what it is where it is left out.
  Number,
  NotNegative,
  Positive,
  Ignored, ///< A class: an integer below 2^53.
};

/// The arguments of a call.
struct RowSettings {
  ops::ReductionId reduction = 0; ///< Of a function that is just one, or one's
                                  ///< scan.
  std::vector<std::optional<TypedValue>> tensors;
  AxisSet axes;
  std::optional<std::int64_t> whole = {};
  std::optional<double> number = {};
};

struct RowFunction {
  std::string_view name;
  /// How it is called: "x, axes, keepdim", those that may be left out in
  /// brackets.
  std::string_view signature;
  std::string_view doc; ///< One line: the meaning.
  ops::Bounds ulp;      ///< Largest errors, where nothing cancels.
  unsigned least;       ///< Arguments at least.
  std::array<RowArgument, 5> list;
  unsigned most; ///< And at most, of `list`.
  Expected<TypedValue> (*make)(Simplifier &, const RowSettings &);
  ops::ReductionId reduction = 0;
  bool isIndex = false; ///< Whether the result is i64, whatever the tensor.

  std::span<const RowArgument> arguments() const { return {&list[0], most}; }
  bool isSetting(std::size_t argument) const {
    return argument < most && list[argument] > RowArgument::Maybe;
  }
  /// "a tensor, axes and whether these stay": what it takes.
  std::string takes() const;
};

/// The function of that name; null if there is none.
const RowFunction *findRowFunction(std::string_view name);
/// All of them, the reductions first, then the scans.
std::span<const RowFunction> rowFunctions();

/// Reads the arguments of a call with as many as the function takes.
class RowCallReader {
public:
  RowCallReader(const Expression &expression, const Node &call,
                const RowFunction &function)
      : expression(expression), call(call), function(function) {}
  /// `values` has those of all nodes before the call.
  Expected<RowSettings> read(const std::vector<TypedValue> &values) const;

private:
  Status readAxes(const Node &argument, bool isOne, AxisSet &axes) const;
  Status checkClasses(const Node &argument, const TypedValue &value) const;
  Status readNumber(const Node &argument, RowArgument kind,
                    RowSettings &settings) const;
  Error fault(const Node &node, std::string message,
              ErrorCode code = ErrorCode::InvalidArgument) const {
    return {code, std::move(message), std::string(expression.text()),
            node.range};
  }

  const Expression &expression;
  const Node &call;
  const RowFunction &function;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_ROWFUNCTIONS_H
