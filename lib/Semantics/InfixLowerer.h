//===- Semantics/InfixLowerer.h - Lowers infix text node by node ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_INFIXLOWERER_H
#define KEXPR_SEMANTICS_INFIXLOWERER_H

#include "Semantics/InfixFunctions.h"
#include "Semantics/InfixLowering.h"
#include "Semantics/Number.h"
#include "Support/Text.h"

namespace kexpr::semantics {

/// What a node stands for.
struct Lowered {
  std::optional<InfixEmitter::Built> built = {};
  DType type = DType::F32;
  Weight weight = Weight::Tensor;
  /// A number that is known; it is written where its type is.
  std::optional<Number> literal = {};
  /// Which operand it is, of those that are numbers.
  std::optional<std::uint32_t> number = {};
};

/// Whether an integer of `type` can hold the number, if it is one.
bool fitsInteger(const Number &number, DType type);

/// The arguments of a call.
struct InfixArguments {
  std::vector<Lowered> values;
  std::vector<std::uint32_t> nodes;

  std::vector<ArgumentType> types(std::size_t from = 0) const {
    std::vector<ArgumentType> result;
    for (std::size_t i = from; i < values.size(); ++i)
      result.push_back({values[i].type, values[i].weight});
    return result;
  }
};

/// Lowers the nodes of a program in order, so without recursion.
class InfixLowerer {
public:
  InfixLowerer(const detail::InfixData &program,
               Span<const InfixOperand> operands, Semantics semantics)
      : tree(program.tree), operands(operands),
        isNumpy(semantics != Semantics::Torch),
        emitter(limitsFor(program.limits)),
        ranges(program.tree.operands.size()) {}
  Expected<LoweredInfix> run();

private:
  using Built = InfixEmitter::Built;
  using Arguments = InfixArguments;

  static ParseLimits limitsFor(const ParseLimits &limits);
  Expected<Lowered> lower(const syntax::InfixNode &node);
  Expected<Lowered> operand(const syntax::InfixNode &node);
  Expected<Lowered> conditional(const syntax::InfixNode &node);
  Expected<Lowered> call(const syntax::InfixNode &node);
  Expected<Lowered> cast(const syntax::InfixNode &node, DType type);
  Expected<Lowered> apply(const syntax::InfixNode &node,
                          const InfixFunction &function, const Arguments &args);
  Expected<Lowered> applyOperator(const syntax::InfixNode &node,
                                  const InfixFunction &function,
                                  const Arguments &args);
  Expected<DType> typeFor(const syntax::InfixNode &node,
                          const InfixFunction &function, const Arguments &args);
  Expected<DType> comparedType(const Arguments &args);
  Expected<Lowered> compareBesideU64(std::string_view op, const Arguments &args,
                                     std::size_t signedPlace);
  Status checkPower(const syntax::InfixNode &node, const Arguments &args) const;
  Expected<Lowered> fold(const syntax::InfixNode &node,
                         const InfixFunction &function, ops::OpId op,
                         const Arguments &args);
  Expected<Lowered> torchCall(const ops::OpEntry &entry,
                              const InfixFunction &function,
                              const Arguments &args);
  Expected<Lowered> made(std::string_view op, DType type, Weight weight,
                         const std::vector<Built> &args);
  Expected<Lowered> where(const syntax::InfixNode &node, const Arguments &args);
  Expected<Lowered> clip(const syntax::InfixNode &node);
  Expected<Lowered> numbersWhere(Built condition, const Arguments &args);
  Expected<Lowered> sign(const Lowered &x);
  Expected<Lowered> rest(const syntax::InfixNode &node,
                         const InfixFunction &function, const Arguments &args);
  Expected<Lowered> scale(const syntax::InfixNode &node,
                          const InfixFunction &function, const Arguments &args);
  Status holdLimits(Arguments &args, bool hasLeast) const;
  Status addDefaults(const InfixFunction &function, Arguments &args) const;
  Expected<Lowered> scaled(const Lowered &x, double factor);
  Expected<Lowered> extreme(const syntax::InfixNode &node,
                            const InfixFunction &function);
  Expected<Lowered> rows(const syntax::InfixNode &node, std::string_view name);
  Expected<DType> typeOfRows(const syntax::InfixNode &node,
                             const RowFunction &function, Arguments &tensors);
  Expected<std::vector<std::optional<std::uint32_t>>>
  parametersFor(const syntax::InfixNode &node, const RowFunction &function);
  DType rowType(const RowFunction &function,
                std::span<const ArgumentType> types) const;
  DType rowResult(const RowFunction &function, DType type) const;
  Expected<Built> setting(const syntax::InfixNode &call, std::uint32_t index,
                          RowArgument kind);
  Expected<Built> omitted(std::string_view parameter, RowArgument kind);
  Expected<Lowered> rowCall(const RowFunction &function, DType type,
                            bool isOverAll, const std::vector<Built> &args);
  Expected<Arguments> positional(const syntax::InfixNode &node,
                                 std::size_t least, std::size_t most);
  Expected<Lowered> valueOf(std::uint32_t node) const;
  Expected<Arguments> valuesOf(Span<const std::uint32_t> nodes) const;
  Expected<Built> emit(const Lowered &value, DType type, SourceRange range);
  void narrow(std::uint32_t operand, DType type);
  Expected<Built> emitNumber(const Number &number);
  Lowered numberValue(const Number &number) const;
  std::optional<std::int64_t> wholeOf(std::uint32_t node) const;
  std::string naming(const Arguments &args, std::size_t argument) const;
  Error fault(ErrorCode code, SourceRange range, std::string message) const {
    return {code, std::move(message), tree.text, range};
  }
  Error doesNotFit(const Number &number, DType type, SourceRange range) const {
    return fault(
        ErrorCode::InvalidArgument, range,
        concat("the integer ", number.str(), " does not fit ", nameOf(type)));
  }

  const syntax::InfixTree &tree;
  Span<const InfixOperand> operands;
  const bool isNumpy;
  InfixEmitter emitter;
  std::vector<Lowered> values;      ///< By node.
  std::vector<IntegerRange> ranges; ///< By operand.
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_INFIXLOWERER_H
