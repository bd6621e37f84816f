//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Execution.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

CallArguments BatchCall::argumentsOf(std::size_t item) const {
  const std::size_t batch = outputs.size();
  return {{inputs.data() + item, inputs.size() / batch, batch},
          {&outputs[item], 1}};
}

/// Whether two views differ in their address alone, which neither lacks.
static bool isLike(const TensorView &view, const TensorView &model) {
  return view.data() && model.data() && view.type() == model.type() &&
         view.empty() == model.empty() && view.shape() == model.shape() &&
         view.strides() == model.strides();
}

/// Whether what was found of `model` holds for `item`.
bool BatchCall::isLike(std::size_t item, std::size_t model) const {
  const CallArguments one = argumentsOf(item), other = argumentsOf(model);
  for (std::uint32_t operand : kernel.requirements().operands)
    if (!::isLike(one.inputs[operand], other.inputs[operand]))
      return false;
  for (std::uint32_t operand : kernel.requirements().shapes)
    if (one.inputs[operand].empty() != other.inputs[operand].empty() ||
        one.inputs[operand].shape() != other.inputs[operand].shape())
      return false;
  return ::isLike(one.outputs[0], other.outputs[0]);
}

Status BatchCall::addInvocation(std::size_t item) {
  const CallArguments arguments = argumentsOf(item);
  auto status = kernel.check(arguments);
  if (status)
    status = invocations.emplace_back(kernel).prepare(kernel, arguments);
  if (!status)
    return Error(status.error().code(),
                 concat("batch item ", item, ": ", status.error().message()));
  return {};
}

void BatchCall::addLaunch(std::size_t item) {
  if (invocations.back().count() == 0)
    return;
  all.push_back({&invocations.back(), addresses.data() + addresses.size()});
  const CallArguments arguments = argumentsOf(item);
  addresses.push_back(arguments.outputs[0].data());
  for (std::uint32_t operand : kernel.plan().graph.inputs)
    addresses.push_back(arguments.inputs[operand].data());
  invocations.back().moveToFirsts(addresses.data() + addresses.size() -
                                  kernel.tensors());
}

Status BatchCall::prepare() {
  all.reserve(outputs.size());
  addresses.reserve(outputs.size() *
                    kernel.tensors()); // launches point into it
  const auto &used = kernel.requirements().operands;
  const std::size_t batch = outputs.size();
  std::vector<ByteRange> written(batch), read(batch * used.size());
  std::vector<ByteReach> bytes(1 + used.size()); // of an item's tensors
  const auto viewOf = [&](std::size_t i, std::size_t item) -> const auto & {
    return i == 0 ? outputs[item] : inputs[used[i - 1] * batch + item];
  };
  for (std::size_t item = 0; item < batch; ++item) {
    if (item == 0 || !isLike(item, item - 1)) {
      if (auto status = addInvocation(item); !status)
        return status;
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = ByteReach::of(viewOf(i, item));
    }
    addLaunch(item);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      (i == 0 ? written[item] : read[(i - 1) * batch + item]) =
          bytes[i].from(viewOf(i, item).data());
  }
  return checkBatchOverlap(inputs, outputs, used, written, read);
}

/// Threads of one core share its way to memory: more gain nothing there.
static unsigned onePerCore(unsigned limit) {
  return limit == 0 ? coreCount() : std::min(limit, coreCount());
}

Execution::Execution(const KernelImpl &kernel, std::span<const Launch> launches,
                     const RunOptions &options)
    : kernel(kernel), launches(launches), options(options),
      starts(launches.size() + 1), streams(launches.size()), callers(memory()) {
  starts[0] = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    starts[i + 1] = starts[i] + launches[i].call->units();
    elements += static_cast<double>(launches[i].call->count());
  }
  const LaunchPolicy &policy = kernel.policy();
  isStreamed = policy.streams(elements, options);
  learns = policy.learns(elements, options);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Invocation &call = *launches[i].call;
    streams[i] = isStreamed && call.canStream(kernel.plan(), launches[i].first)
                     ? kernel.loops().streaming(call.chosen())
                     : nullptr;
    // Until it is built it has the ordinary code.
    learns &= !isStreamed || (streams[i] && streams[i]->code().machine !=
                                                call.chosen().code().machine);
  }
  maxThreads = policy.isMemoryBound(elements) ? onePerCore(options.maxThreads)
                                              : options.maxThreads;
}

/// Allocates what the calling thread needs to run any of it.
TaskMemory Execution::memory() const {
  std::int64_t bytes = 0;
  for (const Launch &launch : launches) {
    bytes = std::max(bytes, launch.call->copyBytes());
    launch.call->chosen().code().reserve();
  }
  return TaskMemory(kernel.tensors(), kernel.slots(), bytes);
}

/// The units that hold `count` elements on average, at least one.
std::int64_t Execution::unitsOf(std::int64_t count) const {
  const double share = std::min(static_cast<double>(count) / elements, 1.0);
  const auto units = static_cast<double>(starts[launches.size()]);
  return std::max<std::int64_t>(static_cast<std::int64_t>(share * units), 1);
}

void Execution::run(std::int64_t begin, std::int64_t end,
                    TaskMemory &memory) const {
  const std::int64_t *last = starts.data() + launches.size();
  std::size_t i =
      std::upper_bound(starts.data(), last, begin) - starts.data() - 1;
  for (; begin < end; ++i) {
    const std::int64_t stop = std::min(end, starts[i + 1]);
    launches[i].call->run(launches[i].first, begin - starts[i],
                          stop - starts[i], streams[i], memory);
    begin = stop;
  }
  if (isStreamed)
    finishStreaming();
}

Status Execution::run(DefaultFloats &floats) {
  using Clock = std::chrono::steady_clock;
  const auto start = learns ? Clock::now() : Clock::time_point();
  auto status = runAll(floats);
  if (learns && status)
    kernel.policy().note(elements, isStreamed, Clock::now() - start);
  return status;
}

Status Execution::runAll(DefaultFloats &floats) {
  const std::int64_t grain = kernel.policy().grainFor(options);
  // Threads of oneTBB take some 50 microseconds to wake up (two cores of a
  // virtual machine); a host that sets tiles wants these.
  constexpr std::int64_t grainsAlone = 24;
  const Split split{
      .grain = unitsOf(grain),
      .maxThreads = maxThreads,
      .stayAwake = options.stayAwake,
      .alone = options.tileElements > 0 ? 0 : unitsOf(grainsAlone * grain),
      .host = kernel.executorFor(options),
      .floats = &floats,
      .interrupt = options.interrupt};
  const auto runRanges = [this](Ranges &ranges, TaskMemory &memory) {
    for (std::int64_t begin, end; ranges.next(begin, end);)
      run(begin, end, memory);
  };
  return forRange(starts[launches.size()], split, [&](Ranges &ranges) {
    if (ranges.isCaller())
      return runRanges(ranges, callers);
    TaskMemory own = memory();
    runRanges(ranges, own);
  });
}
