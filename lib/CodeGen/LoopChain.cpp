//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopChain.h"

#include "CodeGen/LlvmVersion.h"

#include <algorithm>
#include <limits>
#include <vector>

using namespace kexpr;
using namespace kexpr::codegen;

static int latencyOf(const llvm::mca::Instruction &instruction) {
  return static_cast<int>(instruction.getLatency());
}

namespace {

/// When an instruction begins, and what it waits for: the one before it in its
/// chain, or none.
struct Start {
  int cycle = 0;
  int after = -1;
  /// When the value that it waits for is there. That may be later than `cycle`:
  /// many models read an operand some cycles after the instruction began.
  int since = 0;
};

/// When registers have their values.
class Clock {
public:
  Clock(const llvm::MCSubtargetInfo &subtarget,
        const llvm::MCRegisterInfo &registers)
      : subtarget(subtarget), registers(registers),
        units(registers.getNumRegUnits()) {}

  /// Begins an instruction when its registers are there, but not before
  /// `earliest`. `index` is what others will have waited for.
  Start execute(const llvm::mca::Instruction &instruction, int index,
                int earliest);

private:
  /// A register or the part of one that others share.
  struct Unit {
    int ready = 0;
    /// Resource that wrote it: models forward values sooner to some readers.
    unsigned writer = 0;
    int index = -1; ///< The instruction that wrote it.
  };
  Start readyFor(const llvm::mca::ReadState &use) const;
  void write(llvm::MCRegister reg, const llvm::mca::WriteState &def, int cycle,
             int index);

  const llvm::MCSubtargetInfo &subtarget;
  const llvm::MCRegisterInfo &registers;
  std::vector<Unit> units;
};

/// When instructions may begin: at most `window` micro-operations are under
/// way, or if that is 0, instructions begin in order.
class ReorderBuffer {
public:
  explicit ReorderBuffer(unsigned window) : window(window) {}

  int earliest() const {
    if (window == 0)
      return last;
    return left.size() < window ? 0 : left[left.size() - window];
  }
  void add(int begin, const llvm::mca::Instruction &instruction) {
    const int end = begin + latencyOf(instruction);
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

/// When, and for which instruction's sake.
Start Clock::readyFor(const llvm::mca::ReadState &use) const {
  const auto *schedClass =
      subtarget.getSchedModel().getSchedClassDesc(use.getSchedClass());
  Start ready;
  for (const auto id : registers.regunits(use.getRegisterID())) {
    const Unit &unit = units[numberOf(id)];
    const int cycle =
        unit.ready - subtarget.getReadAdvanceCycles(
                         schedClass, use.getDescriptor().UseIndex, unit.writer);
    if (cycle > ready.cycle)
      ready = {cycle, unit.index, unit.ready};
  }
  return ready;
}

void Clock::write(llvm::MCRegister reg, const llvm::mca::WriteState &def,
                  int cycle, int index) {
  for (const auto unit : registers.regunits(reg))
    units[numberOf(unit)] = {cycle + static_cast<int>(def.getLatency()),
                             def.getWriteResourceID(), index};
}

Start Clock::execute(const llvm::mca::Instruction &instruction, int index,
                     int earliest) {
  Start start{earliest, -1, earliest};
  for (const llvm::mca::ReadState &use : instruction.getUses())
    if (use.getRegisterID() && !use.isIndependentFromDef())
      if (const Start ready = readyFor(use); ready.cycle > start.cycle)
        start = ready;
  for (const llvm::mca::WriteState &def : instruction.getDefs())
    if (const llvm::MCRegister reg = def.getRegisterID()) {
      write(reg, def, start.cycle, index);
      if (def.clearsSuperRegisters())
        for (const llvm::MCPhysReg whole : registers.superregs(reg))
          if (!llvm::StringRef(registers.getName(whole)).contains('_'))
            write(whole, def, start.cycle, index); // No tuple, as Q0_Q1 is.
    }
  return start;
}

using Step = llvm::ArrayRef<std::unique_ptr<llvm::mca::Instruction>>;

/// Cycles that each instruction adds to the longest chain of one step.
static std::vector<unsigned> partsOf(Step step, Clock clock) {
  std::vector<Start> starts;
  int end = 0, last = -1;
  for (const auto &instruction : step) {
    const auto index = static_cast<int>(starts.size());
    starts.push_back(clock.execute(*instruction, index, 0));
    const int done = starts.back().cycle + latencyOf(*instruction);
    if (done > end) {
      end = done;
      last = index;
    }
  }
  std::vector<unsigned> parts(step.size());
  while (last >= 0) {
    const Start &start = starts[static_cast<std::size_t>(last)];
    const int since = std::min(start.since, end);
    parts[static_cast<std::size_t>(last)] = static_cast<unsigned>(end - since);
    end = since;
    last = start.after;
  }
  return parts;
}

LoopChain codegen::measureChain(Step step,
                                const llvm::MCSubtargetInfo &subtarget,
                                const llvm::MCRegisterInfo &registers,
                                unsigned window) {
  // The first steps fill the window.
  constexpr int warm = 64, timed = 64;
  LoopChain chain;
  auto timeSteps = [&](ReorderBuffer limit) {
    Clock clock(subtarget, registers);
    int end = 0, middle = 0;
    for (int i = 0; i < warm + timed; ++i) {
      for (const auto &instruction : step) {
        const int begin =
            clock.execute(*instruction, -1, limit.earliest()).cycle;
        limit.add(begin, *instruction);
        end = std::max(end, begin + latencyOf(*instruction));
      }
      if (i == 0)
        chain.whole = end;
      if (i == warm - 1)
        middle = end;
    }
    return static_cast<double>(end - middle) / timed;
  };
  chain.windowed = timeSteps(ReorderBuffer(window));
  chain.carried =
      timeSteps(ReorderBuffer(std::numeric_limits<unsigned>::max()));
  chain.parts = partsOf(step, Clock(subtarget, registers));
  return chain;
}
