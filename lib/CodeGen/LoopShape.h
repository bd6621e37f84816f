//===- CodeGen/LoopShape.h - How much a loop does in one step -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPSHAPE_H
#define KEXPR_CODEGEN_LOOPSHAPE_H

#include "CodeGen/CodeGen.h"

namespace kexpr::codegen {

/// How many vectors a step of the main loop computes.
unsigned unrollFactorOf(const semantics::Plan &plan, const Target &target,
                        OptLevel level);
/// Whether the main loop has the states of reductions in registers: all of
/// them, of lanes. Its step is then of all lanes, once or more often, or of one
/// vector, for which the states of the next ones move up.
bool holdsStates(const semantics::Plan &plan, const Target &target,
                 OptLevel level);
/// Whether what a loop is the first to read is fetched a page further on: where
/// nothing else looks so far, or computing leaves the time for it.
bool fetchesPages(const semantics::Plan &plan, const Target &target);
/// How many bytes further on a loop fetches rows that it takes whole, or 0.
std::uint64_t bytesAheadOfRows(const semantics::Plan &plan,
                               const Target &target, OptLevel level);
/// How many vectors of so many lanes a row has.
inline unsigned vectorsOfRow(const semantics::Plan &plan, unsigned lanes) {
  return (plan.rowLength + lanes - 1) / lanes;
}
/// How many elements of a row a step of a sweep has that takes it in parts: one
/// for each lane of its states along it, else a divisor of these.
inline unsigned elementsOfPart(const semantics::Plan &plan) {
  constexpr unsigned lanes = ops::ReductionLanes, ofColumns = 8;
  return plan.isAlongRows ? lanes : ofColumns;
}
/// How many rows a step takes where vectors go along them: a power of two, and
/// at most as many as a vector has lanes.
unsigned rowsAtOnce(const semantics::Plan &plan, const Target &target,
                    OptLevel level);
/// Whether a loop that takes rows whole, one in each lane, computes all of an
/// element before the next one: values of all of them would wait on the stack,
/// which may be small.
bool takesElementsInTurn(const semantics::Plan &plan, const Target &target);
/// Whether a loop may have more in flight than there are registers.
bool maySpill(const semantics::Plan &plan, OptLevel level);
/// Whether a main loop has constants in registers, which LLVM would otherwise
/// load again in each step: where loads are few, and beside states.
bool holdsConstants(const semantics::Plan &plan, const Target &target,
                    OptLevel level);
/// Whether a main loop has constants in memory, where its instructions find
/// them: of few registers, those that a long body broadcasts are too many.
bool foldsConstants(const semantics::Plan &plan, const Target &target,
                    OptLevel level);
/// How many stages overlap in a main loop, at least 1; see SoftwarePipeline.h.
unsigned stagesOf(const semantics::Plan &plan, const Target &target,
                  OptLevel level);
/// Whether elements that a step takes at once begin one after the other instead
/// of each behind the whole chain of the one before; see SoftwarePipeline.h.
bool staggersElements(const semantics::Plan &plan, const Target &target,
                      OptLevel level);
/// Whether a quotient by one value of a loop is better found by products.
bool replacesDivisions(const semantics::Plan &plan, OptLevel level);
/// So many vectors are worth the time until all stages have work.
unsigned fewestVectorsOf(const semantics::Plan &plan, const Target &target,
                         OptLevel level);
/// Elements of a vector.
unsigned lanesOf(const semantics::Plan &plan, const Target &target);
/// Whether formulas compute in 64 bits.
bool computesWide(const semantics::Plan &plan);
/// Elements of a vector of the tail, if it computes f32 in double lanes.
unsigned tailLanesOf(const semantics::Plan &plan, const Target &target);

/// Whether states of a reduction take, as f64, the f32 that the next output
/// keeps sooner from there: two vectors of AVX-512 that are made of one. What
/// streams keeps them from the beginning of a line on; elsewhere loads of parts
/// of two lines would wait for both.
bool takesKept(const semantics::Plan &plan, const Target &target,
               OptLevel level, std::size_t reduced);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPSHAPE_H
