//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopArgument.h"

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::AccessPattern;

llvm::Value *LoopArrays::stride(llvm::IRBuilderBase &ir, unsigned number,
                                const llvm::Twine &name) const {
  return ir.CreateLoad(ir.getInt64Ty(),
                       ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(), strides,
                                                     number, name + ".slot"),
                       name);
}

llvm::Value *LoopArrays::pointer(llvm::IRBuilderBase &ir, unsigned number,
                                 const llvm::Twine &name) const {
  llvm::Value *first =
      ir.CreateLoad(ir.getPtrTy(),
                    ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), pointers,
                                                  number, name + ".slot"),
                    name + ".pointer");
  if (!row || number >= rowSteps)
    return first;
  llvm::Value *step = stride(ir, rowSteps + number, name + ".step");
  return ir.CreateGEP(ir.getInt8Ty(), first, ir.CreateMul(row, step),
                      name + ".row");
}

LoopArgument::LoopArgument(const LaneBuilder &lanes,
                           const semantics::Access &access,
                           const LoopArrays &arrays, unsigned number,
                           std::string argumentName)
    : name(std::move(argumentName)), pattern(access.pattern),
      isBool(access.type == DType::Bool),
      type(isBool ? lanes.ir.getInt8Ty() : lanes.elementType(access.type)) {
  llvm::IRBuilderBase &ir = lanes.ir;
  pointer = arrays.pointer(ir, number, name);
  if (pattern == AccessPattern::Strided)
    stride = arrays.stride(ir, number, llvm::Twine(name) + ".stride");
  if (pattern == AccessPattern::Constant) {
    element = ir.CreateAlignedLoad(type, pointer, AnyAddress,
                                   llvm::Twine(name) + ".element");
    splat = truth(lanes, ir.CreateVectorSplat(lanes.lanes, element, loaded()));
  }
}

llvm::Value *LoopArgument::unaligned(const LaneBuilder &lanes) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  const std::uint64_t bytes = type->getScalarSizeInBits() / 8;
  llvm::Value *before =
      ir.CreateAnd(ir.CreateNeg(ir.CreatePtrToInt(pointer, ir.getInt64Ty())),
                   ir.getInt64(lanes.lanes * bytes - 1));
  return ir.CreateLShr(before, ir.getInt64(llvm::Log2_64(bytes)),
                       llvm::Twine(name) + ".head");
}

/// Of the bytes of bools, lanes that are not 0.
llvm::Value *LoopArgument::truth(const LaneBuilder &lanes,
                                 llvm::Value *vector) const {
  return isBool ? lanes.ir.CreateIsNotNull(vector, name) : vector;
}

llvm::Value *LoopArgument::address(const LaneBuilder &lanes,
                                   const Position &at) const {
  return lanes.ir.CreateInBoundsGEP(type, pointer, at.index,
                                    llvm::Twine(name) + ".address");
}

llvm::SmallVector<llvm::Value *, 16>
LoopArgument::addresses(const LaneBuilder &lanes, const Position &at) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Value *step =
      stride ? stride : ir.getInt64(type->getScalarSizeInBits() / 8);
  llvm::Value *first =
      ir.CreateGEP(ir.getInt8Ty(), pointer,
                   ir.CreateMul(at.index, step, llvm::Twine(name) + ".offset"),
                   llvm::Twine(name) + ".address");
  llvm::SmallVector<llvm::Value *, 16> result{first};
  llvm::Value *next = first;
  while (result.size() < lanes.lanes) {
    // One addition a lane; multiples of the stride would fill the registers.
    next = ir.CreateGEP(ir.getInt8Ty(), next, step,
                        llvm::Twine(name) + ".address");
    // The first lane stands in for those that do not exist.
    if (at.left)
      next = ir.CreateSelect(
          ir.CreateICmpSGT(at.left, ir.getInt32(result.size())), next, first);
    result.push_back(next);
  }
  return result;
}

llvm::Value *LoopArgument::load(const LaneBuilder &lanes,
                                const Position &at) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Type *vectorType = llvm::FixedVectorType::get(type, lanes.lanes);
  if (pattern == AccessPattern::Constant)
    return splat;
  if (isLaneByLane(lanes, at)) {
    llvm::Value *vector = llvm::PoisonValue::get(vectorType);
    std::uint64_t lane = 0;
    for (llvm::Value *from : addresses(lanes, at))
      vector = ir.CreateInsertElement(
          vector,
          ir.CreateAlignedLoad(type, from, AnyAddress,
                               llvm::Twine(name) + ".lane"),
          lane++, llvm::Twine(name) + ".lanes");
    vector->setName(loaded());
    return truth(lanes, vector);
  }
  if (at.mask)
    return truth(lanes,
                 ir.CreateMaskedLoad(
                     vectorType, address(lanes, at), AnyAddress, at.mask,
                     llvm::Constant::getNullValue(vectorType), loaded()));
  return truth(lanes, ir.CreateAlignedLoad(vectorType, address(lanes, at),
                                           AnyAddress, loaded()));
}

/// A vector at an address aligned to its size, past the caches.
static void streamOut(llvm::IRBuilderBase &ir, llvm::Value *vector,
                      llvm::Value *to) {
  const auto bits = vector->getType()->getPrimitiveSizeInBits();
  auto *store =
      ir.CreateAlignedStore(vector, to, llvm::Align(bits.getFixedValue() / 8));
  store->setMetadata(
      llvm::LLVMContext::MD_nontemporal,
      llvm::MDNode::get(ir.getContext(),
                        llvm::ConstantAsMetadata::get(ir.getInt32(1))));
}

void LoopArgument::store(const LaneBuilder &lanes, const Position &at,
                         llvm::Value *value, bool streams) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  if (isBool)
    value = ir.CreateZExt(value, lanes.vectorType<std::uint8_t>());
  auto element = [&](std::uint64_t lane) {
    return ir.CreateExtractElement(value, lane);
  };
  if (isLaneByLane(lanes, at)) {
    if (at.mask)
      value = ir.CreateSelect(at.mask, value,
                              ir.CreateVectorSplat(lanes.lanes, element(0)));
    std::uint64_t lane = 0;
    for (llvm::Value *to : addresses(lanes, at))
      ir.CreateAlignedStore(element(lane++), to, AnyAddress);
  } else if (at.mask) {
    ir.CreateMaskedStore(value, address(lanes, at), AnyAddress, at.mask);
  } else if (streams) {
    streamOut(ir, value, address(lanes, at));
  } else {
    ir.CreateAlignedStore(value, address(lanes, at), AnyAddress);
  }
}
