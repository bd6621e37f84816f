//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopArgument.h"

#include <llvm/Analysis/VectorUtils.h>

#include <cassert>

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
      type(isBool ? lanes.ir.getInt8Ty() : lanes.elementType(access.type)),
      width(lanes.lanes) {
  llvm::IRBuilderBase &ir = lanes.ir;
  pointer = arrays.pointer(ir, number, name);
  if (pattern == AccessPattern::Strided || isInColumns())
    stride = arrays.stride(ir, number, llvm::Twine(name) + ".stride");
  if (pattern == AccessPattern::Constant) {
    element = ir.CreateAlignedLoad(type, pointer, AnyAddress,
                                   llvm::Twine(name) + ".element");
    splat = splatOf(lanes, element);
  }
}

void LoopArgument::fetch(const LaneBuilder &lanes, const Position &at,
                         llvm::Value *ahead, FetchInto cache) const {
  fetch(lanes, address(lanes, at), ahead, cache);
}

void LoopArgument::fetch(const LaneBuilder &lanes, llvm::Value *address,
                         llvm::Value *ahead, FetchInto cache) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Value *from = ir.CreateGEP(ir.getInt8Ty(), address, ahead,
                                   llvm::Twine(name) + ".ahead");
  constexpr std::uint32_t read = 0, data = 1;
  ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {from->getType()},
                     {from, ir.getInt32(read),
                      ir.getInt32(static_cast<std::uint32_t>(cache)),
                      ir.getInt32(data)});
}

llvm::Value *LoopArgument::beforeLine(const LaneBuilder &lanes,
                                      const Position &at) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Value *first =
      ir.CreatePtrToInt(address(lanes, at), ir.getInt64Ty(), "first");
  llvm::Value *bytes =
      ir.CreateAnd(ir.CreateNeg(first), ir.getInt64(LineBytes - 1));
  return ir.CreateLShr(bytes, ir.getInt64(llvm::Log2_64(elementBytes())),
                       "before.line");
}

/// An element in all lanes.
llvm::Value *LoopArgument::splatOf(const LaneBuilder &lanes,
                                   llvm::Value *one) const {
  return truth(lanes, lanes.ir.CreateVectorSplat(lanes.lanes, one, loaded()));
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
  if (pattern == AccessPattern::Constant) // Of a tail of fewer lanes, too.
    return lanes.lanes == width ? splat : splatOf(lanes, element);
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

llvm::Value *LoopArgument::loadElement(const LaneBuilder &lanes,
                                       llvm::Value *number) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Value *address = ir.CreateGEP(type, pointer, number);
  return splatOf(lanes, ir.CreateAlignedLoad(type, address, AnyAddress));
}

using Vectors = llvm::SmallVector<llvm::Value *>;

/// Parts the elements of vectors, which are rows of as many as there are
/// vectors, by columns. Even and odd ones are parted first, by two operands of
/// a shuffle; what is odd in the end takes one less than it has.
static Vectors columnsOf(llvm::IRBuilderBase &ir, const Vectors &rows) {
  const auto length = static_cast<int>(rows.size());
  const auto lanes = static_cast<int>(
      llvm::cast<llvm::FixedVectorType>(rows[0]->getType())->getNumElements());
  Vectors columns(rows.size());
  llvm::SmallVector<int> places(static_cast<std::size_t>(lanes));
  for (int parity = 0; parity < 2 && length % 2 == 0; ++parity) {
    Vectors half;
    for (int lane = 0; lane < lanes; ++lane)
      places[lane] = 2 * lane + parity;
    for (int i = 0; i < length; i += 2)
      half.push_back(ir.CreateShuffleVector(rows[i], rows[i + 1], places));
    half = columnsOf(ir, half);
    for (int i = 0; i < length; i += 2)
      columns[i + parity] = half[i / 2];
  }
  for (int column = 0; column < length && length % 2 == 1; ++column) {
    llvm::Value *&made = columns[column];
    for (int row = 0; row < length; ++row) {
      bool isUsed = false;
      for (int lane = 0; lane < lanes; ++lane) {
        const int from = lane * length + column;
        isUsed |= from / lanes == row;
        places[lane] = from / lanes == row  ? lanes + from % lanes
                       : from / lanes < row ? lane
                                            : llvm::PoisonMaskElem;
      }
      if (isUsed)
        made = ir.CreateShuffleVector(
            made ? made : llvm::PoisonValue::get(rows[0]->getType()), rows[row],
            places);
    }
  }
  return columns;
}

