//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Sweep.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// The share of one thread in a sweep.
class Worker {
public:
  Worker(const Subject &subject, std::span<const KernelSet> sets,
         const Inputs &inputs, const Trust &trust)
      : subject(subject), sets(sets), inputs(inputs), trust(trust),
        arguments(subject.operands()), quick(subject.outputs),
        exact(subject.outputs) {
    for (const KernelSet &set : sets) {
      blocks.emplace_back(set, subject);
      common.emplace_back(subject.outputs);
      own.emplace_back(subject.outputs, std::vector<Tally>(set.kernels.size()));
    }
  }

  Status run(std::uint64_t first, std::size_t count);
  void addTo(Tallies &tallies) const;

private:
  void scanAll(std::uint64_t first);
  void judgeInput(std::uint64_t first, std::size_t i);
  Verdict verdictOn(double got, std::size_t output, double record);

  const Subject &subject;
  std::span<const KernelSet> sets;
  const Inputs &inputs;
  const Trust &trust;
  /// Of one input, and its references; the exact one is computed on demand.
  std::vector<double> arguments, quick;
  std::vector<Real> exact;
  bool isSettled = false;
  Columns columns;
  std::vector<Block> blocks;
  /// Of results that all kernels of a set share: for each set and output.
  std::vector<std::vector<Tally>> common;
  /// Of results on which they differ.
  Tallies own;
};
} // namespace

Status Worker::run(std::uint64_t first, std::size_t count) {
  columns.resize(subject.type, subject.operands(), count);
  for (std::size_t i = 0; i < count; ++i) {
    inputs.at(first + i, arguments);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      columns.set(k, i, arguments[k]);
  }
  for (Block &block : blocks)
    if (auto status = block.compute(columns); !status)
      return status;
  if (subject.scanned && trust.any() &&
      std::all_of(blocks.begin(), blocks.end(),
                  [](const Block &block) { return block.isIdentical(); }))
    scanAll(first);
  else
    for (std::size_t i = 0; i < count; ++i)
      judgeInput(first, i);
  return {};
}

void Worker::scanAll(std::uint64_t first) {
  std::vector<const float *> results;
  for (const Block &block : blocks)
    results.push_back(block[0].floats(0));
  std::vector<std::size_t> left;
  const Tally scanned = scan(first, {columns.floats(0), columns.size()},
                             results, subject.scanned, trust, left);
  for (auto &tallies : common)
    tallies[0].add(scanned);
  for (std::size_t i : left)
    judgeInput(first, i);
}

void Worker::judgeInput(std::uint64_t first, std::size_t i) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    arguments[k] = columns.at(k, i);
  if (trust.any())
    subject.quick(arguments, quick);
  isSettled = false;
  const auto count = [&](Tally &tally, std::size_t output, double got) {
    tally.add(verdictOn(got, output, tally.ulp.error), first + i, arguments);
  };
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t o = 0; o < subject.outputs; ++o) {
      const Block &block = blocks[s];
      if (block.isShared(o, i)) {
        count(common[s][o], o, block[0].at(o, i));
        continue;
      }
      for (std::size_t k = 0; k < sets[s].kernels.size(); ++k) {
        Tally &tally = own[s][o][k];
        count(tally, o, block[k].at(o, i));
        if (!block.isLikeOracle(k, o, i))
          tally.addDiffering(first + i, arguments);
      }
    }
}

Verdict Worker::verdictOn(double got, std::size_t output, double record) {
  if (trust.any())
    if (auto verdict = judgeQuickly(got, quick[output], trust, record))
      return *verdict;
  if (!isSettled)
    settle(subject, arguments, exact);
  isSettled = true;
  Verdict verdict = judge(got, exact[output], subject.type);
  double least = 0;
  for (double argument : arguments)
    least = std::max(least, std::fabs(argument) * subject.cancellation);
  if (std::isfinite(least) && fabs(exact[output]) < Real(least)) {
    verdict.ulp = unitsOf(verdict.absolute, least, subject.type);
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

Expected<Tallies> tools::sweep(const Subject &subject,
                               std::span<const KernelSet> sets,
                               const Inputs &inputs,
                               const SweepOptions &options) {
  Tallies tallies;
  for (const KernelSet &set : sets)
    tallies.emplace_back(subject.outputs,
                         std::vector<Tally>(set.kernels.size()));
  const Trust trust = trustIn(subject, inputs);
  // The exact reference takes long: small pieces, to share them evenly.
  const std::uint64_t piece = trust.any() ? 1 << 14 : 1 << 9;
  const std::uint64_t pieces = (inputs.count + piece - 1) / piece;
  const std::uint64_t wanted =
      options.threads ? options.threads
                      : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::uint64_t> next = 0, done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  std::uint64_t running = std::min(wanted, pieces);
  Status result;
  const auto work = [&] {
    Worker worker(subject, sets, inputs, trust);
    Status status;
    std::uint64_t first = 0;
    while (status && (first = next.fetch_add(piece)) < inputs.count) {
      const auto count = std::min(piece, inputs.count - first);
      status = worker.run(first, count);
      done += count;
    }
    const std::lock_guard lock(mutex);
    worker.addTo(tallies);
    if (!status)
      next = inputs.count; // The others find nothing more to do.
    if (result)
      result = std::move(status);
    --running;
    ended.notify_one();
  };
  std::vector<std::jthread> team;
  for (std::uint64_t i = running; i > 0; --i)
    team.emplace_back(work);
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, std::chrono::milliseconds(200),
                         [&] { return running == 0; }))
    if (options.progress)
      options.progress(static_cast<double>(done) /
                       static_cast<double>(inputs.count));
  lock.unlock();
  team.clear();
  if (!result)
    return result.error();
  return tallies;
}
