//===- CodeGen/LoopReport.h - What a main loop is made of -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The main loop of a kernel as plain numbers, and what LLVM's scheduling model
/// of the CPU predicts of it. A step is one turn of the loop.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPREPORT_H
#define KEXPR_CODEGEN_LOOPREPORT_H

#include "CodeGen/CodeGen.h"
#include "Support/SourceLocation.h"

#include <optional>

namespace kexpr::codegen {

/// An execution unit, as the model names it.
struct UnitPressure {
  std::string unit;
  double cycles = 0; ///< How long a step keeps it busy.
};

/// A simulation of many steps whose data are in the first-level cache and whose
/// branches are foreseen. Fetching and decoding are not simulated, nor that a
/// load may have to wait for a store.
struct LoopPrediction {
  /// Other CPUs that LLVM describes by the same model: one of them may be the
  /// CPU that was modelled.
  std::vector<std::string> alsoOf;
  /// From the end of one step to that of the next.
  double cycles = 0;
  unsigned microOps = 0;   ///< Of a step.
  unsigned issueWidth = 0; ///< Micro-operations a cycle at most.
  /// Micro-operations under way at most; 0 for a core that works in order.
  unsigned window = 0;
  /// From what a step loads to what it stores, with everything else at once.
  double chain = 0;
  /// Lower bound of a step: its longest dependence on the step before.
  double carried = 0;
  /// What steps take because no more micro-operations are under way than fit
  /// the window, or because instructions begin in order.
  double windowed = 0;
  /// Units that a step keeps busy, the busiest first. Where an instruction has
  /// a choice of units, this is what the simulation chose.
  std::vector<UnitPressure> units;
  /// Instructions that the model does not know. They are left out.
  unsigned unknown = 0;
};

/// How long an instruction keeps a unit busy.
struct UnitUse {
  unsigned unit = 0; ///< Position in `LoopPrediction::units`.
  double cycles = 0; ///< Of a step, on average.
};

/// An instruction of the main loop.
struct LoopInstruction {
  /// In `Plan::listing`; none if the plan has none.
  SourceLocation location;
  bool loads = false, stores = false;
  /// Whether what it loads is a constant of the code.
  bool loadsConstant = false;
  /// Whether it loads from the stack or stores to it.
  bool spills = false;
  /// Vector registers that hold, when it is done, what the loop still needs.
  unsigned live = 0;
  // What follows is as predicted, and zero where the model does not know it.
  unsigned microOps = 0, latency = 0;
  /// Cycles it adds to `LoopPrediction::chain`; 0 off the longest chain.
  unsigned chain = 0;
  std::vector<UnitUse> units;
};

struct LoopReport {
  unsigned vectorBits = 0;
  unsigned lanes = 0; ///< Elements of a vector.
  /// Vectors that a step computes.
  unsigned unrollFactor = 0;
  /// Steps that overlap in an iteration; see SoftwarePipeline.h.
  unsigned stages = 1;
  /// Of a step. An instruction that does a load or a store besides other things
  /// counts as one.
  unsigned instructions = 0, loads = 0, stores = 0;
  /// Loads and stores of them that go to the stack: values that no register was
  /// left for.
  unsigned spills = 0;
  /// Registers that the loop names, and how many vector registers there are.
  unsigned vectorRegisters = 0, generalRegisters = 0, allVectorRegisters = 0;
  /// None where LLVM has no scheduling model of the CPU.
  std::optional<LoopPrediction> prediction;
  /// The instructions of a step, in order.
  std::vector<LoopInstruction> code;

  unsigned elements() const { return lanes * unrollFactor; }
};

/// Generates code and looks at its main loop. CompileFailed if there is none.
Expected<LoopReport> reportLoop(const semantics::Plan &plan,
                                const Target &target, OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPREPORT_H
