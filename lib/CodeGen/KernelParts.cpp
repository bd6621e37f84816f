//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows that are taken whole, but have too many elements for code of each: a
/// step sweeps over them as often as its folds need. Where its lanes are rows,
/// what later sweeps read again is kept on the stack, side by side: the
/// elements of a row may lie whole pages apart, of which a cache holds few, and
/// so are states of all lanes. Along rows these are in registers, and operands
/// are read again.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"
#include "CodeGen/LoopShape.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::ValueId;
using semantics::ValueKind;

/// Memory of a step for so many vectors: of a value that is kept or, by part,
/// of states of lanes. A tail has the same for fewer lanes.
llvm::Value *KernelBuilder::onStack(std::pair<ValueId, unsigned> what,
                                    llvm::Type *type, unsigned vectors) {
  llvm::AllocaInst *&made = stack[what];
  if (!made) {
    llvm::BasicBlock &entry = function->getEntryBlock();
    made = llvm::IRBuilder<>(&entry, entry.begin())
               .CreateAlloca(llvm::ArrayType::get(type, vectors), nullptr,
                             isOfElements[what.first] ? "kept" : "lanes");
    made->setAlignment(llvm::Align(LineBytes));
  }
  return made;
}

/// Where a vector of a part is: that of its rows or, along them, its elements,
/// in all rows or in one of all.
Position KernelBuilder::inPart(const RowPart &part, unsigned k, bool isOfAll) {
  if (!plan.isAlongRows)
    return part.at;
  llvm::Value *first =
      isOfAll ? part.first : ir.CreateNUWAdd(part.at.index, part.first);
  Position at{ir.CreateNUWAdd(first, ir.getInt64(k * rowLanes), "element")};
  const unsigned left = part.elements - k * rowLanes;
  if (part.end) {
    at.left = ir.CreateTrunc(ir.CreateSub(part.end, part.first),
                             ir.getInt32Ty(), "left");
    at.mask =
        ir.CreateICmpSLT(ir.CreateStepVector(lanes.vectorType<std::int32_t>()),
                         ir.CreateVectorSplat(lanes.lanes, at.left), "mask");
  } else if (left < rowLanes) {
    at.left = ir.getInt32(left);
    at.mask = lanesBelow(lanes, left);
  }
  return at;
}

/// An operand of a part. Along rows the first sweep fetches elements further
/// on. It would wait for many of them all the same: the second fetches those of
/// the next row, if that was not read before.
llvm::SmallVector<llvm::Value *>
KernelBuilder::loadPart(const RowPart &part, const semantics::Value &value,
                        bool isFirst) {
  const LoopArgument &from = inputs[value.input];
  if (!plan.isAlongRows)
    return from.loadPart(lanes, part.at, part.first, part.elements);
  const bool isOfAll = semantics::isRowOfAll(plan, value);
  const std::uint64_t size = sizeOf(value.type), row = plan.rowLength * size;
  const bool isRead = !carried.empty() && parts->sweeps == 2;
  std::uint64_t bytesAhead = 0;
  if (isFirst && !isOfAll)
    bytesAhead = bytesAheadOfRows(plan, target, level);
  else if (!isOfAll && part.sweep == 1 && !isRead &&
           (!plan.streams || row > PageBytes))
    bytesAhead = row;
  llvm::SmallVector<llvm::Value *> loaded;
  for (unsigned k = 0; k * rowLanes < part.elements; ++k) {
    const Position at = inPart(part, k, isOfAll);
    loaded.push_back(from.load(lanes, at));
    if (bytesAhead > 0 && !at.mask && k * rowLanes * size % LineBytes == 0)
      from.fetch(lanes, at, ir.getInt64(bytesAhead), FetchInto::First);
  }
  return loaded;
}

/// Where elements of a value are kept, from those of a vector of a part on. A
/// sweep that begins with a line reads a vector behind them.
llvm::Value *KernelBuilder::placeOfKept(const RowPart &part, ValueId id,
                                        llvm::Type *type, unsigned k) {
  const unsigned each = plan.isAlongRows ? rowLanes : 1;
  llvm::Value *kept = onStack({id, 0}, type,
                              llvm::divideCeil(plan.rowLength, each) +
                                  (plan.isAlongRows ? 1 : 0));
  return ir.CreateInBoundsGEP(
      plan.isAlongRows ? type->getScalarType() : type, kept,
      ir.CreateNUWAdd(part.first, ir.getInt64(k * each)), "place");
}

