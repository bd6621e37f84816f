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

/// Measures `steps` steps, after as many have filled the pipeline.
class Observer final : public mca::HWEventListener {
public:
  Observer(std::size_t stepSize, unsigned steps)
      : busy(stepSize), begin(stepSize * steps), end(2 * begin) {}

  void onCycleEnd() override { ++cycle; }
  void onEvent(const mca::HWInstructionEvent &event) override;
  /// From the end of the instruction before to that of the last.
  unsigned cycles() const { return last - first; }

  /// Cycles of each unit of each resource, for each instruction of a step.
  std::vector<std::map<mca::ResourceRef, double>> busy;

private:
  std::size_t begin, end;
  unsigned cycle = 0, first = 0, last = 0;
};

/// A loop as the model sees it.
class Simulation {
public:
  Simulation(const llvm::TargetMachine &machine,
             llvm::MutableArrayRef<LoopInstruction> code)
      : code(code), subtarget(*machine.getMCSubtargetInfo()),
        info(*machine.getMCInstrInfo()),
        registers(*machine.getMCRegisterInfo()),
        analysis(machine.getTarget().createMCInstrAnalysis(&info)),
        instruments(subtarget, info),
        builder(subtarget, info, registers, analysis.get(), instruments,
                CallLatency) {}

  std::optional<LoopPrediction>
  predict(llvm::ArrayRef<RecordedInstruction> loop);

private:
  // Nothing is called, so it does not matter.
  static constexpr unsigned CallLatency = 100;

  void read(llvm::ArrayRef<RecordedInstruction> loop);
  void run();
  void noteUnits(const Observer &observer, unsigned steps);

  llvm::MutableArrayRef<LoopInstruction> code;

  const llvm::MCSubtargetInfo &subtarget;
  const llvm::MCInstrInfo &info;
  const llvm::MCRegisterInfo &registers;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  mca::InstrumentManager instruments;
  // It owns what the instructions refer to.
  mca::InstrBuilder builder;
  std::vector<std::unique_ptr<mca::Instruction>> step;
  /// Which of the loop's instructions each of the step is.
  std::vector<std::size_t> known;
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
      busy[index % busy.size()][unit] += cycles;
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
void Simulation::read(llvm::ArrayRef<RecordedInstruction> loop) {
  for (std::size_t i = 0; i < loop.size(); ++i) {
    auto made = builder.createInstruction(loop[i].instruction, {});
    if (!made) {
      llvm::consumeError(made.takeError());
      ++prediction.unknown;
      continue;
    }
    code[i].microOps = (*made)->getNumMicroOps();
    code[i].latency = (*made)->getLatency();
    prediction.microOps += code[i].microOps;
    known.push_back(i);
    step.push_back(std::move(*made));
  }
}

/// What keeps which unit busy, and the units in the order of how much they are.
void Simulation::noteUnits(const Observer &observer, unsigned steps) {
  std::map<mca::ResourceRef, double> busy;
  for (const auto &uses : observer.busy)
    for (const auto &[unit, cycles] : uses)
      busy[unit] += cycles;
  std::vector<std::pair<mca::ResourceRef, double>> units(busy.begin(),
                                                         busy.end());
  std::stable_sort(
      units.begin(), units.end(),
      [](const auto &a, const auto &b) { return a.second > b.second; });
  std::map<mca::ResourceRef, unsigned> positions;
  for (const auto &[unit, cycles] : units) {
    positions[unit] = static_cast<unsigned>(prediction.units.size());
    prediction.units.push_back(
        {nameOf(subtarget.getSchedModel(), unit), cycles / steps});
  }
  for (std::size_t i = 0; i < step.size(); ++i)
    for (const auto &[unit, cycles] : observer.busy[i])
      code[known[i]].units.push_back({positions[unit], cycles / steps});
}

void Simulation::run() {
  // Enough for a pattern over several steps to even out. Before and behind
  // them there are as many again, while the pipeline fills and drains.
  constexpr std::size_t enough = 4096;
  const std::size_t fewest = step.size() < enough ? 16 : 4;
  const auto steps =
      static_cast<unsigned>(std::max(fewest, enough / step.size()));
  mca::CircularSourceMgr source(step, 3 * steps);
  mca::CustomBehaviour behaviour(subtarget, source, info);
  mca::Context context(registers, subtarget);
  const mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
  auto pipeline = context.createDefaultPipeline(options, source, behaviour);
  Observer observer(step.size(), steps);
  pipeline->addEventListener(&observer);
  llvm::cantFail(pipeline->run());

  prediction.cycles = static_cast<double>(observer.cycles()) / steps;
  noteUnits(observer, steps);
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
Simulation::predict(llvm::ArrayRef<RecordedInstruction> loop) {
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
  for (std::size_t i = 0; i < step.size(); ++i)
    code[known[i]].chain = chain.parts[i];
  run();
  return prediction;
}

std::optional<LoopPrediction>
codegen::simulate(llvm::ArrayRef<RecordedInstruction> loop,
                  const llvm::TargetMachine &machine,
                  llvm::MutableArrayRef<LoopInstruction> code) {
  return Simulation(machine, code).predict(loop);
}
