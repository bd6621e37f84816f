//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/WholeRows.h"

#include <algorithm>
#include <cassert>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {
class WholeRowsBuilder {
public:
  explicit WholeRowsBuilder(std::span<const RowTensor> tensors)
      : tensors(tensors), made(tensors.size()) {}
  void add(const RowSweep &sweep);
  void addBeside(const RowSweep &sweep);
  WholeRows finish();

private:
  ValueId add(const Value &value, std::uint32_t origin);
  ValueId read(std::uint32_t tensor, Value value, std::uint32_t operand,
               std::uint32_t origin);
  std::vector<ValueId> valuesOf(const RowSweep &sweep);
  void store(const RowSweep &sweep, std::size_t output, ValueId value,
             AccessPattern pattern);
  std::vector<NumberId> copied(const NumberGraph &numbers);
  ValueId parameter(DType type, NumberId number, std::uint32_t origin);
  ValueId computed(const Graph &from, ValueId id,
                   std::span<const ValueId> values,
                   std::span<const NumberId> numbers);
  ValueId folded(const Access &access, ValueId elements, std::int64_t uncounted,
                 std::uint32_t origin);

  const std::span<const RowTensor> tensors;
  /// By tensor, its value once it was read or made.
  std::vector<std::optional<ValueId>> made;
  WholeRows whole;
  std::shared_ptr<syntax::Listing> listing;
  std::vector<std::uint32_t> inputs; ///< The tensor of each.
};
} // namespace

/// A value that was there before is that one, whatever the sweep.
ValueId WholeRowsBuilder::add(const Value &value, std::uint32_t origin) {
  Graph &graph = whole.plan.graph;
  if (const auto same = std::ranges::find(graph.values, value);
      same != graph.values.end())
    return static_cast<ValueId>(same - graph.values.begin());
  graph.values.push_back(value);
  graph.origins.push_back(origin);
  return static_cast<ValueId>(graph.values.size() - 1);
}

/// A tensor in memory, once for all sweeps.
ValueId WholeRowsBuilder::read(std::uint32_t tensor, Value value,
                               std::uint32_t operand, std::uint32_t origin) {
  if (made[tensor])
    return *made[tensor];
  value.input = static_cast<std::uint32_t>(inputs.size());
  inputs.push_back(tensor);
  whole.plan.inputs.push_back({.type = value.type,
                               .pattern = *tensors[tensor].pattern,
                               .isKept = tensors[tensor].isKept});
  whole.plan.graph.inputs.push_back(operand);
  made[tensor] = add(value, origin);
  return *made[tensor];
}

/// The same numbers in the plan's graph, where they can be computed as they
/// were before.
std::vector<NumberId> WholeRowsBuilder::copied(const NumberGraph &numbers) {
  std::vector<NumberId> copies;
  for (NumberId id = 0; id < numbers.size(); ++id) {
    NumberNode node = numbers[id];
    for (unsigned i = 0; i < node.arity; ++i)
      node.args[i] = copies[node.args[i]]; // Each stands earlier.
    const auto copy = whole.plan.graph.numbers.add(node);
    assert(copy);
    copies.push_back(*copy);
  }
  return copies;
}

ValueId WholeRowsBuilder::parameter(DType type, NumberId number,
                                    std::uint32_t origin) {
  auto &parameters = whole.plan.graph.parameters;
  for (ValueId id = 0; id < whole.plan.graph.values.size(); ++id) {
    const Value &value = whole.plan.graph.values[id];
    if (value.kind == ValueKind::Parameter && value.type == type &&
        parameters[value.input] == number)
      return id;
  }
  parameters.push_back(number);
  return add({.kind = ValueKind::Parameter,
              .type = type,
              .input = static_cast<std::uint32_t>(parameters.size() - 1)},
             origin);
}

ValueId WholeRowsBuilder::computed(const Graph &from, ValueId id,
                                   std::span<const ValueId> values,
                                   std::span<const NumberId> numbers) {
  Value value = from.values[id];
  if (value.kind == ValueKind::Parameter)
    return parameter(value.type, numbers[from.parameters[value.input]],
                     from.origins[id]);
  for (std::size_t i = 0; i < from.args(from.values[id]).size(); ++i)
    value.args[i] = values[value.args[i]];
  return add(value, from.origins[id]);
}