/// A truth has a byte there.
void KernelBuilder::keep(const RowPart &part, ValueId id, unsigned k,
                         llvm::Value *vector) {
  if (vector->getType()->isIntOrIntVectorTy(1))
    vector = ir.CreateZExt(
        vector, llvm::FixedVectorType::get(ir.getInt8Ty(), lanes.lanes));
  ir.CreateAlignedStore(vector, placeOfKept(part, id, vector->getType(), k),
                        AnyAddress);
}

llvm::Value *KernelBuilder::loadKept(const RowPart &part, ValueId id,
                                     unsigned k) {
  llvm::Type *kept = stack[{id, 0}]->getAllocatedType();
  auto *type = llvm::FixedVectorType::get(
      kept->getArrayElementType()->getScalarType(), lanes.lanes);
  llvm::Value *vector =
      ir.CreateAlignedLoad(type, placeOfKept(part, id, type, k), AnyAddress);
  return plan.graph.values[id].type == DType::Bool ? ir.CreateIsNotNull(vector)
                                                   : vector;
}

/// Of each vector of a part what its sweep needs: computed, or kept by an
/// earlier one.
std::vector<KernelBuilder::Values>
KernelBuilder::computePart(const RowPart &part, const Values &ofRow) {
  const unsigned each = plan.isAlongRows ? rowLanes : 1;
  std::vector<Values> vectors(llvm::divideCeil(part.elements, each), ofRow);
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    const semantics::Value &made = plan.graph.values[id];
    if (!parts->needs[part.sweep][id])
      continue;
    const bool isNew = parts->computes[part.sweep][id],
               isFirst = parts->sweepOf[id] == part.sweep;
    setLocationOf(id);
    llvm::SmallVector<llvm::Value *> loaded;
    if (isNew && made.kind == ValueKind::Input)
      loaded = loadPart(part, made, isFirst);
    for (unsigned k = 0; k < vectors.size(); ++k) {
      llvm::Value *&vector = vectors[k][id];
      setCopy(k);
      if (!isNew) {
        vector = loadKept(part, id, k);
        continue;
      }
      const Position at = inPart(part, k, false);
      lanes.existing = at.mask;
      vector = loaded.empty() ? value(id, at, vectors[k]) : loaded[k];
      if (parts->isKept[id] && isFirst)
        keep(part, id, k, vector);
    }
    setCopy(0);
  }
  return vectors;
}

/// Whether the results of a sweep are those of a value.
bool KernelBuilder::isFoldedBy(unsigned sweep, ValueId id) const {
  return plan.graph.values[id].kind == ValueKind::Fold &&
         parts->sweepOf[id] == sweep + 1;
}

/// Has the states of lanes take their elements of a part.
void KernelBuilder::foldPart(const RowPart &part,
                             const std::vector<Values> &vectors) {
  llvm::Value *lane =
      ir.CreateAnd(part.first, ir.getInt64(ops::ReductionLanes - 1), "lane");
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    if (!isFoldedBy(part.sweep, id))
      continue;
    const semantics::Value &each = plan.graph.values[id];
    const semantics::Reducing reducing{each.op, each.form()};
    setLocationOf(id);
    for (unsigned k = 0; k < vectors.size(); ++k) {
      llvm::Value *elements = vectors[k][each.args[0]];
      if (plan.isAlongRows) {
        StateParts &state = statesOfRow[id][k];
        const StateParts old = state;
        emitStep(lanes, reducing, state, elements);
        if (const unsigned left = part.elements - k * rowLanes; left < rowLanes)
          for (unsigned p = 0; p < state.size(); ++p)
            state[p] =
                ir.CreateSelect(lanesBelow(lanes, left), state[p], old[p]);
        continue;
      }
      StateParts state = emitIdentity(lanes, reducing);
      StateAddresses places;
      for (unsigned p = 0; p < state.size(); ++p) {
        llvm::Type *type = state[p]->getType();
        places.push_back(ir.CreateInBoundsGEP(
            type, stack[{id, p}], ir.CreateNUWAdd(lane, ir.getInt64(k))));
        state[p] = ir.CreateAlignedLoad(type, places[p], AnyAddress, "state");
      }
      emitStep(lanes, reducing, state, elements);
      for (unsigned p = 0; p < state.size(); ++p)
        ir.CreateAlignedStore(state[p], places[p], AnyAddress);
    }
  }
}

