//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Look-ups in small tables. Permutations take an element of one or two
/// registers for each lane: with AVX2 of 8 words, with AVX-512 of 32 words or
/// of 8 doubles or, in vectors of 512 bits alone, of 16 doubles.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/Lanes.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Module.h>

using namespace kexpr;
using namespace kexpr::codegen;

static unsigned laneCount(llvm::Value *vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

/// Lanes from one on; what the vector has not is any number.
static llvm::Value *lanesFrom(llvm::IRBuilderBase &ir, llvm::Value *vector,
                              unsigned from, unsigned count) {
  const unsigned has = laneCount(vector);
  if (from == 0 && count == has)
    return vector;
  llvm::SmallVector<int> lanes;
  for (unsigned lane = from; lane < from + count; ++lane)
    lanes.push_back(lane < has ? static_cast<int>(lane) : -1);
  return ir.CreateShuffleVector(vector, lanes);
}

/// Where a bit of the index is set, by its sign.
static llvm::Value *hasBit(llvm::IRBuilderBase &ir, llvm::Value *index,
                           unsigned bit) {
  const unsigned width = index->getType()->getScalarSizeInBits();
  return ir.CreateICmpSLT(ir.CreateShl(index, width - 1 - bit),
                          llvm::Constant::getNullValue(index->getType()));
}

/// Of 16 words, for 8 or 16 lanes.
static llvm::Value *permuteWords(const LaneBuilder &builder, llvm::Value *index,
                                 llvm::Constant *table) {
  namespace Intrinsic = llvm::Intrinsic;
  llvm::IRBuilderBase &ir = builder.ir;
  if (laneCount(index) == 16)
    return ir.CreateIntrinsic(Intrinsic::x86_avx512_permvar_si_512, {},
                              {table, index});
  llvm::Value *low = lanesFrom(ir, table, 0, 8),
              *high = lanesFrom(ir, table, 8, 8);
  if (builder.exponentBits)
    return ir.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_256, {},
                              {low, index, high});
  return ir.CreateSelect(
      hasBit(ir, index, 3),
      ir.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {high, index}),
      ir.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {low, index}));
}

/// Of 8 doubles, for 4 lanes with AVX2: each half of one is a word.
static llvm::Value *permuteHalves(llvm::IRBuilderBase &ir, llvm::Value *index,
                                  llvm::Constant *table) {
  auto *words = llvm::FixedVectorType::get(ir.getInt32Ty(), 8);
  llvm::Value *each = ir.CreateShuffleVector(ir.CreateBitCast(index, words),
                                             {0, 0, 2, 2, 4, 4, 6, 6});
  llvm::Value *all =
      ir.CreateBitCast(table, llvm::FixedVectorType::get(ir.getInt32Ty(), 16));
  auto halves = [&](int first) {
    llvm::SmallVector<int> of;
    for (int i = 0; i < 8; ++i)
      of.push_back(2 * i + first);
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {},
                              {ir.CreateShuffleVector(all, of), each});
  };
  return ir.CreateBitCast(
      ir.CreateShuffleVector(halves(0), halves(1), {0, 9, 2, 11, 4, 13, 6, 15}),
      llvm::FixedVectorType::get(ir.getDoubleTy(), 4));
}

/// Of 8 doubles, for 4 or 8 lanes.
static llvm::Value *permuteEight(const LaneBuilder &builder, llvm::Value *index,
                                 llvm::Constant *table) {
  llvm::IRBuilderBase &ir = builder.ir;
  if (laneCount(index) == 8)
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_df_512, {},
                              {table, index});
  if (builder.exponentBits)
    return ir.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_vpermi2var_pd_256, {},
        {lanesFrom(ir, table, 0, 4), index, lanesFrom(ir, table, 4, 4)});
  return permuteHalves(ir, index, table);
}

/// Of 32 doubles, for 8 lanes.
static llvm::Value *permuteDoubles(llvm::IRBuilderBase &ir, llvm::Value *index,
                                   llvm::Constant *table) {
  auto ofSixteen = [&](unsigned from) {
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_pd_512, {},
                              {lanesFrom(ir, table, from, 8), index,
                               lanesFrom(ir, table, from + 8, 8)});
  };
  return ir.CreateSelect(hasBit(ir, index, 4), ofSixteen(16), ofSixteen(0));
}

/// The table in memory, once in a module.
static llvm::GlobalVariable *inMemory(llvm::IRBuilderBase &ir,
                                      llvm::Constant *table) {
  llvm::Module &module = *ir.GetInsertBlock()->getModule();
  for (llvm::GlobalVariable &known : module.globals())
    if (known.hasInitializer() && known.getInitializer() == table)
      return &known;
  auto *made = new llvm::GlobalVariable(module, table->getType(), true,
                                        llvm::GlobalValue::PrivateLinkage,
                                        table, "table");
  made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return made;
}

static llvm::Value *loadEach(llvm::IRBuilderBase &ir, llvm::Value *index,
                             llvm::Constant *table) {
  const unsigned lanes = laneCount(index);
  llvm::Type *element = table->getType()->getScalarType();
  llvm::GlobalVariable *memory = inMemory(ir, table);
  index = ir.CreateAnd(index, laneCount(table) - 1);
  llvm::Value *found =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(element, lanes));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::Value *at =
        ir.CreateZExt(ir.CreateExtractElement(index, lane), ir.getInt64Ty());
    found = ir.CreateInsertElement(
        found,
        ir.CreateLoad(element, ir.CreateInBoundsGEP(element, memory, at)),
        lane);
  }
  return found;
}

llvm::Value *codegen::emitLookUp(const LaneBuilder &builder, llvm::Value *index,
                                 llvm::Constant *table) {
  llvm::IRBuilderBase &ir = builder.ir;
  const bool isWide = builder.exponentBits == 512;
  const bool ofWords = table->getType()->getScalarSizeInBits() == 32;
  const unsigned entries = laneCount(table);
  if (!(entries == (ofWords ? 16 : 8) ? builder.hasPermute
                                      : !ofWords && entries == 32 && isWide))
    return loadEach(ir, index, table);
  const unsigned lanes = laneCount(index);
  const unsigned most = (isWide ? 8 : 4) * (ofWords ? 2 : 1);
  const unsigned part = ofWords ? std::min(most, std::max(8u, lanes)) : most;
  llvm::SmallVector<llvm::Value *> parts;
  for (unsigned from = 0; from < lanes; from += part) {
    llvm::Value *some = lanesFrom(ir, index, from, part);
    parts.push_back(ofWords        ? permuteWords(builder, some, table)
                    : entries == 8 ? permuteEight(builder, some, table)
                                   : permuteDoubles(ir, some, table));
  }
  llvm::Value *all =
      parts.size() == 1 ? parts[0] : llvm::concatenateVectors(ir, parts);
  return lanesFrom(ir, all, 0, lanes);
}
