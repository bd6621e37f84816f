//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/PnnxGraph.h"

#include "Graph/ExecutionPlan.h"
#include "Graph/Faults.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

//===-- Tensors of a run --------------------------------------------------===//

namespace {
/// The tensors of one run, by port; outputs that the host did not give are
/// empty.
struct RunTensors {
  std::vector<TensorView> inputs, outputs;
};
} // namespace

static Error fault(ErrorCode code, const char *kind, std::string_view name,
                   const std::string &what) {
  return Error(code, concat(kind, ' ', quotedName(name), ' ', what));
}

/// "'a', 'b'".
static std::string listNames(const std::vector<GraphPort> &ports) {
  std::string list;
  for (const GraphPort &port : ports)
    list += (list.empty() ? "" : ", ") + quotedName(port.name);
  return list;
}

/// Checks that a tensor is valid, and fits the type and shape in the file.
static Status checkTensor(const char *kind, const GraphPort &port,
                          const TensorView &tensor) {
  const Shape &shape = tensor.shape(), &strides = tensor.strides();
  if (tensor.empty() || sizeOf(tensor.type()) == 0 || !shape.valid() ||
      shape.elementCount() < 0 || strides.rank() != shape.rank())
    return fault(ErrorCode::InvalidArgument, kind, port.name,
                 "is no tensor with a shape and strides that make sense");
  if (!tensor.data() && shape.elementCount() > 0)
    return fault(ErrorCode::InvalidArgument, kind, port.name,
                 "is a null pointer");
  if (port.shape && !fits(shape, *port.shape))
    return fault(ErrorCode::ShapeMismatch, kind, port.name,
                 concat("has shape ", shape.str(), ", and the file says ",
                        port.shape->str()));
  if (port.type && tensor.type() != *port.type)
    return fault(ErrorCode::TypeMismatch, kind, port.name,
                 concat("is ", nameOf(tensor.type()), ", and the file says ",
                        nameOf(*port.type)));
  return {};
}

static Expected<std::vector<TensorView>>
matchPorts(const char *kind, const std::vector<GraphPort> &ports,
           Span<const NamedTensor> tensors) {
  std::vector<TensorView> matched(ports.size());
  for (const NamedTensor &given : tensors) {
    const auto port =
        std::find_if(ports.begin(), ports.end(),
                     [&](const GraphPort &p) { return p.name == given.name; });
    if (port == ports.end())
      return fault(ErrorCode::InvalidArgument, kind, given.name,
                   "is not one of the graph's: " + listNames(ports));
    TensorView &view = matched[port - ports.begin()];
    if (!view.empty())
      return fault(ErrorCode::InvalidArgument, kind, given.name,
                   "is given twice");
    if (Status status = checkTensor(kind, *port, given.tensor); !status)
      return status.error();
    view = given.tensor;
  }
  return matched;
}

/// Finds the port of each named tensor and checks it against the file. All
/// inputs must be given. Errors: see `PnnxGraph::run`.
static Expected<RunTensors> matchTensors(const Flow &flow,
                                         Span<const NamedTensor> inputs,
                                         Span<const NamedTensor> outputs) {
  auto in = matchPorts("input", flow.inputs, inputs);
  if (!in)
    return in.error();
  for (std::size_t i = 0; i < in->size(); ++i)
    if ((*in)[i].empty())
      return fault(ErrorCode::MissingOperand, "input", flow.inputs[i].name,
                   concat("is missing: ", inputs.size(), " tensors given for ",
                          flow.inputs.size(), " inputs"));
  auto out = matchPorts("output", flow.outputs, outputs);
  if (!out)
    return out.error();
  return RunTensors{std::move(*in), std::move(*out)};
}

namespace {
struct AddressRange {
  std::uintptr_t begin, end;
};
} // namespace

static AddressRange rangeOf(const TensorView &tensor) {
  const auto first = reinterpret_cast<std::uintptr_t>(tensor.data());
  if (tensor.empty() || tensor.shape().elementCount() == 0)
    return {first, first};
  // Unsigned arithmetic wraps: a host may give any strides.
  std::uintptr_t lowest = 0, highest = 1;
  for (std::size_t axis = 0; axis < tensor.shape().rank(); ++axis)
    (tensor.strides()[axis] < 0 ? lowest : highest) +=
        static_cast<std::uintptr_t>(tensor.shape()[axis] - 1) *
        static_cast<std::uintptr_t>(tensor.strides()[axis]);
  return {first + lowest * sizeOf(tensor.type()),
          first + highest * sizeOf(tensor.type())};
}

static bool overlap(const TensorView &a, const TensorView &b) {
  const AddressRange left = rangeOf(a), right = rangeOf(b);
  return left.begin < right.end && right.begin < left.end;
}

