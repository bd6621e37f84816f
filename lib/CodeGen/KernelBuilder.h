//===- CodeGen/KernelBuilder.h - A kernel in the making -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_KERNELBUILDER_H
#define KEXPR_CODEGEN_KERNELBUILDER_H

#include "CodeGen/CodeGen.h"
#include "CodeGen/DebugInfo.h"
#include "CodeGen/LoopStates.h"
#include "Semantics/WholeRows.h"

#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <set>

namespace kexpr::codegen {

/// Emits the function of a module. The main loop is in KernelEmitter.cpp, what
/// it leaves to do in KernelTail.cpp, rows that are taken whole in
/// KernelRows.cpp and, in parts, KernelParts.cpp.
class KernelBuilder {
public:
  KernelBuilder(llvm::Module &module, const semantics::Plan &plan,
                const Target &target, OptLevel level);
  /// Returns how many stages the main loop has.
  unsigned run();

private:
  /// By value of the graph; of rows that are taken whole see KernelRows.cpp.
  using Values = std::vector<llvm::Value *>;
  using OneOfEach = llvm::ArrayRef<llvm::Value *>;
  void makeFunction();
  void makeArguments();
  void findAhead(const LoopArrays &arrays);
  void fetchAhead(const Position &at, unsigned copy);
  unsigned emitMainLoop();
  llvm::Value *emitFastBodies(llvm::Value *index, llvm::BasicBlock *before);
  void emitCheck(llvm::ArrayRef<llvm::Value *> rareMasks, llvm::Value *index);
  llvm::Value *redoEnd(llvm::Value *index);
  Values computeHolding(llvm::BasicBlock *before, const Position &position);
  void emitSecondBody(llvm::Value *index, llvm::Value *end);
  void openAgain();
  void resumeAt(llvm::Value *end);
  void shareTail();
  llvm::Value *advance(llvm::Value *index, const char *name = "i.next") {
    return ir.CreateNUWAdd(index, ir.getInt64(unrollFactor * lanes.lanes),
                           name);
  }
  /// Sets the location in the plan's listing of the code that follows.
  void setLocation(SourceLocation location) {
    if (debug)
      ir.SetCurrentDebugLocation(debug->at(location));
  }
  void setLocationOf(semantics::ValueId value);
  void setLocationOfRare();
  std::size_t rareCount() const {
    return lanes.rareMasks ? lanes.rareMasks->size() : 0;
  }
  void setCopy(unsigned copy);
  void narrow(unsigned fewer);
  void emitTail(llvm::BasicBlock *done);
  void hoist();
  void hoistParts(llvm::BasicBlock *body, llvm::BasicBlock *before);
  void hoistConstants();
  void foldConstants();
  Values compute(const Position &at);
  llvm::Value *value(semantics::ValueId id, const Position &at,
                     OneOfEach values, unsigned element = 0);
  llvm::Value *input(std::uint32_t number, const Position &at,
                     unsigned element);
  llvm::Value *convert(const semantics::Value &value, OneOfEach values);
  llvm::Value *call(const semantics::Value &value, OneOfEach values);
  void store(const Position &at, const Values &values,
             std::optional<unsigned> copy = std::nullopt);
  void take(const Position &at, llvm::ArrayRef<llvm::Value *> elements,
            std::size_t number, std::optional<unsigned> copy);
  std::int64_t countOf(const semantics::Value &fold) const;
  Values computeRows(const Position &at);
  void storeRows(const Position &at, const Values &values);
  Position alongRows(llvm::Value *row, unsigned number);
  Position inStep(const Position &at, unsigned number, unsigned rows);
  void loadRowsOfAll();
  void computeElements(semantics::ValueId id, llvm::Value *row,
                       llvm::MutableArrayRef<Values> vectors);
  Values computeAlongRows(llvm::Value *row);
  void storeAlongRows(llvm::Value *row, const Values &values);
  void emitRowsLeft(llvm::BasicBlock *done);
  llvm::Value *onStack(std::pair<semantics::ValueId, unsigned> what,
                       llvm::Type *type, unsigned vectors);
  /// Elements of rows at a position, so many from one on, in a sweep.
  struct RowPart {
    Position at;
    unsigned sweep;
    llvm::Value *first;
    unsigned elements;
    llvm::Value *end = nullptr; ///< Of those that exist, if not all do.
  };
  unsigned blocksOfRow() const;
  Position inPart(const RowPart &part, unsigned k, bool isOfAll);
  llvm::SmallVector<llvm::Value *>
  loadPart(const RowPart &part, const semantics::Value &value, bool isFirst);
  llvm::Value *placeOfKept(const RowPart &part, semantics::ValueId id,
                           llvm::Type *type, unsigned k);
  void keep(const RowPart &part, semantics::ValueId id, unsigned k,
            llvm::Value *vector);
  llvm::Value *loadKept(const RowPart &part, semantics::ValueId id, unsigned k);
  std::vector<Values> computePart(const RowPart &part, const Values &ofRow);
  bool isFoldedBy(unsigned sweep, semantics::ValueId id) const;
  void foldPart(const RowPart &part, const std::vector<Values> &vectors);
  void storePart(const RowPart &part, const std::vector<Values> &vectors);
  void emitPart(const RowPart &part, const Values &ofRow);
  void computeBetween(const Position &at, unsigned sweep, Values &ofRow);
  void resetLanes(unsigned sweep);
  std::vector<llvm::PHINode *> openStatesOfRow(unsigned sweep,
                                               llvm::BasicBlock *before);
  void closeStatesOfRow(unsigned sweep, llvm::ArrayRef<llvm::PHINode *> opened);
  Values besideElements(const Values &ofRow);
  void emitLoopOfParts(const RowPart &part, llvm::Value *end,
                       const Values &beside);
  void emitParts(RowPart part, const Values &beside);
  void emitBesideLines(RowPart part, const LoopArgument *to,
                       const Values &beside);
  void emitLines(const RowPart &all, const Values &beside);
  bool folds(unsigned sweep) const;
  void foldBlock(unsigned sweep, llvm::Value *number);
  StateParts stateOfLanes(semantics::ValueId id);
  StateParts stateOfRow(semantics::ValueId id);
  void emitBlocks(const RowPart &all, const Values &beside);
  bool overlapsRows() const;
  void emitSweep(const Position &at, unsigned sweep, const Values &ofRow);
  llvm::Value *foldOfRow(semantics::ValueId id);
  Values sweepFirst(const Position &at);
  void openOverlap();
  Values sweepNext(const Position &at);
  Values computeInParts(const Position &at);
  void openRows();
  void closeRows();
  void makeStates();
  void resetStates();
  std::vector<StateParts> loadStates();
  void openStates();
  void reopenStates();
  void storeStates(llvm::Value *index);
  void closeStates();
  void foldStates();
  llvm::BasicBlock *block(const char *name,
                          llvm::BasicBlock *before = nullptr) {
    return llvm::BasicBlock::Create(module.getContext(), name, function,
                                    before);
  }

