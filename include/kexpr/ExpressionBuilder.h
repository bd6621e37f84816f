//===- kexpr/ExpressionBuilder.h - Expressions from graphs ------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_EXPRESSIONBUILDER_H
#define KEXPR_EXPRESSIONBUILDER_H

#include "kexpr/Expression.h"

namespace kexpr {
inline namespace v2 {

/// Builds an expression value by value, for hosts that have a graph: a value
/// may be the argument of any number of calls, and is computed once. Equal
/// values are one. The element types of operands come with `CompileOptions`, as
/// those of a text do; operators and types are checked when it is compiled, and
/// errors show the range in the listing that the expression prints as.
///
/// A builder is for one thread at a time. It may go on after `finish`.
class KEXPR_API ExpressionBuilder {
public:
  /// A value of the builder that returned it.
  enum class Value : std::uint32_t {};

  /// `limits` are those of the listing. Past `maxNodes`, of values or of all
  /// arguments, and `maxOperands`, values are refused; the others are looked at
  /// by `finish`.
  explicit ExpressionBuilder(const ParseLimits &limits = {});
  ExpressionBuilder(ExpressionBuilder &&) noexcept;
  ExpressionBuilder &operator=(ExpressionBuilder &&) noexcept;
  ~ExpressionBuilder();

  /// `@index`.
  Expected<Value> operand(std::uint32_t index);
  /// Literals: `2`, `0.5`, `True`.
  Expected<Value> integer(std::int64_t value);
  Expected<Value> unsignedInteger(std::uint64_t value);
  Expected<Value> real(double value);
  Expected<Value> boolean(bool value);
  /// `None`, which leaves an argument of a function of rows out.
  Expected<Value> none();
  /// `[elements...]`, as the axes of a reduction. Errors: InvalidArgument for
  /// one that is no value of this builder.
  Expected<Value> list(Span<const Value> elements);
  /// `name(arguments...)`: an operator, a cast such as `torch.half`, or `size`.
  /// Errors: InvalidSyntax for what is no name, or one of more than 256 bytes;
  /// InvalidArgument for no argument, or one that is no value of this builder.
  Expected<Value> call(std::string_view name, Span<const Value> arguments);

  /// The expression of these values: one, or a list of outputs. What none of
  /// them needs is left out. Its text is its canonical form. Errors:
  /// InvalidArgument for no output or one that is no value of this builder,
  /// LimitExceeded.
  Expected<Expression> finish(Span<const Value> outputs) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_EXPRESSIONBUILDER_H