/// Whether any of the tensors overlaps the arena.
static bool areIn(const Arena &arena, const RunTensors &tensors) {
  const auto begin = reinterpret_cast<std::uintptr_t>(arena.data());
  const auto isInside = [&](const TensorView &tensor) {
    const AddressRange own = rangeOf(tensor);
    return own.begin < begin + arena.size() && begin < own.end;
  };
  return std::any_of(tensors.inputs.begin(), tensors.inputs.end(), isInside) ||
         std::any_of(tensors.outputs.begin(), tensors.outputs.end(), isInside);
}

static Status checkApart(const Flow &flow, const RunTensors &tensors,
                         std::size_t output) {
  const TensorView &own = tensors.outputs[output];
  const auto shares = [&](const char *kind, const GraphPort &port) {
    return fault(
        ErrorCode::OverlappingOutput, "output", flow.outputs[output].name,
        concat("shares memory with ", kind, ' ', quotedName(port.name)));
  };
  for (std::size_t i = 0; i < tensors.inputs.size(); ++i)
    if (overlap(own, tensors.inputs[i]))
      return shares("input", flow.inputs[i]);
  for (std::size_t i = 0; i < output; ++i)
    if (overlap(own, tensors.outputs[i]))
      return shares("output", flow.outputs[i]);
  return {};
}

/// Checks that the given outputs have the types of the plan, and share no
/// memory with inputs or each other.
static Status checkOutputs(const Flow &flow, const ExecutionPlan &plan,
                           const RunTensors &tensors) {
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    const TensorView &given = tensors.outputs[i];
    const TensorType &type = plan.typed.typeOf(flow.outputValues[i]);
    if (given.empty())
      continue;
    const auto wrong = [&](ErrorCode code, std::string_view is,
                           std::string_view mustBe) {
      return fault(code, "output", flow.outputs[i].name,
                   concat("is ", is, ", and its value is ", mustBe));
    };
    if (given.shape() != type.shape)
      return wrong(ErrorCode::ShapeMismatch, given.shape().str(),
                   type.shape.str());
    if (given.type() != type.type)
      return wrong(ErrorCode::TypeMismatch, nameOf(given.type()),
                   nameOf(type.type));
    if (Status status = checkApart(flow, tensors, i); !status)
      return status;
  }
  return {};
}

//===-- Runs --------------------------------------------------------------===//

class kexpr::graph::GraphImpl {
public:
  GraphImpl(const Engine &engine, Flow flow, const GraphOptions &options)
      : engine(engine), flow(std::move(flow)), options(options) {}

  /// Plans for the shapes in the file, if they are complete.
  Status planDeclared();
  /// Appends the time of each step to `times`, unless it is null.
  Status run(Span<const NamedTensor> inputs, Span<const NamedTensor> outputs,
             const RunOptions &run,
             std::vector<std::chrono::nanoseconds> *times = nullptr);
  Expected<TensorView> output(std::string_view name) const;

  const Flow &network() const { return flow; }
  const ExecutionPlan *plan() const {
    return plans.empty() ? nullptr : &plans.front();
  }
  std::vector<GraphStep> steps() const;

private:
  Status usePlan(std::vector<TensorType> types);
  Status bindPlan();
  Status bindTensors(const RunTensors &tensors);
  Status runStep(const Step &step, const RunOptions &run);
  Expected<TensorView> ownMemory(std::size_t output, const RunTensors &tensors);
  Status keepNumber(std::size_t output, const RunTensors &tensors);
  Status copyOutput(std::size_t output, const RunOptions &run);
  Status copyOutputs(const RunTensors &tensors, const RunOptions &run);

  Engine engine;
  Flow flow;
  GraphOptions options;
  std::vector<ExecutionPlan> plans; ///< The most recently used first.
  Arena arena;
  /// By output: memory of the graph. Several where the host gives a run what an
  /// earlier run computed.
  std::vector<std::vector<Arena>> kept;
  bool isBound = false;          ///< Whether `views` are the first plan's.
  std::vector<TensorView> views; ///< By value, in this run.
  std::vector<TensorView> stepInputs, stepOutputs; ///< Of the current step.
  std::vector<TensorView> results;                 ///< By output, if `isDone`.
  bool isDone = false; ///< Whether the last run succeeded.
};

// A host that alternates between a few shapes plans each once.
static constexpr std::size_t MostPlans = 4;

Status GraphImpl::planDeclared() {
  std::vector<TensorType> types;
  for (const GraphPort &port : flow.inputs) {
    if (!port.type || !port.shape || port.shape->elementCount() < 0)
      return {};
    types.push_back({*port.type, *port.shape});
  }
  return usePlan(std::move(types));
}