/// The opposite: of columns the rows, one behind the other.
static Vectors rowsOf(llvm::IRBuilderBase &ir, const Vectors &columns) {
  const auto length = static_cast<int>(columns.size());
  const auto lanes =
      static_cast<int>(llvm::cast<llvm::FixedVectorType>(columns[0]->getType())
                           ->getNumElements());
  Vectors rows(columns.size());
  llvm::SmallVector<int> places(static_cast<std::size_t>(lanes));
  if (length % 2 == 0) {
    Vectors halves[2];
    for (int column = 0; column < length; ++column)
      halves[column % 2].push_back(columns[column]);
    for (Vectors &half : halves)
      half = rowsOf(ir, half);
    for (int row = 0; row < length; ++row) {
      for (int lane = 0; lane < lanes; ++lane) {
        const int from = row % 2 * lanes + lane;
        places[lane] = from / 2 + from % 2 * lanes;
      }
      rows[row] = ir.CreateShuffleVector(halves[0][row / 2], halves[1][row / 2],
                                         places);
    }
    return rows;
  }
  for (int row = 0; row < length; ++row) {
    llvm::Value *&made = rows[row];
    for (int column = 0; column < length; ++column) {
      bool isUsed = false;
      for (int lane = 0; lane < lanes; ++lane) {
        const int from = row * lanes + lane;
        const bool isHere = from % length == column;
        isUsed |= isHere;
        places[lane] = isHere                   ? lanes + from / length
                       : from % length < column ? lane
                                                : llvm::PoisonMaskElem;
      }
      if (isUsed)
        made = ir.CreateShuffleVector(
            made ? made : llvm::PoisonValue::get(columns[0]->getType()),
            columns[column], places);
    }
  }
  return rows;
}

LoopArgument LoopArgument::firstColumn(const LaneBuilder &lanes,
                                       unsigned length) const {
  LoopArgument column = *this;
  column.pattern = AccessPattern::Strided;
  column.stride = lanes.ir.getInt64(std::uint64_t{length} *
                                    type->getScalarSizeInBits() / 8);
  return column;
}

void LoopArgument::toNextColumn(llvm::IRBuilderBase &ir) {
  pointer = ir.CreateConstGEP1_64(type, pointer, 1);
}

/// The address of a vector of rows that follow each other, and which of its
/// elements exist; null for all.
LoopArgument::Part LoopArgument::partOfRows(const LaneBuilder &lanes,
                                            const Position &at, unsigned length,
                                            unsigned number) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  const std::uint64_t before = std::uint64_t{number} * lanes.lanes;
  llvm::Value *first =
      ir.CreateGEP(type, pointer, ir.CreateMul(at.index, ir.getInt64(length)),
                   llvm::Twine(name) + ".rows");
  Part part{ir.CreateConstGEP1_64(type, first, before, llvm::Twine(name))};
  if (at.mask) {
    llvm::Value *left = ir.CreateSub(ir.CreateMul(at.left, ir.getInt32(length)),
                                     ir.getInt32(before));
    part.mask =
        ir.CreateICmpSLT(ir.CreateStepVector(lanes.vectorType<std::int32_t>()),
                         ir.CreateVectorSplat(lanes.lanes, left));
  }
  return part;
}

Vectors LoopArgument::loadRows(const LaneBuilder &lanes, const Position &at,
                               unsigned length, std::uint64_t ahead,
                               FetchInto cache) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  if (isInColumns())
    return loadPart(lanes, at, ir.getInt64(0), length);
  assert(!isBool);
  Vectors vectors;
  if (at.mask && !isMasked(lanes)) {
    LoopArgument column = firstColumn(lanes, length);
    for (unsigned k = 0; k < length; ++k) {
      vectors.push_back(column.load(lanes, at));
      column.toNextColumn(ir);
    }
    return vectors;
  }
  auto *vectorType = llvm::FixedVectorType::get(type, lanes.lanes);
  const unsigned perLine =
      std::max(8 * LineBytes / (lanes.lanes * type->getScalarSizeInBits()),
               std::uint64_t{1});
  for (unsigned k = 0; k < length; ++k) {
    const Part part = partOfRows(lanes, at, length, k);
    if (part.mask) {
      vectors.push_back(ir.CreateMaskedLoad(
          vectorType, part.address, AnyAddress, part.mask,
          llvm::Constant::getNullValue(vectorType), loaded()));
      continue;
    }
    vectors.push_back(
        ir.CreateAlignedLoad(vectorType, part.address, AnyAddress, loaded()));
    if (k % perLine == 0)
      fetch(lanes, part.address, ir.getInt64(ahead), cache);
  }
  return columnsOf(ir, vectors);
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