void KernelBuilder::storePart(const RowPart &part,
                              const std::vector<Values> &vectors) {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId id = plan.graph.outputs[i];
    if (!outputs[i].isInRows() || parts->sweepOf[id] != part.sweep)
      continue;
    if (debug)
      setLocation(plan.listing->outputs[i]);
    llvm::SmallVector<llvm::Value *> columns;
    for (const Values &vector : vectors)
      columns.push_back(vector[id]);
    if (!plan.isAlongRows)
      outputs[i].storePart(lanes, part.at, part.first, columns, plan.streams);
    for (unsigned k = 0; plan.isAlongRows && k < columns.size(); ++k)
      outputs[i].store(lanes, inPart(part, k, false), columns[k],
                       plan.streams && !part.end);
  }
}

void KernelBuilder::emitPart(const RowPart &part, const Values &ofRow) {
  const std::vector<Values> vectors = computePart(part, ofRow);
  foldPart(part, vectors);
  storePart(part, vectors);
}

unsigned KernelBuilder::blocksOfRow() const {
  return llvm::divideCeil(plan.rowLength,
                          static_cast<unsigned>(ops::ReductionBlock));
}

/// Whether a sweep has results.
bool KernelBuilder::folds(unsigned sweep) const {
  for (ValueId id = 0; id < plan.graph.values.size(); ++id)
    if (isFoldedBy(sweep, id))
      return true;
  return false;
}

/// The state that the lanes of a row, or of a block of it, become.
StateParts KernelBuilder::stateOfLanes(ValueId id) {
  const semantics::Value &each = plan.graph.values[id];
  const semantics::Reducing reducing{each.op, each.form()};
  const unsigned rows = std::exchange(lanes.lanes, rowLanes);
  StateParts state = emitFoldLanes(
      lanes, reducing, emitFoldVectors(lanes, reducing, statesOfRow[id]));
  lanes.lanes = rows;
  return state;
}

/// The state that a row becomes: of its lanes, or of its blocks by their tree.
StateParts KernelBuilder::stateOfRow(ValueId id) {
  if (blocksOfRow() == 1)
    return stateOfLanes(id);
  const semantics::Value &each = plan.graph.values[id];
  const semantics::Reducing reducing{each.op, each.form()};
  llvm::SmallVector<StateParts> states(blocksOfRow(),
                                       emitIdentity(lanes, reducing));
  for (unsigned k = 0; k < states.size(); ++k)
    for (unsigned p = 0; p < states[k].size(); ++p) {
      llvm::Type *type = states[k][p]->getType();
      states[k][p] =
          ir.CreateAlignedLoad(type,
                               ir.CreateConstInBoundsGEP1_64(
                                   type->getScalarType(), stack[{id, p}], k),
                               AnyAddress);
    }
  return emitTree(lanes, reducing, states);
}

/// The result of a sweep, for each row of a step.
llvm::Value *KernelBuilder::foldOfRow(ValueId id) {
  const semantics::Value &each = plan.graph.values[id];
  const semantics::Reducing reducing{each.op, each.form()};
  if (plan.isAlongRows)
    return emitFinish(lanes, reducing, stateOfRow(id), countOf(each));
  llvm::SmallVector<StateParts> states(ops::ReductionLanes,
                                       emitIdentity(lanes, reducing));
  for (unsigned lane = 0; lane < states.size(); ++lane)
    for (unsigned p = 0; p < states[lane].size(); ++p) {
      llvm::Type *type = states[lane][p]->getType();
      states[lane][p] = ir.CreateAlignedLoad(
          type, ir.CreateConstInBoundsGEP1_64(type, stack[{id, p}], lane),
          AnyAddress);
    }
  return emitFinish(lanes, reducing, emitFoldVectors(lanes, reducing, states),
                    countOf(each));
}

