//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Walk.h"

#include "Ulp/Block.h"
#include "Ulp/Chunks.h"

#include <algorithm>
#include <mutex>

using namespace kexpr;
using namespace kexpr::tools;

namespace {

/// The references of one input, each asked at most once.
class References {
public:
  explicit References(const Subject &subject, bool isQuick)
      : subject(subject), isQuick(isQuick), quick(subject.outputs),
        exact(subject.outputs) {}

  void start(std::span<const double> input) {
    arguments = input;
    isSettled = false;
    if (isQuick)
      subject.quick(arguments, quick);
  }
  double quickOf(std::size_t output) const { return quick[output]; }
  const Real &exactOf(std::size_t output) {
    if (!isSettled)
      settle(subject, arguments, exact);
    isSettled = true;
    return exact[output];
  }

private:
  const Subject &subject;
  const bool isQuick;
  std::span<const double> arguments;
  std::vector<double> quick;
  std::vector<Real> exact;
  bool isSettled = false;
};

/// What one thread does.
class Worker {
public:
  Worker(const Subject &subject, std::span<const KernelSet> sets,
         const Inputs &inputs, const Trust &trust)
      : subject(subject), sets(sets), inputs(inputs), trust(trust),
        references(subject, trust.any()) {
    for (const KernelSet &set : sets) {
      blocks.emplace_back(set, subject);
      common.emplace_back(subject.outputs);
      own.emplace_back(subject.outputs, std::vector<Tally>(set.kernels.size()));
    }
  }

  Status run(std::uint64_t first, std::size_t count);
  void addTo(Tallies &tallies) const;

private:
  bool canScan() const;
  void scanAll(std::uint64_t first, std::size_t count);
  void look(std::uint64_t index, std::size_t i);
  Verdict verdictOn(double got, std::size_t output, double record);

  const Subject &subject;
  std::span<const KernelSet> sets;
  const Inputs &inputs;
  const Trust &trust;
  References references;
  std::vector<double> arguments;
  std::vector<std::size_t> left;
  Columns columns;
  std::vector<Block> blocks;
  /// Of results that all kernels of a set share: for each set and output.
  std::vector<std::vector<Tally>> common;
  /// Of results on which they differ.
  Tallies own;
};

} // namespace

Status Worker::run(std::uint64_t first, std::size_t count) {
  arguments.resize(subject.operands());
  columns.resize(subject.type, subject.operands(), count);
  for (std::size_t i = 0; i < count; ++i) {
    inputs.at(first + i, arguments);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      columns.set(k, i, arguments[k]);
  }
  for (Block &block : blocks)
    if (auto status = block.compute(columns); !status)
      return status;
  if (canScan())
    scanAll(first, count);
  else
    for (std::size_t i = 0; i < count; ++i)
      look(first + i, i);
  return {};
}

bool Worker::canScan() const {
  auto isShared = [](const Block &block) { return block.isAllShared(); };
  return subject.scanned && trust.any() &&
         std::all_of(blocks.begin(), blocks.end(), isShared);
}

void Worker::scanAll(std::uint64_t first, std::size_t count) {
  std::vector<const float *> results;
  for (const Block &block : blocks)
    results.push_back(block.floats(0, 0));
  const std::span<const float> numbers(columns.floats(0), count);
  left.clear();
  const Scanned scanned = scan(numbers, results, subject.scanned, trust, left);
  for (auto &tallies : common)
    tallies[0].add(scanned, first, numbers);
  for (std::size_t i : left)
    look(first + i, i);
}

void Worker::look(std::uint64_t index, std::size_t i) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    arguments[k] = columns.at(k, i);
  references.start(arguments);
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t o = 0; o < subject.outputs; ++o) {
      const Block &block = blocks[s];
      if (block.isShared(o, i)) {
        Tally &tally = common[s][o];
        tally.add(verdictOn(block.at(0, o, i), o, tally.ulp.error), index,
                  arguments);
        continue;
      }
      for (std::size_t k = 0; k < sets[s].kernels.size(); ++k) {
        Tally &tally = own[s][o][k];
        tally.add(verdictOn(block.at(k, o, i), o, tally.ulp.error), index,
                  arguments);
        if (!block.isLikeOracle(k, o, i))
          tally.addDiffering(index, arguments);
      }
    }
}

Verdict Worker::verdictOn(double got, std::size_t output, double record) {
  if (trust.any())
    if (auto quick =
            judgeQuickly(got, references.quickOf(output), trust, record))
      return *quick;
  const Real &exact = references.exactOf(output);
  Verdict verdict = judge(got, exact, subject.type);
  double least = 0;
  for (double argument : arguments)
    least = std::max(least, std::fabs(argument) * subject.cancellation);
  if (std::isfinite(least) && fabs(exact) < Real(least)) {
    verdict.ulp = judge(least + verdict.absolute, least, subject.type).ulp;
    verdict.hasWrongSign = false;
  }
  return verdict;
}

void Worker::addTo(Tallies &tallies) const {
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t o = 0; o < subject.outputs; ++o)
      for (std::size_t k = 0; k < sets[s].kernels.size(); ++k) {
        tallies[s][o][k].add(common[s][o]);
        tallies[s][o][k].add(own[s][o][k]);
      }
}

Expected<Tallies> tools::walk(const Subject &subject,
                              std::span<const KernelSet> sets,
                              const Inputs &inputs,
                              const WalkOptions &options) {
  Tallies tallies;
  for (const KernelSet &set : sets)
    tallies.emplace_back(subject.outputs,
                         std::vector<Tally>(set.kernels.size()));
  const Trust trust = trustIn(subject, inputs);
  // The exact reference takes long: small chunks, to share them evenly.
  Chunks chunks(inputs.count, trust.any() ? 1 << 14 : 1 << 9);
  std::mutex merging;
  auto work = [&]() -> Status {
    Worker worker(subject, sets, inputs, trust);
    while (auto chunk = chunks.take()) {
      if (auto status = worker.run(chunk->first, chunk->count); !status)
        return status;
      chunks.finish(*chunk);
    }
    const std::lock_guard lock(merging);
    worker.addTo(tallies);
    return {};
  };
  if (auto status = chunks.run(options.threads, options.progress, work);
      !status)
    return status.error();
  return tallies;
}
