//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/KernelImpl.h"

#include "Runtime/Executor.h"
#include "Runtime/Invocation.h"
#include "Runtime/Plain.h"
#include "Support/Text.h"

#include <algorithm>
#include <deque>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::LoopNest;
using semantics::Plan;
using semantics::Walk;

/// Elements of one task at least: enough work, several microseconds, that
/// handing it to another thread pays. Rates are those of one current core.
static std::int64_t grainOf(const Plan &plan) {
  constexpr double perByte = 0.012, perOperation = 0.02, enough = 4000; // ns
  const double each =
      std::max(perByte * static_cast<double>(plan.bytesPerElement()),
               perOperation * plan.work().operations);
  return static_cast<std::int64_t>(enough / std::max(each, perByte));
}

KernelImpl::KernelImpl(std::shared_ptr<const Compiler> compiler,
                       Expression expression,
                       std::shared_ptr<const Loop> contiguous, Mode mode)
    : compiler(std::move(compiler)), text(std::move(expression)),
      mode(mode), first{std::move(contiguous)},
      grain(grainOf(first.loop->plan)), variants(&first) {}

KernelImpl::~KernelImpl() {
  const Variant *variant = variants.load();
  while (variant != &first)
    delete std::exchange(variant, variant->next);
}

std::size_t KernelImpl::codeSize() const {
  std::size_t bytes = 0;
  for (const Variant *v = variants.load(); v; v = v->next)
    bytes += v->loop->code ? v->loop->code->size() : 0;
  return bytes;
}

template <class T> static std::span<T> spanOf(Span<T> span) {
  return {span.data(), span.size()};
}

/// Calls `visit(access, walk of its slot)` until it gives false.
template <class P, class F>
static bool everyAccess(P &plan, const LoopNest &nest, F visit) {
  std::size_t slot = 0;
  for (auto *accesses : {&plan.outputs, &plan.inputs})
    for (auto &access : *accesses)
      if (!visit(access, nest.walk(slot++, access.type)))
        return false;
  return true;
}

Plan KernelImpl::planFor(const LoopNest &nest) const {
  Plan plan = contiguous().plan;
  const bool general = variantCount >= MaxVariants;
  everyAccess(plan, nest, [general](semantics::Access &access, Walk walk) {
    access.walk = general ? Walk::Strided : walk;
    return true;
  });
  return plan;
}

const Loop *KernelImpl::find(const LoopNest &nest) const {
  for (const Variant *v = variants.load(); v; v = v->next)
    if (everyAccess(v->loop->plan, nest,
                    [](const semantics::Access &access, Walk walk) {
                      return access.walk == walk;
                    }))
      return v->loop.get();
  return nullptr;
}

/// The loop in which every slot is strided, if the list has it.
static bool servesAll(const Plan &plan) {
  auto strided = [](const semantics::Access &access) {
    return access.walk == Walk::Strided;
  };
  return std::all_of(plan.inputs.begin(), plan.inputs.end(), strided) &&
         std::all_of(plan.outputs.begin(), plan.outputs.end(), strided);
}

Expected<const Loop *> KernelImpl::loopFor(const LoopNest &nest) const {
  if (const Loop *loop = find(nest))
    return loop;
  std::lock_guard lock(growing);
  if (const Loop *loop = find(nest))
    return loop;
  if (variantCount > MaxVariants)
    for (const Variant *v = variants.load(); v; v = v->next)
      if (servesAll(v->loop->plan))
        return v->loop.get();
  auto made = compiler->compile(planFor(nest), mode);
  if (!made)
    return made.error();
  auto *variant = new Variant{std::move(*made), variants.load()};
  variants = variant;
  ++variantCount;
  return variant->loop.get();
}

/// Tasks begin at multiples of this many elements, so that no two of them
/// write to one cache line of an aligned output.
static constexpr std::int64_t Unit = 64;

static std::int64_t unitsOf(const Invocation &call) {
  return (call.count() + Unit - 1) / Unit;
}

namespace {
/// Calls laid end to end, counted in units: the range that is split.
class Row {
public:
  explicit Row(std::span<const Invocation *const> calls)
      : calls(calls), starts(calls.size() + 1) {
    starts[0] = 0;
    for (std::size_t i = 0; i < calls.size(); ++i)
      starts[i + 1] = starts[i] + unitsOf(*calls[i]);
  }

  std::int64_t size() const { return starts[calls.size()]; }