/// What rows have once before a sweep: results of the one before, too.
void KernelBuilder::computeBetween(const Position &at, unsigned sweep,
                                   Values &ofRow) {
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    const semantics::Value &each = plan.graph.values[id];
    if (isOfElements[id] || parts->sweepOf[id] != sweep)
      continue;
    setLocationOf(id);
    if (each.kind != ValueKind::Fold)
      ofRow[id] = value(id, at, ofRow);
    else if (!ofRow[id])
      ofRow[id] = foldOfRow(id);
  }
}

/// Has the lanes of what a sweep folds no elements.
void KernelBuilder::resetLanes(unsigned sweep) {
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    if (!isFoldedBy(sweep, id))
      continue;
    const semantics::Value &each = plan.graph.values[id];
    const StateParts none = emitIdentity(lanes, {each.op, each.form()});
    if (plan.isAlongRows) {
      statesOfRow[id].assign(ops::ReductionLanes / rowLanes, none);
      continue;
    }
    for (unsigned p = 0; p < none.size(); ++p) {
      llvm::Type *type = none[p]->getType();
      llvm::Value *all = onStack({id, p}, type, ops::ReductionLanes);
      for (unsigned lane = 0; lane < ops::ReductionLanes; ++lane)
        ir.CreateAlignedStore(none[p],
                              ir.CreateConstInBoundsGEP1_64(type, all, lane),
                              AnyAddress);
    }
  }
}

/// Begins, or ends, a step of a sweep for the states that it has in registers.
std::vector<llvm::PHINode *>
KernelBuilder::openStatesOfRow(unsigned sweep, llvm::BasicBlock *before) {
  std::vector<llvm::PHINode *> opened;
  for (auto &[id, vectors] : statesOfRow)
    for (StateParts &state : vectors)
      for (llvm::Value *&part : state)
        if (isFoldedBy(sweep, id)) {
          llvm::PHINode *phi = ir.CreatePHI(part->getType(), 2, "state");
          phi->addIncoming(part, before);
          opened.push_back(phi);
          part = phi;
        }
  return opened;
}

void KernelBuilder::closeStatesOfRow(unsigned sweep,
                                     llvm::ArrayRef<llvm::PHINode *> opened) {
  for (auto &[id, vectors] : statesOfRow)
    for (const StateParts &state : vectors)
      for (llvm::Value *part : state)
        if (isFoldedBy(sweep, id)) {
          opened.front()->addIncoming(part, ir.GetInsertBlock());
          opened = opened.drop_front();
        }
}

/// What a sweep has of each row beside elements: in all lanes.
KernelBuilder::Values KernelBuilder::besideElements(const Values &ofRow) {
  Values spread = ofRow;
  const llvm::SmallVector<int> same(rowLanes, 0);
  for (llvm::Value *&each : spread)
    if (each && plan.isAlongRows)
      each = ir.CreateShuffleVector(each, same);
  return spread;
}

/// Parts of a sweep from one element of rows to another, at least one.
void KernelBuilder::emitLoopOfParts(const RowPart &part, llvm::Value *end,
                                    const Values &beside) {
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *body = block("part", tailCheck), *done = block("parts.done", tailCheck);
  ir.CreateBr(body);
  ir.SetInsertPoint(body);
  llvm::PHINode *first = ir.CreatePHI(ir.getInt64Ty(), 2, "k");
  first->addIncoming(part.first, before);
  const auto opened = openStatesOfRow(part.sweep, before);
  RowPart here = part;
  here.first = first;
  emitPart(here, beside);
  llvm::Value *next =
      ir.CreateNUWAdd(first, ir.getInt64(part.elements), "k.next");
  first->addIncoming(next, ir.GetInsertBlock());
  closeStatesOfRow(part.sweep, opened);
  ir.CreateCondBr(ir.CreateICmpSLT(next, end, "more"), body, done);
  hoistParts(body, before);
  ir.SetInsertPoint(done);
}

/// So many elements of a row of a sweep, from one on.
void KernelBuilder::emitParts(RowPart part, const Values &beside) {
  const unsigned each = elementsOfPart(plan), left = part.elements % each,
                 whole = part.elements - left;
  llvm::Value *end = ir.CreateNUWAdd(part.first, ir.getInt64(whole), "end");
  part.elements = each;
  if (whole > 0)
    emitLoopOfParts(part, end, beside);
  part.first = end;
  part.elements = left;
  if (left > 0)
    emitPart(part, beside);
}