/// Brings the plan for inputs of these types to the front.
Status GraphImpl::usePlan(std::vector<TensorType> types) {
  auto found =
      std::find_if(plans.begin(), plans.end(), [&](const ExecutionPlan &plan) {
        return plan.inputs == types;
      });
  isBound = isBound && found == plans.begin();
  if (found == plans.end()) {
    auto plan = makePlan(flow, engine, options, std::move(types));
    if (!plan)
      return plan.error();
    if (plans.size() == MostPlans)
      plans.pop_back();
    found = plans.insert(plans.end(), std::move(*plan));
  }
  std::rotate(plans.begin(), found, found + 1);
  return {};
}

/// Sets the views of constants and intermediate values, which stay the same as
/// long as the plan does.
Status GraphImpl::bindPlan() {
  const ExecutionPlan &plan = plans.front();
  views.assign(flow.values.size(), TensorView());
  const auto bind = [&](ValueId value, void *data) {
    const TensorType &type = plan.typed.typeOf(value);
    views[value] = {data, type.type, type.shape};
  };
  for (ValueId i = 0; i < flow.values.size(); ++i)
    if (const TensorView *constant = flow.values[i].constant)
      bind(i, constant->data());
  for (const NumberTensor &number : plan.typed.numbers)
    bind(number.value, const_cast<std::int64_t *>(number.bytes.data()));
  if (Status status = arena.reserve(plan.memory.arena); !status)
    return status;
  for (const auto &[value, offset] : plan.arenaValues)
    bind(value, arena.data() + offset);
  isBound = true;
  return {};
}

/// Sets the views of inputs and outputs. An output is computed in the host's
/// tensor if that is row-major, else in memory of the graph.
Status GraphImpl::bindTensors(const RunTensors &tensors) {
  const ExecutionPlan &plan = plans.front();
  for (std::size_t i = 0; i < tensors.inputs.size(); ++i)
    views[flow.inputValues[i]] = tensors.inputs[i];
  for (const ValueId value : plan.computedOutputs)
    views[value] = TensorView();
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    const TensorView &given = tensors.outputs[i];
    TensorView &view = views[flow.outputValues[i]];
    if (view.empty() && !given.empty() &&
        given.strides() == contiguousStrides(given.shape()))
      view = given;
  }
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    TensorView &view = views[flow.outputValues[i]];
    if (!view.empty())
      continue;
    auto own = ownMemory(i, tensors);
    if (!own)
      return own.error();
    view = *own;
  }
  return {};
}

/// Memory of the graph for an output. Memory that this run was given as a
/// tensor is left alone, even if it is the graph's own.
Expected<TensorView> GraphImpl::ownMemory(std::size_t output,
                                          const RunTensors &tensors) {
  kept.resize(flow.outputs.size());
  std::vector<Arena> &own = kept[output];
  auto free = std::find_if(own.begin(), own.end(), [&](const Arena &memory) {
    return !areIn(memory, tensors);
  });
  if (free == own.end())
    free = own.emplace(own.end());
  const ValueId value = flow.outputValues[output];
  if (Status status = free->reserve(plans.front().bytesOf(value)); !status)
    return status.error();
  const TensorType &type = plans.front().typed.typeOf(value);
  return TensorView(static_cast<void *>(free->data()), type.type, type.shape);
}

Status GraphImpl::runStep(const Step &step, const RunOptions &run) {
  stepInputs.clear();
  stepOutputs.clear();
  // All have the axes of the output, or fewer.
  const auto viewOf = [&](ValueId value) {
    const std::size_t rank =
        step.groups ? views[step.outputs[0]].shape().rank() : 0;
    return step.groups ? *inGroups(views[value], rank, step.groups)
                       : views[value];
  };
  for (const ValueId value : step.inputs)
    stepInputs.push_back(viewOf(value));
  for (const ValueId value : step.outputs)
    stepOutputs.push_back(viewOf(value));
  Status status =
      step.kernel ? step.kernel->run(stepInputs, stepOutputs, run)
                  : callHost([&] {
                      return step.layer->forward(stepInputs, stepOutputs, run);
                    });
  return status ? status : inOperator(*step.op, status.error());
}

Status GraphImpl::copyOutput(std::size_t output, const RunOptions &run) {
  const TensorView &from = views[flow.outputValues[output]];
  auto kernel = engine.compile(
      "@0", {.mode = options.mode, .operandTypes = {from.type()}});
  if (!kernel)
    return kernel.error();
  return kernel->run(from, results[output], run);
}

/// Copies a Python value out of the plan, which may be dropped before the host
/// reads the output.
Status GraphImpl::keepNumber(std::size_t output, const RunTensors &tensors) {
  auto own = ownMemory(output, tensors);
  if (!own)
    return own.error();
  const ValueId value = flow.outputValues[output];
  std::copy_n(static_cast<const char *>(views[value].data()),
              plans.front().bytesOf(value), static_cast<char *>(own->data()));
  results[output] = *own;
  return {};
}