  llvm::Module &module;
  const semantics::Plan &plan;
  const Target &target;
  const unsigned unrollFactor;
  const OptLevel level;
  /// Of the main loop, at most.
  const unsigned stages;
  /// Whether the main loop has the states of reductions in registers.
  const bool holdsStates;
  /// Of a tail that computes in double lanes.
  const unsigned tailLanes;
  /// Of vectors along rows. A lane of a step is a row.
  const unsigned rowLanes;
  /// Whether there is a second body besides the tail.
  bool hasSecondBody = false;
  NameContext names;
  NamingBuilder ir;
  LaneBuilder lanes;
  /// If the plan has a listing.
  std::optional<DebugInfo> debug;
  /// The operators that have a slow way in the main loop.
  std::set<semantics::ValueId> rare;
  llvm::Function *function = nullptr;
  llvm::Value *count = nullptr;
  /// Of a folded plan.
  llvm::PHINode *row = nullptr;
  /// How many elements the main loop takes care of.
  llvm::Value *whole = nullptr;
  /// Of the main loop.
  llvm::PHINode *index = nullptr;
  /// Where the main loop begins, if it has a second body.
  llvm::PHINode *start = nullptr;
  /// Where the tail begins and ends, if it is the second body as well.
  llvm::PHINode *from = nullptr, *to = nullptr;
  llvm::BasicBlock *loop = nullptr, *tailCheck = nullptr, *tailEntry = nullptr;
  /// Outputs that are stored are apart from those that are reduced.
  std::vector<LoopArgument> outputs, inputs, parameters;
  /// By input, and by output that is stored, how many bytes further on it is
  /// fetched; null where it is not.
  Values ahead, aheadOfStores;
  std::vector<LoopStates> states;
  /// Those of `states` that the main loop holds, one vector of lanes after the
  /// other, at the beginning of a step and as it has them by now.
  std::vector<StateParts> heldBefore, held;
  /// Of a step of the main loop, what reductions that choose an element have
  /// chosen before a state takes it.
  std::vector<StateParts> chosen;
  /// Where the main loop begins, of a folded plan.
  std::vector<StateParts> opened;
  /// Where a folded plan has what it holds folded, from the block before.
  llvm::BasicBlock *fold = nullptr, *closing = nullptr;
  /// By input, the elements of rows in lanes at a position.
  std::map<std::uint32_t, llvm::SmallVector<llvm::Value *>> columns;
  /// The values that are the same for every element; null for others.
  Values invariant;
  /// Of rows that are taken whole, the values that each element has, and the
  /// vectors of each input that is a row of all.
  std::vector<bool> isOfElements;
  std::vector<llvm::SmallVector<llvm::Value *>> rowsOfAll;
  /// Of rows that are taken in parts.
  std::optional<semantics::RowParts> parts;
  /// What is kept of a step by value, and states of lanes by part.
  std::map<std::pair<semantics::ValueId, unsigned>, llvm::AllocaInst *> stack;
  /// Where rows overlap, the results of the first sweep over the row of a step.
  std::vector<llvm::PHINode *> carried;
  /// Along rows, the states of lanes by fold, vector by vector.
  std::map<semantics::ValueId, llvm::SmallVector<StateParts>> statesOfRow;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_KERNELBUILDER_H