  void run(std::int64_t begin, std::int64_t end) const {
    const std::int64_t *last = starts.data() + calls.size();
    std::size_t item =
        std::upper_bound(starts.data(), last, begin) - starts.data() - 1;
    for (; begin < end; ++item) {
      const std::int64_t stop = std::min(end, starts[item + 1]);
      const std::int64_t first = (begin - starts[item]) * Unit;
      const std::int64_t past = (stop - starts[item]) * Unit;
      calls[item]->run(first, std::min(past, calls[item]->count()));
      begin = stop;
    }
  }

private:
  std::span<const Invocation *const> calls;
  InlineBuffer<std::int64_t, 64> starts;
};
} // namespace

bool KernelImpl::isSmall(std::int64_t count, const RunOptions &options) const {
  const std::int64_t tile =
      options.tileElements > 0 ? options.tileElements : grain;
  return options.maxThreads == 1 || count <= tile;
}

void KernelImpl::execute(std::span<const Invocation *const> calls,
                         const RunOptions &options) const {
  const Row row(calls);
  const std::int64_t tile =
      options.tileElements > 0 ? options.tileElements : grain;
  const Split split{std::max<std::int64_t>(tile / Unit, 1), options.maxThreads};
  forRange(row.size(), split, [&row](std::int64_t begin, std::int64_t end) {
    row.run(begin, end);
  });
}

std::size_t KernelImpl::slots() const {
  return contiguous().plan.outputs.size() + contiguous().plan.inputs.size();
}

Status KernelImpl::prepare(Invocation &call, Span<const TensorView> inputs,
                           Span<const TensorView> outputs) const {
  const std::size_t expected = contiguous().plan.outputs.size();
  if (outputs.size() != expected)
    return Error(ErrorCode::InvalidArgument,
                 concat("the expression has ", expected, " outputs, but ",
                        outputs.size(), " were given"));
  return call.prepare(*this, {{inputs.data(), inputs.size()},
                              spanOf(outputs),
                              spanOf(text.usedOperands()),
                              type()});
}

/// Runs a small plain call; false if it is none.
bool KernelImpl::runPlain(Span<const TensorView> inputs,
                          Span<const TensorView> outputs,
                          const RunOptions &options) const {
  const Loop &loop = contiguous();
  if (loop.plan.outputs.size() != 1)
    return false;
  const std::int64_t count = countIfPlain({{inputs.data(), inputs.size()},
                                           spanOf(outputs),
                                           spanOf(text.usedOperands()),
                                           type()});
  if (count < 0 || !isSmall(count, options))
    return false;
  InlineBuffer<void *, 16> pointers(slots());
  pointers[0] = outputs[0].data();
  std::size_t slot = 1;
  for (std::uint32_t operand : loop.plan.graph.inputs)
    pointers[slot++] = inputs[operand].data();
  loop.run(count, pointers.data(), nullptr);
  return true;
}

Status KernelImpl::run(Span<const TensorView> inputs,
                       Span<const TensorView> outputs,
                       const RunOptions &options) const {
  if (runPlain(inputs, outputs, options))
    return {};
  Invocation call(slots());
  auto status = prepare(call, inputs, outputs);
  const Invocation *calls[] = {&call};
  if (status && call.count() > 0)
    execute(calls, options);
  return status;
}

Status KernelImpl::runBatch(Span<const TensorView> inputs,
                            Span<const TensorView> outputs,
                            const RunOptions &options) const {
  const Plan &plan = contiguous().plan;
  const std::size_t batch = outputs.size();
  if (plan.outputs.size() != 1)
    return Error(ErrorCode::InvalidArgument,
                 "an expression with several outputs cannot run as a batch");
  if (batch == 0)
    return Error(ErrorCode::InvalidArgument, "a batch without outputs");
  if (inputs.size() % batch != 0)
    return Error(ErrorCode::InvalidArgument,
                 concat(inputs.size(),
                        " inputs are no whole number of operands "
                        "for a batch of ",
                        batch));
  std::deque<Invocation> calls;
  std::vector<const Invocation *> work;
  for (std::size_t item = 0; item < batch; ++item) {
    Invocation &call = calls.emplace_back(1 + plan.inputs.size());
    const semantics::Operands operands{inputs.data() + item,
                                       inputs.size() / batch, batch};
    if (auto status = call.prepare(*this, {operands,
                                           {&outputs[item], 1},
                                           spanOf(text.usedOperands()),
                                           type()});
        !status)
      return Error(status.error().code(),
                   concat("batch item ", item, ": ", status.error().message()));
    if (call.count() > 0)
      work.push_back(&call);
  }
  if (auto status = checkBatchOverlap(spanOf(inputs), spanOf(outputs),
                                      spanOf(text.usedOperands()));
      !status)
    return status;
  if (!work.empty())
    execute(work, options);
  return {};
}

Expected<Shape> KernelImpl::outputShape(Span<const TensorView> inputs) const {
  return checkInputs({inputs.data(), inputs.size()},
                     spanOf(text.usedOperands()), type());
}
