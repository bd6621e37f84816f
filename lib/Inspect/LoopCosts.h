//===- Inspect/LoopCosts.h - What operators cost of a loop ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INSPECT_LOOPCOSTS_H
#define KEXPR_INSPECT_LOOPCOSTS_H

#include "CodeGen/LoopReport.h"

#include <string>
#include <vector>

namespace kexpr::inspect {

/// What a loop waits for most, as far as it is predicted.
struct Limit {
  enum class Kind : std::uint8_t {
    Unknown, ///< There is no prediction: costs are instructions.
    Units,   ///< Costs are cycles of `units`, on average.
    Issue,   ///< Costs are micro-operations over how many can begin a cycle.
    Carried, ///< The same, as what is carried belongs to the loop itself.
    Window,  ///< Costs are cycles of the longest chain, as for `Order`.
    Order,
  };
  Kind kind = Kind::Unknown;
  /// Of a step.
  double cycles = 0;
  /// Positions in `LoopPrediction::units` of those that are about as busy as
  /// the busiest.
  std::vector<unsigned> units;
  /// Whether those units serve loads and stores alone.
  bool isMemory = false;
};

/// All but `isMemory`.
Limit limitOf(const codegen::LoopReport &report);

/// Cycles of an instruction on the units of the limit, on average.
double unitCycles(const codegen::LoopInstruction &instruction,
                  const Limit &limit);

/// What an instruction takes of the limit.
double costOf(const codegen::LoopInstruction &instruction, const Limit &limit,
              const codegen::LoopReport &report);

/// "sin 24.0 (43 instructions), cos 18.5 (29)": the operators that take most;
/// empty without a listing or a prediction.
std::string operatorsText(const semantics::Plan &plan,
                          const codegen::LoopReport &report);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_LOOPCOSTS_H
