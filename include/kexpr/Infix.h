//===- kexpr/Infix.h - Expressions in Python's notation ---------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INFIX_H
#define KEXPR_INFIX_H

#include "kexpr/Expression.h"
#include "kexpr/Tensor.h"

#include <limits>
#include <string>
#include <vector>

namespace kexpr {
inline namespace v2 {

/// What a text is written in. It is never guessed.
enum class Syntax : std::uint8_t {
  Pnnx,  ///< `add(mul(@0,@1),2)`, and listings.
  Infix, ///< `a*x + b`, as in Python: see docs/infix.md.
};

/// Whose rules say which type an operator computes in.
enum class Semantics : std::uint8_t {
  Default, ///< Those of the syntax: Torch for Pnnx, Numpy for Infix.
  Torch,   ///< PyTorch's promotion, as in all texts of PNNX.
  Numpy,   ///< NumPy 2's: NEP 50, and those of its functions and sums.
};

/// What an operand is to promotion.
enum class OperandKind : std::uint8_t {
  Tensor,
  ZeroDim, ///< A 0-d tensor, which PyTorch distinguishes and NumPy does not.
  /// A Python number, given as a tensor of Bool, I64 or F64. It has a category
  /// alone, and takes its type from what it meets; an integer that does not fit
  /// that type is wrapped: `InfixProgram::numberRanges` says which do.
  Number,
};

/// The integers from `least` to `greatest`.
struct IntegerRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
};

struct InfixOperand {
  DType type = DType::F32;
  OperandKind kind = OperandKind::Tensor;
};

struct InfixOptions {
  ParseLimits limits = {};
  /// The names of the operands, `@0` first. A name that is not among them is an
  /// error, and constants and functions of these names are hidden. Empty: the
  /// operands are the text's names, in order of first appearance.
  std::vector<std::string> operands = {};
};

namespace detail {
struct InfixData;
}

/// A text in Python's notation that was read once, before there are types:
/// statements `t = x*w + b`, and at the end a value, or several with commas
/// between. What is not in docs/infix.md is refused: attributes, indices,
/// strings, names that begin with `__`... Nothing is ever evaluated as Python.
/// Immutable, cheap to copy, usable from any thread. What it hands out lives as
/// long as any copy of it.
class KEXPR_API InfixProgram {
public:
  /// Takes time and memory in proportion to the text, and no recursion. Errors,
  /// with their range in `text`: InvalidSyntax; Unsupported, for what Python
  /// has and this notation has not; UnknownOperator, for a name of no operand;
  /// LimitExceeded; OutOfMemory and InvalidArgument, for a name of the options
  /// that is none or appears twice, which have no range.
  static Expected<InfixProgram> parse(std::string_view text,
                                      const InfixOptions &options = {});

  /// The text as it was given.
  std::string_view text() const;
  /// Names, `@0` first.
  Span<const std::string> operands() const;
  std::size_t outputCount() const;
  /// Whether results were written as a list: `[x]` is one of one element.
  bool isList() const;

  /// The expression that the program is for operands of these types; those past
  /// the end are tensors of F32. All conversions are written out as casts, so
  /// that no rule of promotion is left to whoever compiles it. Compile it for
  /// the same types, and without `zeroDimOperands` unless `semantics` is Torch.
  /// Errors, with their range in `text()`: UnknownOperator, WrongArity,
  /// TypeMismatch, InvalidArgument, Unsupported, LimitExceeded.
  Expected<Expression> lower(Span<const InfixOperand> operands = {},
                             Semantics semantics = Semantics::Numpy) const;

  /// The integers that each operand may be which is a Python number, where
  /// NumPy would raise an exception for others: those of every integer type
  /// that `lower` casts the operand to. The arguments and errors are those of
  /// `lower`; under PyTorch's rules, which wrap, all integers may be.
  Expected<std::vector<IntegerRange>>
  numberRanges(Span<const InfixOperand> operands,
               Semantics semantics = Semantics::Numpy) const;

  /// What compiling or calling that expression said, as an error of this text:
  /// operands have their names, and a range is one in `text()`. The arguments
  /// are those of `lower`; errors of anything else come out as they are.
  Error placed(const Error &error, Span<const InfixOperand> operands = {},
               Semantics semantics = Semantics::Numpy) const;

private:
  explicit InfixProgram(std::shared_ptr<const detail::InfixData> parsed)
      : data(std::move(parsed)) {}
  std::shared_ptr<const detail::InfixData> data;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_INFIX_H