ValueId WholeRowsBuilder::folded(const Access &access, ValueId elements,
                                 std::int64_t uncounted, std::uint32_t origin) {
  return add({.kind = ValueKind::Fold,
              .type = access.type,
              .op = access.reducing->reduction,
              .bits = static_cast<std::uint64_t>(access.reducing->form) |
                      static_cast<std::uint64_t>(uncounted) << 8,
              .args = {elements}},
             origin);
}

/// What is computed of a sweep's inputs, by its values.
std::vector<ValueId> WholeRowsBuilder::valuesOf(const RowSweep &sweep) {
  const Plan &own = sweep.plan;
  const Graph &from = own.graph;
  whole.plan.precision = own.precision;
  whole.plan.source = own.source;
  if (own.listing && !listing) {
    listing = std::make_shared<syntax::Listing>(*own.listing);
    listing->outputs.clear();
  }
  const std::vector<NumberId> numbers = copied(from.numbers);
  std::vector<ValueId> values;
  for (ValueId id = 0; id < from.values.size(); ++id) {
    const Value &value = from.values[id];
    values.push_back(value.kind == ValueKind::Input
                         ? read(sweep.tensors[own.outputs.size() + value.input],
                                value, from.inputs[value.input],
                                from.origins[id])
                         : computed(from, id, values, numbers));
  }
  return values;
}

void WholeRowsBuilder::store(const RowSweep &sweep, std::size_t output,
                             ValueId value, AccessPattern pattern) {
  whole.plan.graph.outputs.push_back(value);
  whole.plan.outputs.push_back(sweep.plan.outputs[output]);
  whole.plan.outputs.back().pattern = pattern;
  whole.plan.outputs.back().isKept = tensors[sweep.tensors[output]].isKept;
  whole.tensors.push_back(sweep.tensors[output]);
  if (sweep.plan.listing)
    listing->outputs.push_back(sweep.plan.listing->outputs[output]);
}

void WholeRowsBuilder::add(const RowSweep &sweep) {
  const std::vector<ValueId> values = valuesOf(sweep);
  for (std::size_t i = 0; i < sweep.plan.outputs.size(); ++i) {
    const std::uint32_t tensor = sweep.tensors[i];
    const ValueId root = values[sweep.plan.graph.outputs[i]];
    const Access &access = sweep.plan.outputs[i];
    made[tensor] = root;
    if (access.reducing)
      made[tensor] = folded(access, root, tensors[tensor].uncounted,
                            whole.plan.graph.origins[root]);
    else if (tensors[tensor].pattern)
      store(sweep, i, root, *tensors[tensor].pattern);
  }
}

void WholeRowsBuilder::addBeside(const RowSweep &sweep) {
  const std::vector<ValueId> values = valuesOf(sweep);
  for (std::size_t i = 0; i < sweep.plan.outputs.size(); ++i)
    store(sweep, i, values[sweep.plan.graph.outputs[i]],
          sweep.plan.outputs[i].reducing ? AccessPattern::Strided
                                         : AccessPattern::Contiguous);
}

WholeRows WholeRowsBuilder::finish() {
  whole.plan.listing = std::move(listing);
  whole.tensors.insert(whole.tensors.end(), inputs.begin(), inputs.end());
  return std::move(whole);
}

WholeRows semantics::wholeRows(std::span<const RowTensor> tensors,
                               std::span<const RowSweep> sweeps,
                               const RowForm &form) {
  WholeRowsBuilder builder(tensors);
  for (const RowSweep &sweep : sweeps)
    builder.add(sweep);
  WholeRows made = builder.finish();
  made.plan.rowLength = form.rowLength;
  made.plan.isAlongRows = form.isAlongRows;
  made.plan.isInParts = form.isInParts;
  return made;
}

WholeRows semantics::staggeredSweeps(std::span<const RowTensor> tensors,
                                     std::span<const RowSweep> sweeps) {
  WholeRowsBuilder builder(tensors);
  for (const RowSweep &sweep : sweeps)
    builder.addBeside(sweep);
  return builder.finish();
}

