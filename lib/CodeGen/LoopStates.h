//===- CodeGen/LoopStates.h - States of reductions in a loop --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPSTATES_H
#define KEXPR_CODEGEN_LOOPSTATES_H

#include "CodeGen/LoopArgument.h"

namespace kexpr::codegen {

/// As many states as a vector has lanes: a vector of each part.
using StateParts = llvm::SmallVector<llvm::Value *, 3>;
/// Where these are in memory.
using StateAddresses = llvm::SmallVector<llvm::Value *, 3>;

/// The states of an output of a `LoopFn` that is reduced. In memory there are
/// states for whole vectors, also where fewer elements exist.
class LoopStates {
public:
  /// Emits what every access shares; see LoopArgument.
  LoopStates(const LaneBuilder &lanes, const semantics::Access &access,
             const LoopArrays &arrays, unsigned number, std::string name);

  /// Whether `ReductionLanes` states take the elements in turn, as opposed to a
  /// state for each.
  bool isInLanes() const {
    return access.pattern != semantics::AccessPattern::Contiguous;
  }
  /// Whether these states are the loop's own, and become one in the end.
  bool isFolded() const {
    return access.pattern == semantics::AccessPattern::Strided;
  }
  /// Makes memory for the loop's own states.
  void open(const LaneBuilder &lanes);
  /// States of no elements.
  StateParts identity(const LaneBuilder &lanes) const;
  /// Makes the loop's own ones these in memory.
  void reset(const LaneBuilder &lanes) const;
  /// Folds own states, vector by vector, and stores the state they become.
  void close(const LaneBuilder &lanes,
             llvm::MutableArrayRef<StateParts> vectors) const;
  /// Where they begin.
  const llvm::Value *base() const { return pointer; }
  /// Whether a state is one of the elements, and steps may be done in any order
  /// of brackets.
  bool chooses() const;
  /// The name of the reduction.
  std::string_view reduction() const;

  /// Of the states that take the elements from `index` on.
  StateAddresses addresses(const LaneBuilder &lanes, llvm::Value *index) const;
  StateParts load(const LaneBuilder &lanes, const StateAddresses &from) const;
  void store(const LaneBuilder &lanes, const StateAddresses &to,
             const StateParts &state) const;
  /// The states after an element more in each.
  StateParts step(const LaneBuilder &lanes, StateParts state,
                  llvm::Value *elements) const;
  /// Has states in memory take their elements of several rows; those of lanes
  /// that do not exist stay.
  void take(const LaneBuilder &lanes, const Position &at,
            llvm::ArrayRef<llvm::Value *> elements) const;

private:
  std::string name;
  semantics::Access access;
  llvm::Type *type; ///< Of a part.
  llvm::Value *pointer;
  llvm::Value *stride; ///< Bytes from part to part.
  /// Of the state that own ones become.
  llvm::Value *result = nullptr, *resultStride = nullptr;
};

/// A mask of the lanes below a number.
llvm::Value *lanesBelow(const LaneBuilder &lanes, unsigned number);
/// The results of a reduction of rows, a lane each, from their elements;
/// `count` of these count.
llvm::Value *emitFold(const LaneBuilder &lanes,
                      const semantics::Reducing &reducing,
                      llvm::ArrayRef<llvm::Value *> elements,
                      std::int64_t count);
/// The same in parts: states of no elements, such states after an element more
/// in each, states of all lanes from those of vectors of them, one state from
/// lanes or from blocks, and the result.
StateParts emitIdentity(const LaneBuilder &lanes,
                        const semantics::Reducing &reducing);
void emitStep(const LaneBuilder &lanes, const semantics::Reducing &reducing,
              StateParts &state, llvm::Value *elements);
StateParts emitFoldVectors(const LaneBuilder &lanes,
                           const semantics::Reducing &reducing,
                           llvm::ArrayRef<StateParts> states);
StateParts emitFoldLanes(const LaneBuilder &lanes,
                         const semantics::Reducing &reducing,
                         const StateParts &state);
StateParts emitTree(const LaneBuilder &lanes,
                    const semantics::Reducing &reducing,
                    llvm::ArrayRef<StateParts> blocks);
llvm::Value *emitFinish(const LaneBuilder &lanes,
                        const semantics::Reducing &reducing,
                        const StateParts &state, std::int64_t count);
/// Of vectors of elements that follow each other, row by row; `left`
/// are in the last vector of a row. Rows are a power of two, and at most as
/// many as a vector has lanes.
llvm::Value *emitFoldAlong(LaneBuilder &lanes,
                           const semantics::Reducing &reducing,
                           llvm::ArrayRef<llvm::Value *> elements,
                           unsigned rows, unsigned left, std::int64_t count);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPSTATES_H
