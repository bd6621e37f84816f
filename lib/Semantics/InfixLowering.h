//===- Semantics/InfixLowering.h - Infix text with types ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_INFIXLOWERING_H
#define KEXPR_SEMANTICS_INFIXLOWERING_H

#include "Syntax/Infix.h"
#include "kexpr/ExpressionBuilder.h"
#include "kexpr/Infix.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kexpr {
inline namespace v2 {
namespace detail {
struct InfixData {
  syntax::InfixTree tree;
  ParseLimits limits;
};
} // namespace detail
} // namespace v2

namespace semantics {

using InfixPtr = std::shared_ptr<const detail::InfixData>;

/// Builds an expression, and remembers what of the text each value came from.
class InfixEmitter {
public:
  using Built = ExpressionBuilder::Value;

  explicit InfixEmitter(const ParseLimits &limits) : builder(limits) {}

  /// The text that values come from until the next call.
  void setRange(SourceRange range) { current = range; }
  Expected<Built> operand(std::uint32_t index);
  Expected<Built> integer(std::int64_t value);
  Expected<Built> unsignedInteger(std::uint64_t value);
  Expected<Built> real(double value);
  Expected<Built> boolean(bool value);
  Expected<Built> none();
  Expected<Built> list(const std::vector<Built> &elements);
  Expected<Built> call(std::string_view name, const std::vector<Built> &args);
  Expected<Expression> finish(const std::vector<Built> &outputs) const;

  /// The text that each node of an expression which `finish` gave came from.
  std::vector<SourceRange> rangesOf(const Expression &expression,
                                    const std::vector<Built> &outputs) const;

private:
  struct Emitted {
    SourceRange range;
    std::vector<Built> children;
  };
  Expected<Built> note(Expected<Built> built, std::vector<Built> children);

  ExpressionBuilder builder;
  SourceRange current;
  std::vector<Emitted> emitted; ///< By value of the builder.
};

/// A program as an expression.
struct LoweredInfix {
  Expression expression;
  InfixEmitter emitter;
  std::vector<InfixEmitter::Built> outputs;
  std::vector<IntegerRange> ranges; ///< Of each operand of the program.
};

Expected<InfixPtr> readInfix(std::string_view text,
                             std::span<const std::string> operands,
                             const ParseLimits &limits);
Expected<LoweredInfix> lowerInfix(const detail::InfixData &program,
                                  Span<const InfixOperand> operands,
                                  Semantics semantics);
/// An error of a later stage, in the expression, as one in the infix text.
Error placeInInfix(const Error &error, const detail::InfixData &program,
                   const LoweredInfix &lowered);

} // namespace semantics
} // namespace kexpr

#endif // KEXPR_SEMANTICS_INFIXLOWERING_H