/// Elements of a row of a sweep before or behind those that are stored past the
/// caches, if any: up to the end of a part. The line that the first ones share
/// with another row is fetched some rows before.
void KernelBuilder::emitBesideLines(RowPart part, const LoopArgument *to,
                                    const Values &beside) {
  constexpr std::uint64_t rowsAhead = 2;
  auto *some = block("beside.lines", tailCheck),
       *none = block("lines", tailCheck);
  ir.CreateCondBr(ir.CreateICmpSLT(part.first, part.end, "any"), some, none);
  ir.SetInsertPoint(some);
  if (to)
    to->fetch(lanes, Position{part.at.index},
              ir.getInt64(rowsAhead * plan.rowLength * to->elementBytes()),
              FetchInto::First);
  part.elements = rowLanes;
  emitLoopOfParts(part, part.end, beside);
  ir.CreateBr(none);
  ir.SetInsertPoint(none);
}

/// A sweep that stores past the caches: whole lines, wherever rows begin.
void KernelBuilder::emitLines(const RowPart &all, const Values &beside) {
  const LoopArgument &to = *llvm::find_if(
      outputs, [](const LoopArgument &each) { return each.isInRows(); });
  RowPart part = all;
  part.end = to.beforeLine(lanes, Position{all.at.index});
  emitBesideLines(part, &to, beside);
  part.first = std::exchange(part.end, nullptr);
  part.elements = elementsOfPart(plan);
  llvm::Value *length = ir.getInt64(all.elements);
  llvm::Value *end = ir.CreateNUWAdd(
      part.first, ir.CreateAnd(ir.CreateNUWSub(length, part.first),
                               ir.getInt64(-std::int64_t{part.elements})));
  emitLoopOfParts(part, end, beside);
  part.first = end;
  part.end = length;
  emitBesideLines(part, nullptr, beside);
}

/// A sweep along a row of several blocks, each of which becomes a state.
void KernelBuilder::emitBlocks(const RowPart &all, const Values &beside) {
  constexpr auto size = static_cast<unsigned>(ops::ReductionBlock);
  const unsigned blocks = plan.rowLength / size, left = plan.rowLength % size;
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *body = block("block", tailCheck), *rest = block("rest", tailCheck);
  ir.CreateBr(body);
  ir.SetInsertPoint(body);
  llvm::PHINode *number = ir.CreatePHI(ir.getInt64Ty(), 2, "block");
  number->addIncoming(ir.getInt64(0), before);
  const auto emit = [&](llvm::Value *at, unsigned elements) {
    resetLanes(all.sweep);
    emitParts({all.at, all.sweep, ir.CreateMul(at, ir.getInt64(size), "first"),
               elements},
              beside);
    foldBlock(all.sweep, at);
  };
  emit(number, size);
  llvm::Value *next = ir.CreateNUWAdd(number, ir.getInt64(1), "block.next");
  number->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, ir.getInt64(blocks), "more"), body,
                  rest);
  ir.SetInsertPoint(rest);
  if (left > 0)
    emit(ir.getInt64(blocks), left);
}

/// Keeps the states that a block became.
void KernelBuilder::foldBlock(unsigned sweep, llvm::Value *number) {
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    if (!isFoldedBy(sweep, id))
      continue;
    const StateParts state = stateOfLanes(id);
    for (unsigned p = 0; p < state.size(); ++p) {
      llvm::Type *type = state[p]->getType();
      ir.CreateAlignedStore(
          state[p],
          ir.CreateInBoundsGEP(type->getScalarType(),
                               onStack({id, p}, type, blocksOfRow()), number),
          AnyAddress);
    }
  }
}

/// Whether the first sweep over a row comes before the last one over the row
/// before, so that none waits for what rows have once. From memory, where loops
/// stream, reading and storing do better in turns, and long rows outlast the
/// wait.
bool KernelBuilder::overlapsRows() const {
  if (!parts || !plan.isAlongRows || plan.streams || parts->sweeps < 2 ||
      std::ranges::any_of(plan.inputs, [this](const semantics::Access &input) {
        return input.isInRows() &&
               plan.rowLength * sizeOf(input.type) > PageBytes;
      }))
    return false;
  for (ValueId id = 0; id < plan.graph.values.size(); ++id)
    if (parts->isKept[id] && parts->sweepOf[id] == 0)
      return false;
  return true;
}