std::vector<bool> semantics::valuesOfElements(const Plan &plan) {
  std::vector<bool> areOfElements;
  for (const Value &value : plan.graph.values) {
    bool isOfEach = false;
    if (value.kind == ValueKind::Input) {
      const Access &access = plan.inputs[value.input];
      isOfEach = access.isInRows() || access.pattern == AccessPattern::Row;
    } else if (value.kind != ValueKind::Fold) {
      for (ValueId arg : plan.graph.args(value))
        isOfEach = isOfEach || areOfElements[arg];
    }
    areOfElements.push_back(isOfEach);
  }
  return areOfElements;
}

bool semantics::isRowOfAll(const Plan &plan, const Value &value) {
  return value.kind == ValueKind::Input &&
         plan.inputs[value.input].pattern == AccessPattern::Row;
}

bool semantics::mayTakeParts(const Plan &plan) {
  const auto isIndex = [](const Value &value) {
    return value.kind == ValueKind::Fold &&
           Reducing{value.op, value.form()}.isIndex();
  };
  return plan.work().rareWays == 0 &&
         std::ranges::none_of(plan.graph.values, isIndex);
}

/// By value, whether a sweep along rows computes elements, from those that it
/// reads, as soon as it would read them. What a first cache has no room for
/// takes longer, and what was kept just now from other places of a vector on,
/// as sweeps that stream begin where lines do.
static std::vector<bool> shortValues(const Plan &plan) {
  constexpr std::size_t room = 8192;
  const auto most = [&](const Value &value) {
    return plan.streams || plan.rowLength * sizeOf(value.type) > room ? 3u : 1u;
  };
  const Graph &graph = plan.graph;
  const std::vector<bool> isOfElements = valuesOfElements(plan);
  std::vector<bool> areShort;
  std::vector<unsigned> operations;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    unsigned sum = 0;
    bool isShort = isOfElements[id];
    if (value.kind != ValueKind::Input) {
      sum = graph.workOf(value, plan.precision).operations;
      for (ValueId arg : graph.args(value))
        if (isOfElements[arg]) {
          isShort = isShort && areShort[arg];
          sum += operations[arg];
        }
    }
    operations.push_back(sum);
    areShort.push_back(isShort && sum <= most(value) &&
                       (plan.isAlongRows || isRowOfAll(plan, value)));
  }
  return areShort;
}

/// Finds what each sweep uses and computes.
static void findNeeds(const Plan &plan, const std::vector<bool> &again,
                      RowParts &parts) {
  const Graph &graph = plan.graph;
  const std::size_t size = graph.values.size();
  const std::vector<bool> isOfElements = valuesOfElements(plan);
  parts.needs.assign(parts.sweeps, std::vector<bool>(size));
  parts.computes = parts.needs;
  for (unsigned sweep = 0; sweep < parts.sweeps; ++sweep) {
    std::vector<bool> &needs = parts.needs[sweep];
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      if (plan.outputs[i].isInRows() &&
          parts.sweepOf[graph.outputs[i]] == sweep)
        needs[graph.outputs[i]] = true;
    for (ValueId id = static_cast<ValueId>(size); id-- > 0;) {
      const Value &value = graph.values[id];
      const bool isFolded =
          value.kind == ValueKind::Fold && parts.sweepOf[id] == sweep + 1;
      const bool isFirst = parts.sweepOf[id] == sweep;
      needs[id] =
          isOfElements[id] && (needs[id] || (isFirst && parts.isKept[id]));
      parts.computes[sweep][id] = needs[id] && (isFirst || again[id]);
      if (isFolded || parts.computes[sweep][id])
        for (ValueId arg : graph.args(value))
          needs[arg] = true;
    }
  }
}

