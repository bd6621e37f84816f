//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/KernelImpl.h"

#include "Inspect/Render.h"
#include "Runtime/Execution.h"
#include "Runtime/PreparedImpl.h"
#include "Support/CallMemory.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Graph;
using semantics::Operands;
using semantics::Value;

KernelImpl::KernelImpl(KernelSource given, LoopPtr contiguous,
                       std::unique_ptr<const RowProgram> program)
    : source(std::move(given)), required(plan(), expression()),
      zeroDims(expression(), source.options, plan(), required),
      compiled(*source.compiler, plan(), source.options.mode,
               std::move(contiguous)),
      sweeps(std::move(program)), launching(plan()), parameters(plan().graph) {}

unsigned KernelImpl::vectorBits() const {
  if (!loops().contiguous().code().machine)
    return 0;
  const auto target = source.compiler->target();
  const semantics::Plan &first = sweeps && !sweeps->steps().empty()
                                     ? sweeps->steps().front().sweep.plan
                                     : plan();
  return target ? codegen::vectorBitsOf(first, **target) : 0;
}

std::size_t KernelImpl::codeSize() const {
  std::size_t bytes = sweeps ? sweeps->codeSize() : compiled.codeSize();
  for (const Restriction &each : restrictions)
    bytes += each.kernel->codeSize();
  return bytes;
}

std::size_t KernelImpl::size() const {
  const Expression &text = expression();
  // Tiers that are interpreted, or yet to be built, have the plan, too.
  const std::size_t ofVariant =
      sizeof(Loop) + 2 * plan().graph.values.size() * sizeof(Value);
  // The parts of an expression, roughly.
  std::size_t bytes =
      sizeof(KernelImpl) + compiled.count() * ofVariant +
      (sweeps ? sweeps->codeSize() : compiled.codeSize()) + text.text().size() +
      text.canonical().size() + text.tokens().size() * sizeof(Token) +
      text.nodes().size() * (sizeof(Node) + sizeof(std::uint32_t)) +
      text.rpn().size() * sizeof(RpnEntry);
  for (const Restriction &each : restrictions)
    bytes += each.kernel->size();
  for (const KeptCall &each : keptCalls)
    bytes += each.size();
  return bytes;
}

static CallArguments argumentsOf(Span<const TensorView> inputs,
                                 Span<const TensorView> outputs) {
  return {{inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}};
}

Status KernelImpl::findParameters(const Operands &inputs,
                                  std::uint64_t *bits) const {
  auto status = parameters.find(inputs, bits);
  if (status)
    return {};
  const Error &error = status.error();
  return Error(error.code(), error.message(), std::string(expression().text()),
               error.range());
}

Status KernelImpl::check(const CallArguments &arguments,
                         bool withMemory) const {
  if (auto status = required.check(arguments, withMemory); !status)
    return status;
  return zeroDims.check(arguments.inputs);
}

Status KernelImpl::prepare(Invocation &call, Span<const TensorView> inputs,
                           Span<const TensorView> outputs,
                           bool withMemory) const {
  const CallArguments arguments = argumentsOf(inputs, outputs);
  if (auto status = check(arguments, withMemory); !status)
    return status;
  return call.prepare(*this, arguments);
}

/// Runs a serial call whose tensors are contiguous; false for any other call,
/// with nothing done.
bool KernelImpl::runContiguous(const CallArguments &call,
                               const RunOptions &options) const {
  if (parameters.dependOnShapes())
    return false;
  const Graph &graph = plan().graph;
  // Operands of one rank are 0-d together, or as declared if none is.
  if (graph.mixesTypes &&
      (!source.options.zeroDimOperands.empty() || call.outputs.empty() ||
       call.outputs[0].shape().rank() == 0))
    return false;
  const std::int64_t count = required.contiguousCount(call);
  if (count < 0 || !launching.isOnePart(count, options) ||
      launching.mayStream(static_cast<double>(count), options))
    return false;
  InlineBuffer<void *, 16> pointers(slots());
  pointers[0] = call.outputs[0].data();
  std::size_t slot = 1;
  for (std::uint32_t operand : graph.inputs)
    pointers[slot++] = call.inputs[operand].data();
  for (const std::uint64_t &literal : parameters.literals())
    pointers[slot++] = const_cast<std::uint64_t *>(&literal);
  compiled.contiguous().run(count, pointers.data(), nullptr);
  return true;
}

Status KernelImpl::prepareRows(RowCall &call, const CallArguments &arguments,
                               bool withMemory) const {
  auto status = check(arguments, withMemory);
  if (status)
    status = call.prepare(arguments);
  if (status && withMemory)
    status = call.checkSharing(arguments);
  if (status || !status.error().hasRange() || !status.error().source().empty())
    return status;
  const Error &error = status.error();
  return Error(error.code(), error.message(), std::string(expression().text()),
               error.range());
}

