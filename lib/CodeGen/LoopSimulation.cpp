//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopSimulation.h"

#include "CodeGen/LoopChain.h"

#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>

#include <algorithm>
#include <map>

using namespace kexpr;
using namespace kexpr::codegen;
namespace mca = llvm::mca;

namespace {

/// Notes when instructions `begin` to `end` leave the pipeline, and what they
/// keep busy.
class Observer final : public mca::HWEventListener {
public:
  Observer(std::size_t begin, std::size_t end) : begin(begin), end(end) {}

  void onCycleEnd() override { ++cycle; }
  void onEvent(const mca::HWInstructionEvent &event) override;
  /// From the end of the instruction before to that of the last.
  unsigned cycles() const { return last - first; }

  /// Cycles of each unit of each resource.
  std::map<mca::ResourceRef, double> busy;

private:
  std::size_t begin, end;
  unsigned cycle = 0, first = 0, last = 0;
};

/// A loop as the model sees it.
class Simulation {
public:
  explicit Simulation(const llvm::TargetMachine &machine)
      : subtarget(*machine.getMCSubtargetInfo()),
        info(*machine.getMCInstrInfo()),
        registers(*machine.getMCRegisterInfo()),
        analysis(machine.getTarget().createMCInstrAnalysis(&info)),
        instruments(subtarget, info),
        builder(subtarget, info, registers, analysis.get(), instruments,
                CallLatency) {}

  std::optional<LoopPrediction> predict(llvm::ArrayRef<llvm::MCInst> loop);

private:
  // Nothing is called, so it does not matter.
  static constexpr unsigned CallLatency = 100;

  void read(llvm::ArrayRef<llvm::MCInst> loop);
  void run();

  const llvm::MCSubtargetInfo &subtarget;
  const llvm::MCInstrInfo &info;
  const llvm::MCRegisterInfo &registers;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  mca::InstrumentManager instruments;
  // It owns what the instructions refer to.
  mca::InstrBuilder builder;
  std::vector<std::unique_ptr<mca::Instruction>> step;
  LoopPrediction prediction;
};

} // namespace

void Observer::onEvent(const mca::HWInstructionEvent &event) {
  const std::size_t index = event.IR.getSourceIndex();
  if (event.Type == mca::HWInstructionEvent::Retired) {
    if (index + 1 == begin)
      first = cycle;
    if (index + 1 == end)
      last = cycle;
  }
  if (event.Type == mca::HWInstructionEvent::Issued && index >= begin &&
      index < end)
    for (const auto &[unit, cycles] :
         static_cast<const mca::HWInstructionIssuedEvent &>(event)
             .UsedResources)
      busy[unit] += cycles;
}

/// "Zn3FP" and "1" as "Zn3FP.1"; the name alone where there is one unit of it.
static std::string nameOf(const llvm::MCSchedModel &model,
                          const mca::ResourceRef &unit) {
  const llvm::MCProcResourceDesc &resource =
      *model.getProcResource(static_cast<unsigned>(unit.first));
  std::string name = resource.Name;
  if (resource.NumUnits > 1)
    name += "." + std::to_string(llvm::countr_zero(unit.second));
  return name;
}

/// Keeps the instructions that the model knows.
void Simulation::read(llvm::ArrayRef<llvm::MCInst> loop) {
  for (const llvm::MCInst &instruction : loop) {
    auto made = builder.createInstruction(instruction, {});
    if (made) {
      prediction.microOps += (*made)->getNumMicroOps();
      step.push_back(std::move(*made));
    } else {
      llvm::consumeError(made.takeError());
      ++prediction.unknown;
    }
  }
}

void Simulation::run() {
  // Enough for a pattern over several steps to even out. Before and behind
  // them there are as many again, while the pipeline fills and drains.
  constexpr std::size_t enough = 4096;
  const std::size_t fewest = step.size() < enough ? 16 : 4;
  const auto steps =
      static_cast<unsigned>(std::max(fewest, enough / step.size()));
  const std::size_t size = step.size() * steps;
  mca::CircularSourceMgr source(step, 3 * steps);
  mca::CustomBehaviour behaviour(subtarget, source, info);
  mca::Context context(registers, subtarget);
  const mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
  auto pipeline = context.createDefaultPipeline(options, source, behaviour);
  Observer observer(size, 2 * size);
  pipeline->addEventListener(&observer);
  llvm::cantFail(pipeline->run());

  prediction.cycles = static_cast<double>(observer.cycles()) / steps;
  for (const auto &[unit, cycles] : observer.busy)
    prediction.units.push_back(
        {nameOf(subtarget.getSchedModel(), unit), cycles / steps});
  std::stable_sort(prediction.units.begin(), prediction.units.end(),
                   [](const UnitPressure &a, const UnitPressure &b) {
                     return a.cycles > b.cycles;
                   });
}

/// Those of the other CPUs that have this one's model.
static std::vector<std::string>
namesOfModel(const llvm::MCSubtargetInfo &subtarget) {
  const auto all = subtarget.getAllProcessorDescriptions();
  const auto *own = llvm::find_if(
      all, [&](const auto &entry) { return entry.Key == subtarget.getCPU(); });
  std::vector<std::string> names;
  for (const auto &entry : all)
    if (own != all.end() && &entry != own &&
        entry.SchedModel == own->SchedModel)
      names.emplace_back(entry.Key);
  return names;
}

std::optional<LoopPrediction>
Simulation::predict(llvm::ArrayRef<llvm::MCInst> loop) {
  const llvm::MCSchedModel &model = subtarget.getSchedModel();
  if (!model.hasInstrSchedModel())
    return {};
  prediction.alsoOf = namesOfModel(subtarget);
  prediction.issueWidth = model.IssueWidth;
  prediction.window = model.MicroOpBufferSize;
  read(loop);
  if (step.empty())
    return {};
  const LoopChain chain =
      measureChain(step, subtarget, registers, prediction.window);
  prediction.chain = chain.whole;
  prediction.carried = chain.carried;
  prediction.windowed = chain.windowed;
  run();
  return prediction;
}

std::optional<LoopPrediction>
codegen::simulate(llvm::ArrayRef<llvm::MCInst> loop,
                  const llvm::TargetMachine &machine) {
  return Simulation(machine).predict(loop);
}
