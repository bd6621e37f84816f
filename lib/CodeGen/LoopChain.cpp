//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopChain.h"

#include <algorithm>
#include <limits>
#include <vector>

using namespace kexpr;
using namespace kexpr::codegen;

namespace {

/// When registers have their values.
class Clock {
public:
  Clock(const llvm::MCSubtargetInfo &subtarget,
        const llvm::MCRegisterInfo &registers)
      : subtarget(subtarget), registers(registers),
        units(registers.getNumRegUnits()) {}

  /// Begins an instruction when its registers are there, but not before
  /// `earliest`; gives the cycle in which it does.
  int execute(const llvm::mca::Instruction &instruction, int earliest);

private:
  /// A register or the part of one that others share.
  struct Unit {
    int ready = 0;
    /// What wrote it, for models in which a value is sooner in some places.
    unsigned writer = 0;
  };
  int readyFor(const llvm::mca::ReadState &use) const;

  const llvm::MCSubtargetInfo &subtarget;
  const llvm::MCRegisterInfo &registers;
  std::vector<Unit> units;
};

/// In which cycle instructions may begin, at most `window` micro-operations
/// being under way; in order if that is 0.
class Window {
public:
  explicit Window(unsigned window) : window(window) {}

  int earliest() const {
    if (window == 0)
      return last;
    return left.size() < window ? 0 : left[left.size() - window];
  }
  void add(int begin, const llvm::mca::Instruction &instruction) {
    const int end = begin + static_cast<int>(instruction.getLatency());
    last = window == 0 ? begin : std::max(last, end);
    left.insert(left.end(), instruction.getNumMicroOps(), last);
  }

private:
  unsigned window;
  /// When the last instruction began or, out of order, left.
  int last = 0;
  /// When each micro-operation left.
  std::vector<int> left;
};

} // namespace

int Clock::readyFor(const llvm::mca::ReadState &use) const {
  const auto *schedClass =
      subtarget.getSchedModel().getSchedClassDesc(use.getSchedClass());
  int ready = 0;
  for (const auto unit : registers.regunits(use.getRegisterID()))
    ready = std::max(ready, units[unit].ready -
                                subtarget.getReadAdvanceCycles(
                                    schedClass, use.getDescriptor().UseIndex,
                                    units[unit].writer));
  return ready;
}

int Clock::execute(const llvm::mca::Instruction &instruction, int earliest) {
  int begin = earliest;
  for (const llvm::mca::ReadState &use : instruction.getUses())
    if (use.getRegisterID() && !use.isIndependentFromDef())
      begin = std::max(begin, readyFor(use));
  for (const llvm::mca::WriteState &def : instruction.getDefs())
    if (def.getRegisterID())
      for (const auto unit : registers.regunits(def.getRegisterID()))
        units[unit] = {begin + static_cast<int>(def.getLatency()),
                       def.getWriteResourceID()};
  return begin;
}

LoopChain codegen::measureChain(
    llvm::ArrayRef<std::unique_ptr<llvm::mca::Instruction>> step,
    const llvm::MCSubtargetInfo &subtarget,
    const llvm::MCRegisterInfo &registers, unsigned window) {
  // The first steps fill the window.
  constexpr int warm = 64, timed = 64;
  LoopChain chain;
  auto timeSteps = [&](Window limit) {
    Clock clock(subtarget, registers);
    int end = 0, middle = 0;
    for (int i = 0; i < warm + timed; ++i) {
      for (const auto &instruction : step) {
        const int begin = clock.execute(*instruction, limit.earliest());
        limit.add(begin, *instruction);
        end =
            std::max(end, begin + static_cast<int>(instruction->getLatency()));
      }
      if (i == 0)
        chain.whole = end;
      if (i == warm - 1)
        middle = end;
    }
    return static_cast<double>(end - middle) / timed;
  };
  chain.windowed = timeSteps(Window(window));
  chain.carried = timeSteps(Window(std::numeric_limits<unsigned>::max()));
  return chain;
}