/// A vector of a tail, past the caches if all of its line exists: the main loop
/// leaves whole ones, too.
static void streamTail(const LaneBuilder &lanes, const Position &at,
                       unsigned perLine, llvm::Value *vector, llvm::Value *to) {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Function *function = ir.GetInsertBlock()->getParent();
  const auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(ir.getContext(), name, function);
  };
  auto *whole = block("tail.whole"), *part = block("tail.part"),
       *stored = block("tail.stored");
  llvm::Value *before = ir.CreateAnd(ir.CreateTrunc(at.index, ir.getInt32Ty()),
                                     ir.getInt32(perLine - 1));
  llvm::Value *inLine = ir.CreateNSWAdd(before, at.left);
  ir.CreateCondBr(ir.CreateICmpSGE(inLine, ir.getInt32(perLine)), whole, part);
  ir.SetInsertPoint(whole);
  streamOut(ir, vector, to);
  ir.CreateBr(stored);
  ir.SetInsertPoint(part);
  ir.CreateMaskedStore(vector, to, AnyAddress, at.mask);
  ir.CreateBr(stored);
  ir.SetInsertPoint(stored);
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
  } else if (at.mask && streams && !llvm::isa<llvm::ConstantInt>(at.left)) {
    streamTail(lanes, at, LineBytes / elementBytes(), value,
               address(lanes, at));
  } else if (at.mask) {
    ir.CreateMaskedStore(value, address(lanes, at), AnyAddress, at.mask);
  } else if (streams) {
    streamOut(ir, value, address(lanes, at));
  } else {
    ir.CreateAlignedStore(value, address(lanes, at), AnyAddress);
  }
}

llvm::Value *LoopArgument::storeAndWiden(const LaneBuilder &lanes,
                                         const Position &at, llvm::Value *value,
                                         unsigned bits) const {
  assert(pattern == AccessPattern::Contiguous && !at.mask);
  llvm::IRBuilderBase &ir = lanes.ir;
  const unsigned each = std::min(bits / 64, lanes.lanes);
  llvm::Value *to = address(lanes, at);
  ir.CreateAlignedStore(value, to, AnyAddress);
  llvm::SmallVector<llvm::Value *> parts;
  for (unsigned lane = 0; lane < lanes.lanes; lane += each) {
    llvm::Value *part = ir.CreateAlignedLoad(
        llvm::FixedVectorType::get(type, each),
        ir.CreateConstInBoundsGEP1_64(type, to, lane), AnyAddress, name);
    parts.push_back(ir.CreateFPExt(
        part, llvm::FixedVectorType::get(ir.getDoubleTy(), each)));
  }
  return llvm::concatenateVectors(ir, parts);
}

void LoopArgument::storeRows(const LaneBuilder &lanes, const Position &at,
                             llvm::ArrayRef<llvm::Value *> columns,
                             bool streams) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  if (isInColumns())
    return storePart(lanes, at, ir.getInt64(0), columns, streams);
  assert(!isBool);
  const auto length = static_cast<unsigned>(columns.size());
  if (at.mask && !isMasked(lanes)) {
    LoopArgument column = firstColumn(lanes, length);
    for (llvm::Value *elements : columns) {
      column.store(lanes, at, elements, false);
      column.toNextColumn(ir);
    }
    return;
  }
  unsigned number = 0;
  for (llvm::Value *vector : rowsOf(ir, Vectors(columns))) {
    const Part part = partOfRows(lanes, at, length, number++);
    if (part.mask)
      ir.CreateMaskedStore(vector, part.address, AnyAddress, part.mask);
    else if (streams)
      streamOut(ir, vector, part.address);
    else
      ir.CreateAlignedStore(vector, part.address, AnyAddress);
  }
}

/// The column that an element is in.
LoopArgument LoopArgument::columnOf(const LaneBuilder &lanes,
                                    llvm::Value *element) const {
  LoopArgument column = *this;
  column.pattern = AccessPattern::Contiguous;
  column.stride = nullptr; // That of its elements.
  column.pointer =
      lanes.ir.CreateGEP(lanes.ir.getInt8Ty(), pointer,
                         lanes.ir.CreateMul(element, stride), name + ".column");
  return column;
}

Vectors LoopArgument::loadPart(const LaneBuilder &lanes, const Position &at,
                               llvm::Value *first, unsigned count) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  Vectors vectors;
  if (!isInColumns()) {
    for (unsigned k = 0; k < count; ++k)
      vectors.push_back(loadElement(
          lanes, ir.CreateNUWAdd(first, ir.getInt64(k), "element")));
    return vectors;
  }
  // Few lines: those of many elements crowd into sets of the caches.
  constexpr std::uint64_t ahead = 4 * LineBytes;
  LoopArgument column = columnOf(lanes, first);
  for (unsigned k = 0; k < count; ++k) {
    vectors.push_back(column.load(lanes, at));
    if (!at.mask)
      column.fetch(lanes, at, ir.getInt64(ahead), FetchInto::Second);
    column.pointer = ir.CreateGEP(ir.getInt8Ty(), column.pointer, stride);
  }
  return vectors;
}

void LoopArgument::storePart(const LaneBuilder &lanes, const Position &at,
                             llvm::Value *first,
                             llvm::ArrayRef<llvm::Value *> columns,
                             bool streams) const {
  LoopArgument column = columnOf(lanes, first);
  for (llvm::Value *elements : columns) {
    column.store(lanes, at, elements, streams);
    column.pointer =
        lanes.ir.CreateGEP(lanes.ir.getInt8Ty(), column.pointer, stride);
  }
}
