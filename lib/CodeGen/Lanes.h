//===- CodeGen/Lanes.h - Formulas read as vector IR -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The algebra of the code generator: a value is an LLVM vector, one lane an
/// element, and every primitive is one instruction or intrinsic.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LANES_H
#define KEXPR_CODEGEN_LANES_H

#include "CodeGen/Naming.h"
#include "Ops/Algebra/Value.h"
#include "Ops/Conversion.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include <array>
#include <limits>
#include <numeric>

namespace kexpr::codegen {

/// The weights of a branch that is hardly ever taken.
inline llvm::MDNode *unlikely(llvm::LLVMContext &context) {
  return llvm::MDBuilder(context).createBranchWeights(1, 1 << 20);
}

/// Constants that a loop holds in registers: each is a value of the block in
/// front of it, where instruction selection cannot make it an operand in
/// memory, and register allocation can still reload it.
struct HeldConstants {
  llvm::Instruction *before; ///< The last of that block.
  unsigned most;
  llvm::SmallDenseMap<llvm::Constant *, llvm::Value *> values{};
  /// In how many ways of `rarely` we are; rare ways reload.
  unsigned depth = 0;

  llvm::Value *hold(llvm::Constant *constant) {
    if (depth > 0)
      return constant;
    llvm::Value *&value = values[constant];
    if (!value)
      value =
          values.size() > most
              ? static_cast<llvm::Value *>(constant)
              : new llvm::FreezeInst(constant, "held", before->getIterator());
    return value;
  }
};

/// Where instructions go, and how many lanes a vector has.
struct LaneBuilder {
  llvm::IRBuilderBase &ir;
  unsigned lanes;
  /// See Target.
  bool hasHalf;
  /// Bits of the widest vectors with `Target::hasExponents`; 0 without.
  unsigned exponentBits;
  /// See Target.
  bool hasPermute, scalesSlowly;
  unsigned maskedBytes, maskedBits;
  const NameContext &names;
  /// If set, `rarely` emits the fast way alone and leaves its mask here.
  llvm::SmallVectorImpl<llvm::Value *> *rareMasks = nullptr;
  /// If set as well, only one inside another does: in how many we are.
  unsigned *rareDepth = nullptr;
  /// Values that are the same in all steps, and null.
  llvm::ArrayRef<llvm::Value *> same{};
  /// Whether sums take what was converted to f64 by multiply-adds, and
  /// those of pairs a part of their additions.
  bool multipliesToAdd = false;
  /// Lanes that hold elements; null for all. The others are never rare.
  llvm::Value *existing = nullptr;
  /// Where numbers of formulas are to be held, if anywhere.
  HeldConstants *held = nullptr;