RowParts semantics::partsOf(const Plan &plan) {
  const Graph &graph = plan.graph;
  const std::size_t size = graph.values.size();
  RowParts parts{.sweepOf = std::vector<unsigned>(size),
                 .isKept = std::vector<bool>(size),
                 .needs = {},
                 .computes = {}};
  const std::vector<bool> isOfElements = valuesOfElements(plan);
  std::vector<bool> again = shortValues(plan);
  std::vector<unsigned> &sweepOf = parts.sweepOf;
  const auto isFold = [&](ValueId id) {
    return graph.values[id].kind == ValueKind::Fold;
  };
  for (ValueId id = 0; id < size; ++id)
    for (ValueId arg : graph.args(graph.values[id]))
      sweepOf[id] = std::max(sweepOf[id], sweepOf[arg] + (isFold(id) ? 1 : 0));
  constexpr unsigned never = ~0u;
  unsigned stored = never;
  std::vector<unsigned> first(size, never), last(size);
  const auto use = [&](ValueId id, unsigned sweep) {
    first[id] = std::min(first[id], sweep);
    last[id] = std::max(last[id], sweep);
  };
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const unsigned sweep = sweepOf[graph.outputs[i]];
    use(graph.outputs[i], sweep);
    if (!plan.outputs[i].isInRows())
      continue;
    stored = std::min(stored, sweep);
    parts.sweeps = std::max(parts.sweeps, sweep + 1);
  }
  for (ValueId id = static_cast<ValueId>(size); id-- > 0;) {
    // An output may be an operand, which is read before.
    if (graph.values[id].kind == ValueKind::Input)
      first[id] = std::min(first[id], stored);
    if (isOfElements[id] && first[id] != never)
      sweepOf[id] = first[id];
    for (ValueId arg : graph.args(graph.values[id])) {
      use(arg, sweepOf[id] - (isFold(id) ? 1 : 0));
      if (again[id])
        use(arg, last[id]);
    }
  }
  for (ValueId id = 0; id < size; ++id) {
    if (graph.values[id].kind == ValueKind::Input && last[id] > stored &&
        !isRowOfAll(plan, graph.values[id]))
      again[id] = false;
    parts.isKept[id] = isOfElements[id] && last[id] > sweepOf[id] && !again[id];
    if (isFold(id))
      parts.sweeps = std::max(parts.sweeps, sweepOf[id]);
  }
  findNeeds(plan, again, parts);
  return parts;
}

bool semantics::streamsAnywhere(const Plan &plan, const RowParts &parts) {
  const auto isFolded = [&](ValueId id) {
    return plan.graph.values[id].kind == ValueKind::Fold;
  };
  std::size_t stored = 0;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    if (!plan.outputs[i].isInRows())
      continue;
    ++stored;
    for (ValueId id = 0; id < plan.graph.values.size(); ++id)
      if (isFolded(id) &&
          parts.sweepOf[id] == parts.sweepOf[plan.graph.outputs[i]] + 1)
        return false;
  }
  // A line has 64 elements at most, and so many are before its beginning.
  return plan.isAlongRows && stored == 1 &&
         plan.rowLength >= StreamAlignment + ops::ReductionLanes;
}

static constexpr std::size_t LongestVector = 64; // bytes

/// Columns that a step takes at most.
static std::size_t lanesOf(const Plan &plan) {
  std::size_t widest = 1;
  for (const auto *accesses : {&plan.inputs, &plan.outputs})
    for (const Access &access : *accesses)
      widest = std::max(widest, sizeOf(access.type));
  return std::min(LongestVector / widest, ops::ReductionLanes);
}

std::size_t semantics::spillsOfParts(const Plan &plan) {
  constexpr std::size_t most = 32, operations = 4, atOnce = 8;
  if (plan.isAlongRows)
    return 0;
  const std::size_t values = std::min<std::size_t>(
      plan.graph.work(plan.precision).operations / operations, most);
  const bool isWide = plan.precision == Precision::Accurate ||
                      LongestVector / lanesOf(plan) == sizeof(double);
  return values * atOnce * lanesOf(plan) *
         (isWide ? sizeof(double) : sizeof(float));
}

std::size_t semantics::bytesOfParts(const Plan &plan) {
  std::size_t bytes = 0;
  const std::size_t lanes = plan.isAlongRows ? 1 : lanesOf(plan);
  const RowParts parts = partsOf(plan);
  for (ValueId id = 0; id < plan.graph.values.size(); ++id) {
    const Value &value = plan.graph.values[id];
    // Narrow floats are kept as they are computed.
    const std::size_t size =
        lanes * std::max(sizeOf(value.type), sizeOf(DType::F32));
    if (parts.isKept[id]) // Along rows to the end of a vector, and one more.
      bytes += (plan.rowLength + (plan.isAlongRows ? LongestVector : 0)) * size;
    if (value.kind == ValueKind::Fold) {
      const ops::ReductionLoops &loops =
          Reducing{value.op, value.form()}.loops();
      bytes +=
          ops::ReductionLanes * loops.parts * lanes * sizeOf(loops.element);
    }
  }
  return bytes;
}