/// A sweep over a row, with what it has beside elements.
void KernelBuilder::emitSweep(const Position &at, unsigned sweep,
                              const Values &ofRow) {
  const Values beside = besideElements(ofRow);
  const unsigned rows = lanes.lanes;
  Position first = at;
  if (plan.isAlongRows) {
    first.index = ir.CreateMul(at.index, ir.getInt64(plan.rowLength), "first");
    lanes.lanes = rowLanes;
  }
  resetLanes(sweep);
  const RowPart all{first, sweep, ir.getInt64(0), plan.rowLength};
  if (folds(sweep) && blocksOfRow() > 1)
    emitBlocks(all, beside);
  else if (!folds(sweep) && plan.streams &&
           semantics::streamsAnywhere(plan, *parts))
    emitLines(all, beside);
  else
    emitParts(all, beside);
  lanes.existing = nullptr;
  lanes.lanes = rows;
}

/// The results of the first sweep over a row.
KernelBuilder::Values KernelBuilder::sweepFirst(const Position &at) {
  Values ofRow(plan.graph.values.size());
  computeBetween(at, 0, ofRow);
  emitSweep(at, 0, ofRow);
  Values results(ofRow.size());
  for (ValueId id = 0; id < results.size(); ++id)
    if (isFoldedBy(0, id))
      results[id] = foldOfRow(id);
  return results;
}

/// The first sweep over the first row, before the main loop, each step of which
/// begins with the results of the sweep over its row.
void KernelBuilder::openOverlap() {
  const Values first = sweepFirst({ir.getInt64(0)});
  carried.assign(first.size(), nullptr);
  llvm::IRBuilderBase::InsertPointGuard guard(ir);
  llvm::BasicBlock *from = ir.GetInsertBlock();
  ir.SetInsertPoint(loop);
  for (ValueId id = 0; id < first.size(); ++id)
    if (first[id]) {
      carried[id] = ir.CreatePHI(first[id]->getType(), 2, "carried");
      carried[id]->addIncoming(first[id], from);
    }
}

/// The first sweep over the row of the step that follows, if any.
KernelBuilder::Values KernelBuilder::sweepNext(const Position &at) {
  llvm::Value *next = ir.CreateNUWAdd(at.index, ir.getInt64(1), "row.next");
  llvm::BasicBlock *from = ir.GetInsertBlock();
  auto *some = block("next.row", tailCheck), *done = block("none", tailCheck);
  ir.CreateCondBr(ir.CreateICmpSLT(next, count, "any"), some, done);
  ir.SetInsertPoint(some);
  Values results = sweepFirst({next});
  llvm::BasicBlock *end = ir.GetInsertBlock();
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
  for (llvm::Value *&each : results)
    if (each) {
      llvm::PHINode *phi = ir.CreatePHI(each->getType(), 2, "next");
      phi->addIncoming(each, end);
      phi->addIncoming(llvm::Constant::getNullValue(each->getType()), from);
      each = phi;
    }
  return results;
}

/// All of a step but what rows have once, which is still to be stored.
KernelBuilder::Values KernelBuilder::computeInParts(const Position &at) {
  Values ofRow(plan.graph.values.size()), next;
  const bool overlaps = !carried.empty();
  for (unsigned sweep = 0;; ++sweep) {
    for (ValueId id = 0; overlaps && sweep == 1 && id < carried.size(); ++id)
      if (carried[id])
        ofRow[id] = carried[id];
    computeBetween(at, sweep, ofRow);
    if (sweep == parts->sweeps)
      break;
    if (overlaps && sweep + 1 == parts->sweeps)
      next = sweepNext(at);
    if (!overlaps || sweep > 0)
      emitSweep(at, sweep, ofRow);
  }
  for (ValueId id = 0; id < next.size(); ++id)
    if (next[id])
      carried[id]->addIncoming(next[id], ir.GetInsertBlock());
  return ofRow;
}