/// Fills `results`, and copies outputs that were computed elsewhere to the
/// tensors of the host.
Status GraphImpl::copyOutputs(const RunTensors &tensors,
                              const RunOptions &run) {
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    const ValueId value = flow.outputValues[i];
    const bool isGiven = !tensors.outputs[i].empty();
    results[i] = isGiven ? tensors.outputs[i] : views[value];
    Status status;
    if (!isGiven && plans.front().typed.values[value].number)
      status = keepNumber(i, tensors);
    else if (results[i].data() != views[value].data())
      status = copyOutput(i, run);
    if (!status)
      return status;
  }
  return {};
}

Status GraphImpl::run(Span<const NamedTensor> inputs,
                      Span<const NamedTensor> outputs, const RunOptions &run,
                      std::vector<std::chrono::nanoseconds> *times) {
  auto tensors = matchTensors(flow, inputs, outputs);
  if (!tensors)
    return tensors.error();
  std::vector<TensorType> types;
  for (const TensorView &input : tensors->inputs)
    types.push_back({input.type(), input.shape()});
  if (Status status = usePlan(std::move(types)); !status)
    return status;
  if (Status status = checkOutputs(flow, plans.front(), *tensors); !status)
    return status;
  isDone = false;
  if (!isBound)
    if (Status status = bindPlan(); !status)
      return status;
  if (Status status = bindTensors(*tensors); !status)
    return status;
  using Clock = std::chrono::steady_clock;
  for (const Step &step : plans.front().steps) {
    const auto start = times ? Clock::now() : Clock::time_point();
    if (Status status = runStep(step, run); !status)
      return status;
    if (times)
      times->push_back(Clock::now() - start);
  }
  results.resize(flow.outputs.size());
  Status status = copyOutputs(*tensors, run);
  isDone = bool(status);
  return status;
}

std::vector<GraphStep> GraphImpl::steps() const {
  std::vector<GraphStep> reports;
  if (const ExecutionPlan *current = plan())
    for (const Step &step : current->steps)
      reports.push_back(current->report(flow, step));
  return reports;
}

Expected<TensorView> GraphImpl::output(std::string_view name) const {
  for (std::size_t i = 0; i < flow.outputs.size(); ++i)
    if (flow.outputs[i].name == name) {
      if (!isDone)
        return Error(ErrorCode::InvalidArgument,
                     "output " + quotedName(name) +
                         " has no value before a run");
      return results[i];
    }
  return Error(ErrorCode::InvalidArgument,
               "the graph has no output " + quotedName(name));
}

//===-- The public class --------------------------------------------------===//

PnnxGraph::PnnxGraph(std::unique_ptr<GraphImpl> graph)
    : impl(std::move(graph)) {}
PnnxGraph::PnnxGraph(PnnxGraph &&) noexcept = default;
PnnxGraph &PnnxGraph::operator=(PnnxGraph &&) noexcept = default;
PnnxGraph::~PnnxGraph() = default;

Expected<PnnxGraph> PnnxGraph::create(const Engine &engine,
                                      const PnnxModel &model,
                                      const LayerRegistry &registry,
                                      const GraphOptions &options) {
  return guarded([&]() -> Expected<PnnxGraph> {
    auto flow = makeFlow(model, registry, options.extraOutputs);
    if (!flow)
      return flow.error();
    auto impl = std::make_unique<GraphImpl>(engine, std::move(*flow), options);
    if (Status status = impl->planDeclared(); !status)
      return status.error();
    return PnnxGraph(std::move(impl));
  });
}

Span<const GraphPort> PnnxGraph::inputs() const {
  return impl->network().inputs;
}

Span<const GraphPort> PnnxGraph::outputs() const {
  return impl->network().outputs;
}

Status PnnxGraph::run(Span<const NamedTensor> inputs,
                      Span<const NamedTensor> outputs,
                      const RunOptions &options) {
  return guarded([&] { return impl->run(inputs, outputs, options); });
}

Expected<std::vector<GraphStep>>
PnnxGraph::profile(Span<const NamedTensor> inputs,
                   Span<const NamedTensor> outputs, const RunOptions &options) {
  return guarded([&]() -> Expected<std::vector<GraphStep>> {
    std::vector<std::chrono::nanoseconds> times;
    if (Status status = impl->run(inputs, outputs, options, &times); !status)
      return status.error();
    auto steps = impl->steps();
    for (std::size_t i = 0; i < steps.size(); ++i)
      steps[i].time = times[i];
    return steps;
  });
}

Expected<TensorView> PnnxGraph::output(std::string_view name) const {
  return guarded([&] { return impl->output(name); });
}

std::vector<GraphStep> PnnxGraph::steps() const {
  return orEmpty([&] { return impl->steps(); });
}

GraphMemory PnnxGraph::memory() const {
  const ExecutionPlan *plan = impl->plan();
  return plan ? plan->memory : GraphMemory();
}
