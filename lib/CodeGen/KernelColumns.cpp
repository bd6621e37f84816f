//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows that are taken whole, but have too many elements for code of each: a
/// step, whose lanes are rows, sweeps over them as often as its folds need.
/// What later sweeps read again is kept on the stack, side by side: the
/// elements of a row may lie whole pages apart, of which a cache holds few.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"
#include "CodeGen/LoopShape.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::ValueId;
using semantics::ValueKind;

/// Elements of a row in one step of a sweep; a divisor of the lanes.
static constexpr unsigned PartElements = 8;

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

/// Of each element of a part what its sweep has: computed, or kept by an
/// earlier one.
std::vector<KernelBuilder::Values>
KernelBuilder::computePart(const RowPart &part, const Values &ofRow) {
  std::vector<Values> elements(part.count, ofRow);
  const auto placeOf = [&](ValueId id, llvm::Type *type, unsigned k) {
    return ir.CreateInBoundsGEP(type, onStack({id, 0}, type, plan.rowLength),
                                ir.CreateNUWAdd(part.first, ir.getInt64(k)),
                                "place");
  };
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    const semantics::Value &each = plan.graph.values[id];
    const bool isNew =
        parts->sweepOf[id] == part.sweep || semantics::isRowOfAll(plan, each);
    if (!isOfElements[id] ||
        !(isNew || (parts->isKept[id] && parts->sweepOf[id] < part.sweep)))
      continue;
    setLocationOf(id);
    llvm::SmallVector<llvm::Value *> loaded;
    if (isNew && each.kind == ValueKind::Input)
      loaded =
          inputs[each.input].loadPart(lanes, part.at, part.first, part.count);
    for (unsigned k = 0; k < part.count; ++k) {
      llvm::Value *&made = elements[k][id];
      setCopy(k);
      if (!isNew) {
        llvm::Type *kept = stack[{id, 0}]->getAllocatedType();
        auto *type = llvm::FixedVectorType::get(
            kept->getArrayElementType()->getScalarType(), lanes.lanes);
        made = ir.CreateAlignedLoad(type, placeOf(id, type, k), AnyAddress);
        continue;
      }
      made = loaded.empty() ? value(id, part.at, elements[k]) : loaded[k];
      if (parts->isKept[id])
        ir.CreateAlignedStore(made, placeOf(id, made->getType(), k),
                              AnyAddress);
    }
    setCopy(0);
  }
  return elements;
}

/// Whether the results of a sweep are those of a value.
bool KernelBuilder::isFoldedBy(unsigned sweep, ValueId id) const {
  return plan.graph.values[id].kind == ValueKind::Fold &&
         parts->sweepOf[id] == sweep + 1;
}

/// Has the states of lanes take their elements of a part.
void KernelBuilder::foldPart(const RowPart &part,
                             const std::vector<Values> &elements) {
  llvm::Value *lane =
      ir.CreateAnd(part.first, ir.getInt64(ops::ReductionLanes - 1), "lane");
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    if (!isFoldedBy(part.sweep, id))
      continue;
    const semantics::Value &each = plan.graph.values[id];
    const semantics::Reducing reducing{each.op, each.form()};
    setLocationOf(id);
    for (unsigned k = 0; k < part.count; ++k) {
      StateParts state = emitIdentity(lanes, reducing);
      StateAddresses places;
      for (unsigned p = 0; p < state.size(); ++p) {
        llvm::Type *type = state[p]->getType();
        places.push_back(ir.CreateInBoundsGEP(
            type, stack[{id, p}], ir.CreateNUWAdd(lane, ir.getInt64(k))));
        state[p] = ir.CreateAlignedLoad(type, places[p], AnyAddress, "state");
      }
      emitStep(lanes, reducing, state, elements[k][each.args[0]]);
      for (unsigned p = 0; p < state.size(); ++p)
        ir.CreateAlignedStore(state[p], places[p], AnyAddress);
    }
  }
}

void KernelBuilder::storePart(const RowPart &part,
                              const std::vector<Values> &elements) {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId id = plan.graph.outputs[i];
    if (!outputs[i].isInRows() || parts->sweepOf[id] != part.sweep)
      continue;
    if (debug)
      setLocation(plan.listing->outputs[i]);
    llvm::SmallVector<llvm::Value *> columns;
    for (const Values &element : elements)
      columns.push_back(element[id]);
    outputs[i].storePart(lanes, part.at, part.first, columns, plan.streams);
  }
}

void KernelBuilder::emitPart(const RowPart &part, const Values &ofRow) {
  const std::vector<Values> elements = computePart(part, ofRow);
  foldPart(part, elements);
  storePart(part, elements);
}

/// What rows have once before a sweep: results of the one before, too.
void KernelBuilder::computeBetween(const Position &at, unsigned sweep,
                                   Values &ofRow) {
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    const semantics::Value &each = plan.graph.values[id];
    if (isOfElements[id] || parts->sweepOf[id] != sweep)
      continue;
    setLocationOf(id);
    if (each.kind != ValueKind::Fold) {
      ofRow[id] = value(id, at, ofRow);
      continue;
    }
    const semantics::Reducing reducing{each.op, each.form()};
    llvm::SmallVector<StateParts> states(ops::ReductionLanes,
                                         emitIdentity(lanes, reducing));
    for (unsigned lane = 0; lane < states.size(); ++lane)
      for (unsigned p = 0; p < states[lane].size(); ++p) {
        llvm::Type *type = states[lane][p]->getType();
        states[lane][p] = ir.CreateAlignedLoad(
            type, ir.CreateConstInBoundsGEP1_64(type, stack[{id, p}], lane),
            AnyAddress);
      }
    ofRow[id] = emitFoldOf(lanes, reducing, states, countOf(each));
  }
}

/// Has the lanes of what a sweep folds no elements.
void KernelBuilder::resetLanes(unsigned sweep) {
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    if (!isFoldedBy(sweep, id))
      continue;
    const semantics::Value &each = plan.graph.values[id];
    const StateParts none = emitIdentity(lanes, {each.op, each.form()});
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

/// All of a step but what rows have once, which is still to be stored.
KernelBuilder::Values KernelBuilder::computeInParts(const Position &at) {
  Values ofRow(plan.graph.values.size());
  const unsigned whole = plan.rowLength / PartElements * PartElements;
  for (unsigned sweep = 0;; ++sweep) {
    computeBetween(at, sweep, ofRow);
    if (sweep == parts->sweeps)
      return ofRow;
    resetLanes(sweep);
    llvm::BasicBlock *before = ir.GetInsertBlock();
    auto *part = block("part", tailCheck);
    ir.CreateBr(part);
    ir.SetInsertPoint(part);
    llvm::PHINode *first = ir.CreatePHI(ir.getInt64Ty(), 2, "k");
    first->addIncoming(ir.getInt64(0), before);
    emitPart({at, sweep, first, PartElements}, ofRow);
    llvm::Value *next =
        ir.CreateNUWAdd(first, ir.getInt64(PartElements), "k.next");
    first->addIncoming(next, ir.GetInsertBlock());
    auto *rest = block("parts.left", tailCheck);
    ir.CreateCondBr(ir.CreateICmpNE(next, ir.getInt64(whole), "more"), part,
                    rest);
    ir.SetInsertPoint(rest);
    if (whole < plan.rowLength)
      emitPart({at, sweep, ir.getInt64(whole), plan.rowLength - whole}, ofRow);
  }
}