Status KernelImpl::runRows(const RowCall &call, const CallArguments &arguments,
                           const RunOptions &options, DefaultFloats &floats,
                           const RowSumSink *sink) const {
  InlineBuffer<void *, 16> first(tensors());
  void **next = first.data();
  for (const TensorView &output : arguments.outputs)
    *next++ = output.data();
  for (std::uint32_t operand : plan().graph.inputs)
    *next++ = arguments.inputs[operand].data();
  return call.run(first.data(), options, executorFor(options), floats, sink);
}

bool KernelImpl::KeptCall::isFor(const CallArguments &arguments) const {
  const auto isAlike = [](const TensorView &a, const TensorView &b) {
    return a.type() == b.type() && a.shape() == b.shape() &&
           a.strides() == b.strides();
  };
  // Of some operands the shape alone is used.
  if (inputs.size() != arguments.inputs.count ||
      outputs.size() != arguments.outputs.size())
    return false;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!isAlike(inputs[i], arguments.inputs[i]))
      return false;
  return std::equal(outputs.begin(), outputs.end(), arguments.outputs.begin(),
                    isAlike);
}

std::size_t KernelImpl::KeptCall::size() const {
  return sizeof(KeptCall) +
         (inputs.size() + outputs.size()) * sizeof(TensorView) + call->size();
}

/// The kept call for tensors like these, if their memory may be used; else
/// null.
const KernelImpl::KeptCall *
KernelImpl::findCall(const CallArguments &arguments) const {
  for (const KeptCall &each : keptCalls)
    if (each.isFor(arguments) && each.call->isRight(arguments))
      return &each;
  return nullptr;
}

/// Prepares a call, and keeps it, or has `own` keep it.
Expected<const KernelImpl::KeptCall *>
KernelImpl::makeCall(const CallArguments &arguments, const RunOptions &options,
                     KeptCalls &own) const {
  std::vector<TensorView> inputs;
  for (std::size_t i = 0; i < arguments.inputs.count; ++i)
    inputs.push_back(arguments.inputs[i]);
  const auto &outputs = arguments.outputs;
  auto made = PreparedImpl::create(KernelPtr(KernelPtr(), this), inputs,
                                   outputs, options, true);
  if (!made)
    return made.error();
  KeptCall call{std::move(inputs), {outputs.begin(), outputs.end()}, *made};
  if (keptCalls.size() < MaxKeptCalls)
    return &keptCalls.pushUnless(
        [&](const KeptCall &each) { return each.isFor(arguments); },
        std::move(call));
  own.push_back(std::make_unique<const KeptCall>(std::move(call)));
  return own.back().get();
}

Status KernelImpl::runReducing(const CallArguments &arguments,
                               const RunOptions &options,
                               DefaultFloats &floats) const {
  KeptCalls own;
  const KeptCall *call = findCall(arguments);
  if (!call) {
    auto made = makeCall(arguments, options, own);
    if (!made)
      return made.error();
    call = *made;
  }
  return runRows(*call->call->rowCall(), arguments, options, floats);
}

static constinit thread_local CallMemory::Kept batchesOfThread;

/// A batch of calls that reduce, one after the other.
Status KernelImpl::runRowBatch(const CallArguments &all,
                               const RunOptions &options,
                               DefaultFloats &floats) const {
  const std::size_t batch = all.outputs.size(), used = required.operands.size();
  const CallMemory memory(
      batchesOfThread,
      batch * (sizeof(const KeptCall *) + (1 + used) * sizeof(ByteRange)));
  auto *const written = reinterpret_cast<ByteRange *>(memory.get());
  ByteRange *const read = written + batch;
  auto *const calls = reinterpret_cast<const KeptCall **>(read + batch * used);
  const auto itemAt = [&](std::size_t item) -> CallArguments {
    return {{all.inputs.first + item, all.inputs.count / batch, batch},
            all.outputs.subspan(item, 1)};
  };
  KeptCalls own;
  for (std::size_t item = 0; item < batch; ++item) {
    const CallArguments arguments = itemAt(item);
    // Mostly that of the item before.
    const KeptCall *call = item > 0 ? calls[item - 1] : nullptr;
    if (!call || !call->isFor(arguments) || !call->call->isRight(arguments))
      call = findCall(arguments);
    if (!call) {
      auto made = makeCall(arguments, options, own);
      if (!made)
        return Error(made.error().code(),
                     concat("batch item ", item, ": ", made.error().message()));
      call = *made;
    }
    calls[item] = call;
    written[item] = ByteRange::of(all.outputs[item]);
    for (std::size_t i = 0; i < used; ++i)
      read[i * batch + item] =
          ByteRange::of(arguments.inputs[required.operands[i]]);
  }
  if (auto status = checkBatchOverlap({all.inputs.first, all.inputs.count},
                                      all.outputs, required.operands,
                                      {written, batch}, {read, batch * used});
      !status)
    return status;
  for (std::size_t item = 0; item < batch; ++item)
    if (auto status = runRows(*calls[item]->call->rowCall(), itemAt(item),
                              options, floats);
        !status)
      return status;
  return {};
}

