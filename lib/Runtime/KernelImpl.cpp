//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/KernelImpl.h"

#include "Runtime/Batch.h"
#include "Runtime/Execution.h"
#include "Runtime/Plain.h"
#include "Support/Text.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;
using semantics::Plan;

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
                       Expression expression, CompileOptions options,
                       semantics::Plan plan,
                       std::shared_ptr<const Loop> contiguous,
                       const CompileTimes &times)
    : compiler(std::move(compiler)), text(std::move(expression)),
      options(std::move(options)), contiguousPlan(std::move(plan)),
      asked(contiguousPlan), spent(times), first{std::move(contiguous)},
      grain(grainOf(contiguousPlan)), streamed(streamedBytes(contiguousPlan)),
      variants(&first) {
  const semantics::Graph &graph = contiguousPlan.graph;
  literals.resize(graph.parameters.size());
  for (const semantics::Value &value : graph.values) {
    if (value.kind != semantics::ValueKind::Parameter)
      continue;
    const semantics::NumberId number = graph.parameters[value.input];
    if (graph.numbers.isLiteral(number))
      literals[value.input] = graph.numbers[number].number.bitsAs(value.type);
    else
      hasSizes = true;
  }
}

template <class T> static void freeList(T *first, const T *last = nullptr) {
  while (first != last)
    delete std::exchange(first, first->next);
}

KernelImpl::~KernelImpl() {
  freeList<Variant>(variants, &first);
  freeList<Restriction>(restrictions);
  freeList<Ranks>(ranks);
}

std::size_t KernelImpl::codeSize() const {
  std::size_t bytes = 0;
  for (const Variant *v = variants.load(); v; v = v->next)
    bytes += v->loop->codeSize() +
             (v->streams.load() ? v->streams.load()->codeSize() : 0);
  for (const Restriction *r = restrictions.load(); r; r = r->next)
    bytes += r->kernel->codeSize();
  return bytes;
}

/// Of what an expression has, roughly.
static std::size_t bytesOf(const Expression &text) {
  return text.text().size() + text.canonical().size() +
         text.tokens().size() * sizeof(Token) +
         text.nodes().size() * (sizeof(Node) + sizeof(std::uint32_t)) +
         text.rpn().size() * sizeof(RpnEntry);
}

std::size_t KernelImpl::size() const {
  // Tiers that are interpreted, or yet to be built, have the plan, too.
  const std::size_t plan =
      2 * contiguousPlan.graph.values.size() * sizeof(semantics::Value);
  std::size_t bytes = sizeof(KernelImpl) + codeSize() + bytesOf(text);
  for (const Variant *v = variants.load(); v; v = v->next)
    bytes += sizeof(Variant) + plan;
  for (const Restriction *r = restrictions.load(); r; r = r->next)
    bytes += r->kernel->size() - r->kernel->codeSize();
  return bytes;
}

template <class T> static std::span<T> spanOf(Span<T> span) {
  return {span.data(), span.size()};
}

/// Calls `visit(access, walk of its slot)` until it gives false.
template <class P, class F>
static bool everyAccess(P &plan, const Traversal &traversal, F visit) {
  std::size_t slot = 0;
  for (auto *accesses : {&plan.outputs, &plan.inputs})
    for (auto &access : *accesses)
      if (!visit(access, traversal.pattern(slot++)))
        return false;
  return true;
}

Plan KernelImpl::planFor(const Traversal &traversal) const {
  Plan plan = contiguousPlan;
  const bool general = variantCount >= MaxVariants;
  everyAccess(plan, traversal,
              [general](semantics::Access &access, AccessPattern pattern) {
                access.pattern = general ? AccessPattern::Strided : pattern;
                return true;
              });
  return plan;
}

const Loop *KernelImpl::find(const Traversal &traversal) const {
  for (const Variant *v = variants.load(); v; v = v->next)
    if (everyAccess(*v->loop, traversal,
                    [](const semantics::Access &access, AccessPattern pattern) {
                      return access.pattern == pattern;
                    }))
      return v->loop.get();
  return nullptr;
}

