//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops over rows that take each whole, from its elements to what becomes of
/// them. Where lanes are rows, there is a vector of each element. Else a step
/// is one row or several, in vectors of their elements; rows that are left
/// follow one by one.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelBuilder.h"
#include "CodeGen/LoopShape.h"

#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::AccessPattern;
using semantics::ValueId;
using semantics::ValueKind;

/// How many of the elements of a row count in a fold.
std::int64_t KernelBuilder::countOf(const semantics::Value &fold) const {
  return std::max<std::int64_t>(plan.rowLength - fold.uncounted(), 0);
}

/// Of each element those of the graph, one element after the other.
KernelBuilder::Values KernelBuilder::computeRows(const Position &at) {
  const semantics::Graph &graph = plan.graph;
  const std::size_t size = graph.values.size();
  Values all(plan.rowLength * size);
  const auto isFold = [&](ValueId id) {
    return graph.values[id].kind == ValueKind::Fold;
  };
  const auto make = [&](ValueId id, unsigned k) {
    const std::size_t before = rareCount();
    const OneOfEach own = OneOfEach(all).slice(k * size, size);
    const bool isMade = !isOfElements[id] && (k > 0 || all[id]);
    all[k * size + id] = isMade ? all[id] : value(id, at, own, k);
    if (rareCount() > before)
      rare.insert(id);
  };
  const bool isByElement = takesElementsInTurn(plan, target);
  ValueId end = 0;
  for (ValueId begin = 0; begin < size; begin = end) {
    end = begin + 1;
    if (isFold(begin)) {
      const semantics::Value &each = graph.values[begin];
      llvm::SmallVector<llvm::Value *> elements;
      for (unsigned k = 0; k < plan.rowLength; ++k)
        elements.push_back(all[k * size + each.args[0]]);
      setLocationOf(begin);
      all[begin] =
          emitFold(lanes, {each.op, each.form()}, elements, countOf(each));
    }
    while (isByElement && !isFold(begin) && end < size && !isFold(end))
      ++end;
    for (unsigned k = 0; k < plan.rowLength; ++k)
      for (ValueId id = begin; id < end; ++id)
        make(id, k);
  }
  return all;
}

void KernelBuilder::storeRows(const Position &at, const Values &values) {
  const std::size_t size = plan.graph.values.size();
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId id = plan.graph.outputs[i];
    if (debug)
      setLocation(plan.listing->outputs[i]);
    if (!outputs[i].isInRows()) {
      outputs[i].store(lanes, at, values[id], plan.streams);
      continue;
    }
    if (parts) // Each has stored its elements.
      continue;
    llvm::SmallVector<llvm::Value *> elements;
    for (unsigned k = 0; k < plan.rowLength; ++k)
      elements.push_back(values[k * size + id]);
    outputs[i].storeRows(lanes, at, elements, plan.streams);
  }
  setLocation(syntax::Listing::loop());
}

/// How many elements are before a vector of rows that follow each other.
static unsigned elementsBefore(const semantics::Plan &plan, unsigned lanes,
                               unsigned number) {
  const unsigned count = vectorsOfRow(plan, lanes);
  return number / count * plan.rowLength + number % count * lanes;
}

/// The elements of a vector of rows from one on.
Position KernelBuilder::alongRows(llvm::Value *row, unsigned number) {
  const unsigned before = elementsBefore(plan, rowLanes, number);
  llvm::Value *first = ir.CreateMul(row, ir.getInt64(plan.rowLength), "first");
  Position at{ir.CreateNUWAdd(first, ir.getInt64(before), "element")};
  const unsigned left = plan.rowLength - before % plan.rowLength;
  if (left < rowLanes) {
    at.left = ir.getInt32(left);
    at.mask = lanesBelow(lanes, left);
  }
  return at;
}

/// Where a vector of the rows of a step is in memory: all of it if it has room
/// in them, as lanes that are not of its row are of the next.
Position KernelBuilder::inStep(const Position &at, unsigned number,
                               unsigned rows) {
  const unsigned end = elementsBefore(plan, rowLanes, number) + rowLanes;
  return end <= rows * plan.rowLength ? Position{at.index} : at;
}

/// Loads the vectors of rows that are those of all, before the loop.
void KernelBuilder::loadRowsOfAll() {
  const unsigned rows = std::exchange(lanes.lanes, rowLanes);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto &vectors = rowsOfAll.emplace_back();
    for (unsigned k = 0; plan.inputs[i].pattern == AccessPattern::Row &&
                         k * rowLanes < plan.rowLength;
         ++k)
      vectors.push_back(inputs[i].load(lanes, alongRows(ir.getInt64(0), k)));
  }
  lanes.lanes = rows;
}