Status KernelImpl::run(Span<const TensorView> inputs,
                       Span<const TensorView> outputs,
                       const RunOptions &options) const {
  DefaultFloats floats;
  if (sweeps)
    return runReducing(argumentsOf(inputs, outputs), options, floats);
  if (runContiguous(argumentsOf(inputs, outputs), options))
    return {};
  if (differInShape(outputs)) {
    auto call = PreparedImpl::create(KernelPtr(KernelPtr(), this), inputs,
                                     outputs, options, true);
    return call ? BoundImpl(std::move(*call), inputs, outputs).run(floats)
                : Status(call.error());
  }
  Invocation call(*this);
  auto status = prepare(call, inputs, outputs);
  const Launch launch = call.launch();
  if (status && call.count() > 0)
    return Execution(*this, {&launch, 1}, options).run(floats);
  return status;
}

Status KernelImpl::runBatch(Span<const TensorView> inputs,
                            Span<const TensorView> outputs,
                            const RunOptions &options) const {
  DefaultFloats floats;
  const std::size_t batch = outputs.size();
  if (required.outputs.size() != 1)
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
  if (sweeps)
    return runRowBatch(argumentsOf(inputs, outputs), options, floats);
  BatchCall calls(*this, {inputs.data(), inputs.size()},
                  {outputs.data(), outputs.size()});
  auto status = calls.prepare();
  if (status && !calls.launches().empty())
    return Execution(*this, calls.launches(), options).run(floats);
  return status;
}

Expected<Shape> KernelImpl::outputShape(Span<const TensorView> inputs,
                                        std::size_t output) const {
  const Operands operands{inputs.data(), inputs.size()};
  if (output >= required.outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the expression has ", required.outputs.size(),
                        " outputs, none of them number ", output));
  if (auto status = required.checkInputs(operands); !status)
    return status.error();
  return required.outputShape(operands, output);
}

bool KernelImpl::differInShape(Span<const TensorView> outputs) const {
  return !required.isUniform &&
         std::any_of(outputs.begin(), outputs.end(),
                     [&](const TensorView &output) {
                       return output.shape() != outputs[0].shape();
                     });
}

Expected<KernelPtr>
KernelImpl::restrictedTo(const std::vector<std::size_t> &outputs) const {
  for (const Restriction &each : restrictions)
    if (each.outputs == outputs)
      return each.kernel;
  KernelSource part{source.compiler, expression(), source.options,
                    plan().restrictedTo(outputs)};
  // All operands of the call are checked by the whole kernel.
  part.plan.graph.mixesTypes = false;
  // A kernel that is not kept is made for each call, for which LLVM takes too
  // long.
  const bool isKept = restrictions.size() < MaxRestrictions;
  if (!isKept)
    part.options.mode = Mode::Interpret;
  auto loop = part.compiler->compile(part.plan, part.options.mode);
  if (!loop)
    return loop.error();
  auto made =
      std::make_shared<const KernelImpl>(std::move(part), std::move(*loop));
  // Of two threads that ask for it at once, both may keep one.
  if (isKept)
    restrictions.push(outputs, made);
  return KernelPtr(std::move(made));
}

Expected<std::string> KernelImpl::dump(Stage stage) const {
  if (static_cast<std::size_t>(stage) >= StageCount)
    return Error(ErrorCode::InvalidArgument, "there is no such stage");
  if (inspect::isOfText(stage))
    return inspect::render(stage, expression());
  const Mode mode = source.options.mode;
  const auto level = lastLevel(plan(), mode);
  if (inspect::isOfCode(stage) && !level)
    return Error(ErrorCode::Unsupported,
                 mode == Mode::Interpret
                     ? "a kernel of the mode 'interpret' has no code"
                     : "a kernel that is too long for code has none");
  semantics::Plan listed = plan();
  if (!listed.listing)
    listed.listing =
        std::make_shared<const syntax::Listing>(syntax::list(expression()));
  const auto targetOf = [this]() -> Expected<codegen::Target> {
    const auto target = source.compiler->target();
    if (!target)
      return target.error();
    return **target;
  };
  return source.compiler->withStack(
      inspect::isOfCode(stage) ? Mode::Optimized : Mode::Interpret, [&] {
        return inspect::render(
            stage,
            {expression(), listed, level.value_or(levelOf(mode)), targetOf});
      });
}