  template <class T> llvm::Type *elementType() const {
    if constexpr (std::is_same_v<T, float>)
      return ir.getFloatTy();
    else if constexpr (std::is_same_v<T, double>)
      return ir.getDoubleTy();
    else if constexpr (std::is_same_v<T, bool>)
      return ir.getInt1Ty();
    else
      return ir.getIntNTy(sizeof(T) * 8);
  }
  /// The type of a value of the graph, one lane: f16 and bf16 are bit patterns.
  llvm::Type *elementType(DType type) const {
    return ops::visitType(
        type, [this]<DType D>() { return elementType<ops::Element<D>>(); });
  }
  /// An element as a constant.
  llvm::Constant *splatBits(DType type, std::uint64_t bits) const {
    llvm::Type *element = elementType(type);
    auto *integer = llvm::ConstantInt::get(
        ir.getIntNTy(element->getScalarSizeInBits()), bits);
    return llvm::ConstantVector::getSplat(
        llvm::ElementCount::getFixed(lanes),
        llvm::ConstantExpr::getBitCast(integer, element));
  }
  template <class T> llvm::Type *vectorType() const {
    return llvm::FixedVectorType::get(elementType<T>(), lanes);
  }
  template <class T> llvm::Value *splat(T c) const {
    if constexpr (std::is_floating_point_v<T>) {
      llvm::Constant *all =
          llvm::ConstantFP::get(vectorType<T>(), llvm::APFloat(c));
      return held && !all->isNullValue() ? held->hold(all) : all;
    } else {
      return llvm::ConstantInt::get(vectorType<T>(),
                                    static_cast<std::uint64_t>(c));
    }
  }
};

/// Instructions of AVX-512 for exponents, of f32 and f64 and of 128, 256 and
/// 512 bits.
using OfWidths = llvm::Intrinsic::ID[2][3];
#define KEXPR_OF_WIDTHS(NAME)                                                  \
  inline constexpr OfWidths NAME = {                                           \
      {llvm::Intrinsic::x86_avx512_mask_##NAME##_ps_128,                       \
       llvm::Intrinsic::x86_avx512_mask_##NAME##_ps_256,                       \
       llvm::Intrinsic::x86_avx512_mask_##NAME##_ps_512},                      \
      {llvm::Intrinsic::x86_avx512_mask_##NAME##_pd_128,                       \
       llvm::Intrinsic::x86_avx512_mask_##NAME##_pd_256,                       \
       llvm::Intrinsic::x86_avx512_mask_##NAME##_pd_512}};
KEXPR_OF_WIDTHS(scalef)
KEXPR_OF_WIDTHS(getexp)
KEXPR_OF_WIDTHS(getmant)
KEXPR_OF_WIDTHS(fixupimm)
#undef KEXPR_OF_WIDTHS

/// To integers as wide, rounded to nearest.
inline constexpr OfWidths toInteger = {
    {llvm::Intrinsic::x86_avx512_mask_cvtps2dq_128,
     llvm::Intrinsic::x86_avx512_mask_cvtps2dq_256,
     llvm::Intrinsic::x86_avx512_mask_cvtps2dq_512},
    {llvm::Intrinsic::x86_avx512_mask_cvtpd2qq_128,
     llvm::Intrinsic::x86_avx512_mask_cvtpd2qq_256,
     llvm::Intrinsic::x86_avx512_mask_cvtpd2qq_512}};

/// For each lane of an index the element of a constant vector that its low bits
/// say, by permutations where they serve and by loads elsewhere.
llvm::Value *emitLookUp(const LaneBuilder &builder, llvm::Value *index,
                        llvm::Constant *table);

struct LanesAlgebra {
  template <class T> struct Rep {
    const LaneBuilder *builder;
    llvm::Value *value;
  };

  template <class T, class U> static Rep<T> constant(Rep<U> like, T c) {
    return {like.builder, like.builder->template splat<T>(c)};
  }

  template <ops::Prim P, class T> static Rep<T> apply(Rep<T> a) {
    llvm::IRBuilderBase &ir = a.builder->ir;
    if constexpr (P == ops::Prim::Neg && std::is_floating_point_v<T>)
      return {a.builder, ir.CreateFNeg(a.value)};
    else if constexpr (P == ops::Prim::Neg)
      return {a.builder, ir.CreateNeg(a.value)};
    else if constexpr (P == ops::Prim::Not)
      return {a.builder, ir.CreateNot(a.value)};
    else
      return {a.builder, ir.CreateUnaryIntrinsic(unaryIntrinsic<P>(), a.value)};
  }

  template <ops::Prim P, class T> static Rep<T> apply(Rep<T> a, Rep<T> b) {
    llvm::IRBuilderBase &ir = a.builder->ir;
    if constexpr (P == ops::Prim::CopySign)
      return {a.builder, ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                                  a.value, b.value)};
    else
      return {a.builder, ir.CreateBinOp(binaryOp<P, T>(), a.value, b.value)};
  }

  template <ops::Prim P, class T>
  static Rep<T> apply(Rep<T> a, Rep<T> b, Rep<T> c) {
    static_assert(P == ops::Prim::Fma);
    return {a.builder, a.builder->ir.CreateIntrinsic(
                           a.value->getType(), llvm::Intrinsic::fma,
                           {a.value, b.value, c.value})};
  }

  template <ops::Rel R, class T> static Rep<bool> compare(Rep<T> a, Rep<T> b) {
    return {a.builder,
            a.builder->ir.CreateCmp(predicate<R, T>(), a.value, b.value)};
  }

  template <class T> static Rep<T> select(Rep<bool> mask, Rep<T> a, Rep<T> b) {
    return {a.builder,
            a.builder->ir.CreateSelect(mask.value, a.value, b.value)};
  }

  template <class To, class From> static Rep<To> convert(Rep<From> a) {
    llvm::IRBuilderBase &ir = a.builder->ir;
    llvm::Type *type = a.builder->template vectorType<To>();
    constexpr bool toFloat = std::is_floating_point_v<To>;
    if constexpr (std::is_floating_point_v<From> && toFloat)
      return {a.builder, ir.CreateFPCast(a.value, type)};
    else if constexpr (std::is_floating_point_v<From>)
      // What does not fit is some number, the same one wherever it is used.
      return {a.builder, ir.CreateFreeze(ir.CreateFPToSI(a.value, type))};
    else if constexpr (toFloat)
      return {a.builder, std::is_unsigned_v<From>
                             ? ir.CreateUIToFP(a.value, type)
                             : ir.CreateSIToFP(a.value, type)};
    else
      return {a.builder,
              ir.CreateIntCast(a.value, type, std::is_signed_v<From>)};
  }

  template <class To, class From> static Rep<To> bitcast(Rep<From> a) {
    return {a.builder, a.builder->ir.CreateBitCast(
                           a.value, a.builder->template vectorType<To>())};
  }

  template <class T> static void name(Rep<T> a, const char *step) {
    if (!a.value->getContext().shouldDiscardValueNames())
      nameResult(a.value, a.builder->names, step);
  }

  /// Where that is slow, a subnormal result is made as the whole number that
  /// its bits are, in units of the least. In f64 it is everywhere, if less so.
  template <class T> static Rep<T> scale(Rep<T> a, Rep<T> shifted) {
    using V = ops::Value<LanesAlgebra, T>;
    if (!hasExponents(a) || (sizeof(T) == 4 && !a.builder->scalesSlowly))
      return scaleNormal(a, shifted);
    const LaneBuilder *builder = a.builder;
    const Rep<T> units = timesPower(
        a, (V{shifted} - (ops::PowerRounder<T> + leastExponent<T>)).rep);
    constexpr T limit = T(std::uint64_t{1} << std::numeric_limits<T>::digits);
    return timesPower(a, (V{shifted} - ops::PowerRounder<T>).rep,
                      builder->ir.CreateFCmpUGE(units.value,
                                                builder->splat<T>(limit)),
                      toWholeBits(units));
  }
  template <class T> static Rep<T> scaleNormal(Rep<T> a, Rep<T> shifted) {
    using V = ops::Value<LanesAlgebra, T>;
    if (!hasExponents(a))
      return scaleInTwoSteps(V{a}, V{shifted}).rep;
    return timesPower(a, (V{shifted} - ops::PowerRounder<T>).rep);
  }

  /// Whether vectors of T fill a register that has AVX-512's instructions for
  /// exponents.
  template <class T> static bool hasExponents(Rep<T> a) {
    const unsigned bits = a.builder->lanes * sizeof(T) * 8;
    return bits >= 128 && bits <= a.builder->exponentBits;
  }
  template <class T> static Rep<T> mantissa(Rep<T> a) {
    return callOfWidth<T>(a.builder, getmant,
                          {a.value, a.builder->ir.getInt32(0),
                           llvm::PoisonValue::get(a.value->getType())});
  }
  template <class T> static Rep<T> exponent(Rep<T> a) {
    return callOfWidth<T>(
        a.builder, getexp,
        {a.value, llvm::PoisonValue::get(a.value->getType())});
  }

  template <class T> static Rep<T> edges(Rep<T> a, Rep<T> finite) {
    using V = ops::Value<LanesAlgebra, T>;
    if (!hasExponents(a))
      return edgesBySelect(V{a}, V{finite}).rep;
    // What to do for each class of a, four bits each from the lowest: keep a
    // NaN (twice), -inf for 0, nothing for 1, a NaN for -inf, infinity for
    // itself, a NaN for less than 0, nothing for the others.
    constexpr std::int64_t responses = 0x03530422;
    llvm::IRBuilderBase &ir = a.builder->ir;
    return callOfWidth<T>(a.builder, fixupimm,
                          {finite.value, a.value,
                           a.builder->template splat<ops::IntOf<T>>(responses),
                           ir.getInt32(0)});
  }

  template <class T> static bool takesGeneral(Rep<bool> mask) {
    return !mask.builder->rareMasks || mask.builder->rareDepth;
  }

  template <class T> static bool isOneValue(Rep<T> a) {
    return llvm::is_contained(a.builder->same, a.value);
  }

  template <class T, int N>
  static Rep<T> lookUp(Rep<ops::IntOf<T>> index, const T (&table)[N]) {
    const LaneBuilder *builder = index.builder;
    return {builder,
            builder->ir.CreateBitCast(
                emitLookUp(*builder, index.value, elementsOf(*builder, table)),
                builder->template vectorType<T>())};
  }

  /// A block that is entered when any lane is in the mask, and left out of the
  /// way of the loop's straight line.
  template <class V, int N, class F>
  static ops::Several<V, N> rarely(Rep<bool> mask, ops::Several<V, N> fast,
                                   F slow) {
    const LaneBuilder *builder = mask.builder;
    llvm::SmallVectorImpl<llvm::Value *> *masks = builder->rareMasks;
    unsigned *depth = builder->rareDepth;
    if (masks && (!depth || *depth > 0)) {
      masks->push_back(builder->existing ? builder->ir.CreateAnd(
                                               mask.value, builder->existing)
                                         : mask.value);
      return fast;
    }
    const std::size_t known = masks ? masks->size() : 0;
    llvm::IRBuilderBase &ir = builder->ir;
    llvm::LLVMContext &context = ir.getContext();
    llvm::Value *isRare = mask.value;
    if (builder->existing)
      isRare = ir.CreateAnd(isRare, builder->existing);
    llvm::BasicBlock *from = ir.GetInsertBlock();
    llvm::Function *function = from->getParent();
    auto *rare = llvm::BasicBlock::Create(context, "rare", function);
    auto *join = llvm::BasicBlock::Create(context, "join", function,
                                          from->getNextNode());
    ir.CreateCondBr(ir.CreateOrReduce(isRare), rare, join, unlikely(context));
    ir.SetInsertPoint(rare);
    if (builder->held)
      ++builder->held->depth;
    if (depth)
      ++*depth;
    ops::Several<V, N> chosen = slow();
    if (builder->held)
      --builder->held->depth;
    if (depth)
      --*depth;
    for (int i = 0; i < N; ++i)
      chosen.each[i].rep = select(mask, chosen.each[i].rep, fast.each[i].rep);
    llvm::BasicBlock *rareEnd = ir.GetInsertBlock();
    ir.CreateBr(join);
    ir.SetInsertPoint(join);
    auto either = [&](llvm::Value *otherwise, llvm::Value *ifRare) {
      llvm::PHINode *result = ir.CreatePHI(otherwise->getType(), 2);
      result->addIncoming(otherwise, from);
      result->addIncoming(ifRare, rareEnd);
      return result;
    };
    for (int i = 0; i < N; ++i) {
      llvm::Value *&value = fast.each[i].rep.value;
      value = either(value, chosen.each[i].rep.value);
    }
    for (std::size_t i = known; masks && i < masks->size(); ++i) {
      llvm::Value *&inner = (*masks)[i];
      inner = either(llvm::Constant::getNullValue(inner->getType()), inner);
    }
    return fast;
  }

private:
  /// Of the least subnormal number.
  template <class T>
  static constexpr T leastExponent = sizeof(T) == 4 ? -149 : -1074;

  template <class T> static Rep<T> timesPower(Rep<T> a, Rep<T> power) {
    return callOfWidth<T>(
        a.builder, scalef,
        {a.value, power.value, llvm::PoisonValue::get(a.value->getType())});
  }
  /// In the lanes of a mask alone, as a select after it might come too late.
  template <class T>
  static Rep<T> timesPower(Rep<T> a, Rep<T> power, llvm::Value *mask,
                           Rep<T> otherwise) {
    return callOfWidth<T>(a.builder, scalef,
                          {a.value, power.value, otherwise.value}, mask);
  }

  /// To the nearest integer as wide, as the bits of T.
  template <class T> static Rep<T> toWholeBits(Rep<T> a) {
    const LaneBuilder *builder = a.builder;
    auto [_, whole] = callOfWidth<T>(
        builder, toInteger,
        {a.value, llvm::Constant::getNullValue(
                      builder->vectorType<ops::IntOf<T>>())});
    return {builder, builder->ir.CreateBitCast(whole, a.value->getType())};
  }

  /// As a vector of doubles, or of words of 32 bits.
  template <class T, int N>
  static llvm::Constant *elementsOf(const LaneBuilder &builder,
                                    const T (&table)[N]) {
    using E = std::conditional_t<sizeof(T) == 8, double, std::uint32_t>;
    std::array<E, N> elements;
    for (std::size_t i = 0; i < N; ++i)
      elements[i] = __builtin_bit_cast(E, table[i]);
    return llvm::ConstantDataVector::get(builder.ir.getContext(),
                                         llvm::ArrayRef<E>(elements));
  }

  /// The lanes of a mask or all, in the rounding mode there is.
  template <class T>
  static Rep<T> callOfWidth(const LaneBuilder *builder,
                            const OfWidths &instructions,
                            llvm::SmallVector<llvm::Value *> arguments,
                            llvm::Value *mask = nullptr) {
    llvm::IRBuilderBase &ir = builder->ir;
    const std::size_t bytes = builder->lanes * sizeof(T);
    const unsigned maskBits = std::max(8u, builder->lanes);
    if (mask && builder->lanes < maskBits) {
      // No bit of what becomes an integer may be poison.
      llvm::SmallVector<int> lanes(maskBits, static_cast<int>(builder->lanes));
      std::iota(lanes.begin(), lanes.begin() + builder->lanes, 0);
      mask = ir.CreateShuffleVector(
          mask, llvm::Constant::getNullValue(mask->getType()), lanes);
    }
    llvm::Type *maskType = ir.getIntNTy(maskBits);
    arguments.push_back(mask ? ir.CreateBitCast(mask, maskType)
                             : llvm::ConstantInt::getSigned(maskType, -1));
    if (bytes == 64)
      arguments.push_back(ir.getInt32(4));
    return {builder, ir.CreateIntrinsic(
                         instructions[sizeof(T) == 8][llvm::Log2_64(bytes) - 4],
                         {}, arguments)};
  }

  template <ops::Prim P> static constexpr llvm::Intrinsic::ID unaryIntrinsic() {
    using ops::Prim;
    switch (P) {
    case Prim::Abs:
      return llvm::Intrinsic::fabs;
    case Prim::Sqrt:
      return llvm::Intrinsic::sqrt;
    case Prim::Floor:
      return llvm::Intrinsic::floor;
    case Prim::Ceil:
      return llvm::Intrinsic::ceil;
    case Prim::Trunc:
      return llvm::Intrinsic::trunc;
    default:
      static_assert(P == Prim::Abs || P == Prim::Sqrt || P == Prim::Floor ||
                    P == Prim::Ceil || P == Prim::Trunc ||
                    P == Prim::RoundEven);
      return llvm::Intrinsic::roundeven;
    }
  }

  template <ops::Prim P, class T>
  static constexpr llvm::Instruction::BinaryOps binaryOp() {
    using llvm::Instruction;
    using ops::Prim;
    constexpr bool Float = std::is_floating_point_v<T>;
    constexpr bool Signed = std::is_signed_v<T>;
    switch (P) {
    case Prim::Add:
      return Float ? Instruction::FAdd : Instruction::Add;
    case Prim::Sub:
      return Float ? Instruction::FSub : Instruction::Sub;
    case Prim::Mul:
      return Float ? Instruction::FMul : Instruction::Mul;
    case Prim::Div:
      return Float    ? Instruction::FDiv
             : Signed ? Instruction::SDiv
                      : Instruction::UDiv;
    case Prim::And:
      return Instruction::And;
    case Prim::Or:
      return Instruction::Or;
    case Prim::Xor:
      return Instruction::Xor;
    case Prim::Shl:
      return Instruction::Shl;
    case Prim::ShrLogical:
      return Instruction::LShr;
    default:
      return Signed ? Instruction::AShr : Instruction::LShr;
    }
  }

  template <ops::Rel R, class T>
  static constexpr llvm::CmpInst::Predicate predicate() {
    using llvm::CmpInst;
    using ops::Rel;
    constexpr bool Float = std::is_floating_point_v<T>;
    constexpr bool Signed = std::is_signed_v<T>;
    switch (R) {
    case Rel::Lt:
      return Float    ? CmpInst::FCMP_OLT
             : Signed ? CmpInst::ICMP_SLT
                      : CmpInst::ICMP_ULT;
    case Rel::Le:
      return Float    ? CmpInst::FCMP_OLE
             : Signed ? CmpInst::ICMP_SLE
                      : CmpInst::ICMP_ULE;
    case Rel::Gt:
      return Float    ? CmpInst::FCMP_OGT
             : Signed ? CmpInst::ICMP_SGT
                      : CmpInst::ICMP_UGT;
    case Rel::Ge:
      return Float    ? CmpInst::FCMP_OGE
             : Signed ? CmpInst::ICMP_SGE
                      : CmpInst::ICMP_UGE;
    case Rel::Eq:
      return Float ? CmpInst::FCMP_OEQ : CmpInst::ICMP_EQ;
    case Rel::Ne:
      return Float ? CmpInst::FCMP_UNE : CmpInst::ICMP_NE;
    }
  }
};

/// One vector of T.
template <class T> using Lanes = ops::Value<LanesAlgebra, T>;

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LANES_H