/// A value in the vectors of rows.
void KernelBuilder::computeElements(ValueId id, llvm::Value *row,
                                    llvm::MutableArrayRef<Values> vectors) {
  const semantics::Value &each = plan.graph.values[id];
  const std::size_t rows = vectors.size() / vectorsOfRow(plan, rowLanes);
  const std::uint64_t bytesAhead = bytesAheadOfRows(plan, target, level);
  const auto lineOf = [&](unsigned number) {
    return elementsBefore(plan, rowLanes, number) * sizeOf(each.type) /
           LineBytes;
  };
  for (unsigned k = 0; k < vectors.size(); ++k) {
    llvm::Value *&made = vectors[k][id];
    const Position at = alongRows(row, k);
    lanes.existing = at.mask;
    setCopy(k);
    setLocationOf(id);
    if (each.kind != ValueKind::Input) {
      made = value(id, at, vectors[k]);
    } else if (!rowsOfAll[each.input].empty()) {
      made = rowsOfAll[each.input][k % rowsOfAll[each.input].size()];
    } else {
      const Position whole = inStep(at, k, static_cast<unsigned>(rows));
      made = inputs[each.input].load(lanes, whole);
      if (!whole.mask && bytesAhead > 0 &&
          (k == 0 || lineOf(k) > lineOf(k - 1)))
        inputs[each.input].fetch(lanes, at, ir.getInt64(bytesAhead),
                                 FetchInto::First);
    }
  }
  lanes.existing = nullptr;
  setCopy(0);
}

/// Of each vector those of the graph, and then those that rows have once: a
/// lane of each row, or all lanes beside elements.
KernelBuilder::Values KernelBuilder::computeAlongRows(llvm::Value *row) {
  const semantics::Graph &graph = plan.graph;
  const unsigned rows = lanes.lanes, count = vectorsOfRow(plan, rowLanes);
  Values ofRow(graph.values.size());
  std::vector<Values> vectors(rows * count, ofRow);
  const std::size_t rareBefore = rareCount();
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const semantics::Value &each = graph.values[id];
    const std::size_t before = rareCount();
    const bool isFold = each.kind == ValueKind::Fold;
    lanes.lanes = isFold || isOfElements[id] ? rowLanes : rows;
    if (isOfElements[id]) {
      computeElements(id, row, vectors);
    } else if (isFold) {
      llvm::SmallVector<llvm::Value *> elements;
      for (const Values &vector : vectors)
        elements.push_back(vector[each.args[0]]);
      setLocationOf(id);
      ofRow[id] =
          emitFoldAlong(lanes, {each.op, each.form()}, elements, rows,
                        plan.rowLength - (count - 1) * rowLanes, countOf(each));
    } else {
      ofRow[id] = value(id, {row}, ofRow);
    }
    for (unsigned k = 0; k < vectors.size() && !isOfElements[id]; ++k) {
      const llvm::SmallVector<int> same(rowLanes, static_cast<int>(k / count));
      vectors[k][id] = ir.CreateShuffleVector(ofRow[id], same);
    }
    if (rareCount() > before)
      rare.insert(id);
  }
  lanes.lanes = rows;
  // A check asks for all of them at once.
  for (std::size_t i = rareBefore; i < rareCount(); ++i) {
    llvm::Value *&mask = (*lanes.rareMasks)[i];
    mask = ir.CreateVectorSplat(1, ir.CreateOrReduce(mask));
  }
  Values all;
  for (const Values &vector : vectors)
    all.insert(all.end(), vector.begin(), vector.end());
  all.insert(all.end(), ofRow.begin(), ofRow.end());
  return all;
}

void KernelBuilder::storeAlongRows(llvm::Value *row, const Values &values) {
  const std::size_t size = plan.graph.values.size();
  const std::size_t count = values.size() / size - 1;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId id = plan.graph.outputs[i];
    if (debug)
      setLocation(plan.listing->outputs[i]);
    if (!outputs[i].isInRows()) {
      outputs[i].store(lanes, {row}, values[count * size + id], false);
      continue;
    }
    if (parts) // Each has stored its elements.
      continue;
    const unsigned rows = std::exchange(lanes.lanes, rowLanes);
    // Lanes of the next row are stored again with it.
    for (unsigned k = 0; k < count; ++k)
      outputs[i].store(lanes, inStep(alongRows(row, k), k, rows),
                       values[k * size + id], plan.streams);
    lanes.lanes = rows;
  }
  setLocation(syntax::Listing::loop());
}

/// The rows that steps of several leave, one after the other.
void KernelBuilder::emitRowsLeft(llvm::BasicBlock *done) {
  auto *left = block("rows.left", done);
  ir.SetInsertPoint(tailEntry);
  ir.CreateBr(left);
  ir.SetInsertPoint(left);
  llvm::PHINode *at = ir.CreatePHI(ir.getInt64Ty(), 2, "j");
  at->addIncoming(whole, tailEntry);
  lanes.lanes = 1;
  store({at}, compute({at}));
  llvm::Value *next = ir.CreateNUWAdd(at, ir.getInt64(1), "j.next");
  at->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpNE(next, count, "more"), left, done);
}