/// The loop in which every slot is strided, if the list has it.
static bool servesAll(const Loop &loop) {
  auto strided = [](const semantics::Access &access) {
    return access.pattern == AccessPattern::Strided;
  };
  return std::all_of(loop.inputs.begin(), loop.inputs.end(), strided) &&
         std::all_of(loop.outputs.begin(), loop.outputs.end(), strided);
}

Expected<const Loop *> KernelImpl::loopFor(const Traversal &traversal) const {
  if (const Loop *loop = find(traversal))
    return loop;
  if (variantCount > MaxVariants)
    for (const Variant *v = variants.load(); v; v = v->next)
      if (servesAll(*v->loop))
        return v->loop.get();
  // Threads that ask for it at once get one loop, and the first keeps it.
  auto made = compiler->compile(planFor(traversal), options.mode);
  if (!made)
    return made.error();
  const Loop *loop = made->get();
  auto variant =
      std::unique_ptr<Variant>(new Variant{std::move(*made), variants.load()});
  do {
    for (const Variant *v = variant->next; v; v = v->next)
      if (v->loop.get() == loop)
        return loop;
  } while (!variants.compare_exchange_weak(variant->next, variant.get()));
  variant.release();
  ++variantCount;
  return loop;
}

Status KernelImpl::prepare(Invocation &call, Span<const TensorView> inputs,
                           Span<const TensorView> outputs,
                           bool withMemory) const {
  const Arguments arguments{{inputs.data(), inputs.size()}, spanOf(outputs)};
  if (auto status = check(arguments, withMemory); !status)
    return status;
  return call.prepare(*this, arguments);
}

/// Runs a small plain call; false if it is none.
bool KernelImpl::runPlain(Span<const TensorView> inputs,
                          Span<const TensorView> outputs,
                          const RunOptions &run) const {
  if (hasSizes)
    return false;
  // Operands of one rank are 0-d together, or as declared if none is.
  if (contiguousPlan.graph.mixesTypes &&
      (!this->options.zeroDimOperands.empty() || outputs.empty() ||
       outputs[0].shape().rank() == 0))
    return false;
  const std::int64_t count =
      countIfPlain({{inputs.data(), inputs.size()}, spanOf(outputs)}, asked);
  if (count < 0 || !isSmall(count, run) ||
      isLarge(static_cast<double>(count), run))
    return false;
  InlineBuffer<void *, 16> pointers(slots());
  pointers[0] = outputs[0].data();
  std::size_t slot = 1;
  for (std::uint32_t operand : contiguousPlan.graph.inputs)
    pointers[slot++] = inputs[operand].data();
  for (const std::uint64_t &literal : literals)
    pointers[slot++] = const_cast<std::uint64_t *>(&literal);
  contiguous().code().run(count, pointers.data(), nullptr);
  return true;
}

Status KernelImpl::run(Span<const TensorView> inputs,
                       Span<const TensorView> outputs,
                       const RunOptions &options) const {
  DefaultFloats floats;
  if (runPlain(inputs, outputs, options))
    return {};
  if (needsParts(outputs))
    return runParts(inputs, outputs, options, floats);
  Invocation call(*this);
  auto status = prepare(call, inputs, outputs);
  const Item item = call.item();
  if (status && call.count() > 0)
    return Execution(*this, {&item, 1}, options).run(floats);
  return status;
}

Status KernelImpl::runBatch(Span<const TensorView> inputs,
                            Span<const TensorView> outputs,
                            const RunOptions &options) const {
  DefaultFloats floats;
  const std::size_t batch = outputs.size();
  if (asked.outputs.size() != 1)
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
  Batch calls(*this);
  auto status = calls.prepare(spanOf(inputs), spanOf(outputs));
  if (status && !calls.items().empty())
    return Execution(*this, calls.items(), options).run(floats);
  return status;
}

Expected<Shape> KernelImpl::outputShape(Span<const TensorView> inputs,
                                        std::size_t output) const {
  const semantics::Operands operands{inputs.data(), inputs.size()};
  if (output >= asked.outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the expression has ", asked.outputs.size(),
                        " outputs, none of them number ", output));
  if (auto status = checkInputs(operands, asked); !status)
    return status.error();
  return runtime::outputShape(operands, asked, output);
}
