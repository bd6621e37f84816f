//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Regions.h"

#include "Graph/TypedFlow.h"
#include "Semantics/Broadcast.h"
#include "Support/Guarded.h"
#include "Support/Text.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

using namespace kexpr;
using namespace kexpr::graph;

// Limits of a kernel, for its compile time. It may have more values than there
// are registers: spilling one costs less than a pass over memory.
static constexpr std::size_t MostValues = 2048;
static constexpr std::size_t MostUnits = 512;
static constexpr std::size_t MostOperands = 32;
static constexpr std::size_t MostOutputs = 16;
static constexpr std::size_t MostSiblings = 8;
static constexpr unsigned MostReductions = 8;
// A value may have a hundred thousand takers.
static constexpr std::size_t MostTakersSeen = 4096;

// Units of so few operations are computed again: storing them takes longer.
static constexpr unsigned CheapOperations = 8;

static bool fitsKernel(std::size_t units, std::size_t values) {
  return units <= MostUnits && values <= MostValues;
}

namespace {
using GroupId = std::uint32_t;

/// The loops that units run in.
struct Loops {
  Shape elements = {};
  std::optional<RegionRows> rows = {}; ///< Of the elements, if a unit reduces.
  unsigned reductions = 0;
  /// Whether no other unit may join: they are a layer's, or the unit that was
  /// added last has a result of rank 0 for many elements. Inside a kernel that
  /// has no rank, and types depend on it.
  bool isClosed = false;

  /// Makes them loops for others too; false if they cannot be, which changes
  /// nothing.
  bool join(const Loops &others);

private:
  bool hasRows(const Shape &shape) const;
};

/// Units that will be computed together. Values go from a group to groups of a
/// higher level only, so that groups form no cycle.
struct Group {
  unsigned level = 0;
  std::vector<UnitId> units = {};
  std::size_t values = 0;             ///< Of their graphs.
  std::vector<ValueId> operands = {}; ///< Of a kernel of them, ascending.
  std::vector<ValueId> outputs = {};  ///< Values that other units take, so far.
  Loops loops;
};

/// The producer and the takers of every value.
class Uses {
public:
  static constexpr UnitId None = ~UnitId{0};
  Uses(const RegionGraph &graph);

  /// Ascending.
  Span<const UnitId> takersOf(ValueId value) const {
    return {takers.data() + begins[value], begins[value + 1] - begins[value]};
  }

  std::vector<UnitId> producers; ///< By value; None for constants.
  std::vector<bool> isKept;      ///< By value: an output, or taken by a layer.

private:
  std::vector<UnitId> takers;      ///< Those of value 0, of value 1...
  std::vector<std::size_t> begins; ///< By value, in `takers`.
};
} // namespace

/// Whether results of one element a row have this shape.
bool Loops::hasRows(const Shape &shape) const {
  // No tensor has the axes of groups.
  return shape.rank() > 0 && rows->groups == 0 &&
         (shape == semantics::reducedShape(elements, rows->reduced, true) ||
          shape == semantics::reducedShape(elements, rows->reduced, false));
}

bool Loops::join(const Loops &others) {
  if (others.isClosed || reductions + others.reductions > MostReductions)
    return false;
  const bool isSame = elements == others.elements &&
                      (!rows || !others.rows || rows == others.rows);
  const bool areRows = rows && !others.rows && hasRows(others.elements);
  const bool isOfRows = others.rows && !rows && others.hasRows(elements);
  if (!isSame && !areRows && !isOfRows)
    return false;
  if (!rows) {
    elements = others.elements;
    rows = others.rows;
  }
  reductions += others.reductions;
  return true;
}

Uses::Uses(const RegionGraph &graph)
    : producers(graph.shapes.size(), None), isKept(graph.shapes.size(), false),
      begins(graph.shapes.size() + 1) {
  // A unit that takes a value several times is one taker.
  std::vector<UnitId> lastTaker(graph.shapes.size(), None);
  for (UnitId id = 0; id < graph.units.size(); ++id) {
    const RegionUnit &unit = graph.units[id];
    for (const ValueId output : unit.outputs)
      producers[output] = id;
    for (const ValueId input : unit.inputs) {
      begins[input] += std::exchange(lastTaker[input], id) != id;
      if (!unit.isFormula)
        isKept[input] = true;
    }
  }
  for (const ValueId output : graph.outputs)
    isKept[output] = true;
  // At first the end of each list, which is filled from its back.
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  takers.resize(begins.back());
  lastTaker.assign(lastTaker.size(), None);
  for (UnitId id = static_cast<UnitId>(graph.units.size()); id-- > 0;)
    for (const ValueId input : graph.units[id].inputs)
      if (std::exchange(lastTaker[input], id) != id)
        takers[--begins[input]] = id;
}

namespace {
/// Adds units one by one, producers first, to groups of units that may become
/// one kernel. Every layer is a group of its own. Some groups end up empty.
class GroupBuilder {
public:
  GroupBuilder(const RegionGraph &graph, const Uses &uses)
      : groupOf(graph.units.size()), graph(graph), uses(uses) {}

  void add(UnitId unit, bool mayJoin);

  std::vector<Group> groups;
  std::vector<GroupId> groupOf; ///< By unit, of those added.

private:
  using Candidates = std::vector<GroupId>;

  Loops loopsOf(UnitId unit) const;
  static bool holds(const Candidates &chosen, GroupId group) {
    return std::find(chosen.begin(), chosen.end(), group) != chosen.end();
  }
  unsigned levelFor(UnitId unit, const Candidates &chosen) const;
  bool canStandAt(GroupId group, unsigned level,
                  const Candidates &chosen) const;
  bool tryJoin(UnitId unit, Candidates chosen);
  Candidates producersOf(UnitId unit) const;
  Candidates siblingsOf(UnitId unit) const;
  Group joined(UnitId unit, const Candidates &chosen) const;
  void join(UnitId unit, const Candidates &chosen, Group group);

  const RegionGraph &graph;
  const Uses &uses;
  UnitId next = 0; ///< The first unit that is in no group yet.
};
} // namespace

Loops GroupBuilder::loopsOf(UnitId unit) const {
  if (!graph.units[unit].isFormula)
    return {.isClosed = true};
  const auto &rows = graph.units[unit].rows;
  const Shape &shape = graph.shapes[graph.units[unit].outputs[0]];
  if (rows)
    return {rows->elements, rows, 1,
            shape.rank() == 0 && rows->elements.rank() != 0};
  return {.elements = shape};
}

/// The level of a group of `unit` and the chosen ones.
unsigned GroupBuilder::levelFor(UnitId unit, const Candidates &chosen) const {
  unsigned level = 0;
  for (const GroupId group : chosen)
    level = std::max(level, groups[group].level);
  for (const ValueId input : graph.units[unit].inputs)
    if (const UnitId producer = uses.producers[input];
        producer != Uses::None && !holds(chosen, groupOf[producer]))
      level = std::max(level, groups[groupOf[producer]].level + 1);
  return level;
}

/// Whether a group can be raised to a level together with the chosen ones: all
/// others that take its values so far must be higher.
bool GroupBuilder::canStandAt(GroupId group, unsigned level,
                              const Candidates &chosen) const {
  if (groups[group].level == level)
    return true;
  std::size_t seen = 0;
  for (const ValueId output : groups[group].outputs)
    for (const UnitId taker : uses.takersOf(output)) {
      if (taker >= next)
        break;
      const GroupId other = groupOf[taker];
      if (other != group && !holds(chosen, other) &&
          (groups[other].level <= level || ++seen > MostTakersSeen))
        return false;
    }
  return true;
}

/// Joins `unit` with as many of the chosen groups as possible; these are in
/// order of preference.
bool GroupBuilder::tryJoin(UnitId unit, Candidates chosen) {
  chosen.resize(std::min(chosen.size(), MostOperands + MostOutputs));
  Loops loops = loopsOf(unit);
  std::erase_if(
      chosen, [&](GroupId group) { return !loops.join(groups[group].loops); });
  while (!chosen.empty()) {
    const unsigned level = levelFor(unit, chosen);
    const auto stuck =
        std::find_if(chosen.begin(), chosen.end(), [&](GroupId group) {
          return !canStandAt(group, level, chosen);
        });
    if (stuck != chosen.end()) {
      chosen.erase(stuck);
      continue;
    }
    Group group = joined(unit, chosen);
    group.level = level;
    std::size_t units = 1;
    for (const GroupId each : chosen)
      units += groups[each].units.size();
    if (fitsKernel(units, group.values) &&
        group.operands.size() <= MostOperands &&
        group.outputs.size() <= MostOutputs) {
      join(unit, chosen, std::move(group));
      return true;
    }
    chosen.pop_back();
  }
  return false;
}

/// The group of `unit` and the chosen ones, but for its level and units.
Group GroupBuilder::joined(UnitId unit, const Candidates &chosen) const {
  const RegionUnit &own = graph.units[unit];
  Group group{0,
              {},
              own.values,
              own.inputs,
              {own.outputs.begin(), own.outputs.end()},
              loopsOf(unit)};
  for (const GroupId each : chosen) {
    const Group &part = groups[each];
    group.loops.join(part.loops);
    group.values += part.values;
    group.operands.insert(group.operands.end(), part.operands.begin(),
                          part.operands.end());
    group.outputs.insert(group.outputs.end(), part.outputs.begin(),
                         part.outputs.end());
  }
  const auto isInside = [&](UnitId other) {
    return other == unit || (other < unit && holds(chosen, groupOf[other]));
  };
  std::sort(group.operands.begin(), group.operands.end());
  const auto end = std::unique(group.operands.begin(), group.operands.end());
  group.operands.erase(end, group.operands.end());
  std::erase_if(group.operands, [&](ValueId operand) {
    return uses.producers[operand] != Uses::None &&
           isInside(uses.producers[operand]);
  });
  std::erase_if(group.outputs, [&](ValueId output) {
    const auto takers = uses.takersOf(output);
    return !uses.isKept[output] &&
           std::all_of(takers.begin(), takers.end(), isInside);
  });
  return group;
}

/// Moves units from the smaller groups to the largest, which becomes `group`.
void GroupBuilder::join(UnitId unit, const Candidates &chosen, Group group) {
  const GroupId kept = *std::max_element(
      chosen.begin(), chosen.end(), [&](GroupId a, GroupId b) {
        return groups[a].units.size() < groups[b].units.size();
      });
  group.units = std::move(groups[kept].units);
  for (const GroupId each : chosen) {
    if (each == kept)
      continue;
    for (const UnitId moved : std::exchange(groups[each], {}).units) {
      groupOf[moved] = kept;
      group.units.push_back(moved);
    }
  }
  groupOf[unit] = kept;
  group.units.push_back(unit);
  groups[kept] = std::move(group);
}

/// The groups that `unit` takes values from, by level, highest first.
GroupBuilder::Candidates GroupBuilder::producersOf(UnitId unit) const {
  Candidates chosen;
  for (const ValueId input : graph.units[unit].inputs)
    if (const UnitId producer = uses.producers[input];
        producer != Uses::None && !holds(chosen, groupOf[producer]))
      chosen.push_back(groupOf[producer]);
  std::stable_sort(chosen.begin(), chosen.end(), [&](GroupId a, GroupId b) {
    return groups[a].level > groups[b].level;
  });
  return chosen;
}

/// The latest groups that share an operand with `unit`, of the shape of the
/// elements.
GroupBuilder::Candidates GroupBuilder::siblingsOf(UnitId unit) const {
  Candidates siblings;
  const Shape shape = loopsOf(unit).elements;
  for (const ValueId input : graph.units[unit].inputs) {
    if (graph.shapes[input] != shape)
      continue;
    const auto takers = uses.takersOf(input);
    auto taker = std::lower_bound(takers.begin(), takers.end(), next);
    for (std::size_t tried = 0; tried < MostSiblings && taker != takers.begin();
         ++tried)
      if (!holds(siblings, groupOf[*--taker]))
        siblings.push_back(groupOf[*taker]);
  }
  return siblings;
}

void GroupBuilder::add(UnitId unit, bool mayJoin) {
  next = unit;
  if (mayJoin) {
    if (tryJoin(unit, producersOf(unit)))
      return;
    for (const GroupId sibling : siblingsOf(unit))
      if (tryJoin(unit, {sibling}))
        return;
  }
  Group group = mayJoin ? joined(unit, {}) : Group{.loops = loopsOf(unit)};
  group.level = levelFor(unit, {});
  group.units = {unit};
  groupOf[unit] = static_cast<GroupId>(groups.size());
  groups.push_back(std::move(group));
}

using UnitList = std::vector<UnitId>; ///< Ascending.

namespace {
/// Turns groups into regions.
class RegionBuilder {
public:
  RegionBuilder(const RegionGraph &graph, const Uses &uses,
                GroupBuilder grouped);

  void copyCheapUnits();
  void dropUnneeded();
  std::vector<Region> order() const;

private:
  std::vector<ValueId> operandsOf(const UnitList &units) const;
  UnitList ancestorsOf(UnitId unit) const;
  bool tryCopy(GroupId group, ValueId value);
  bool isOutput(GroupId group, UnitId unit) const;
  Region regionOf(GroupId group) const;

  const RegionGraph &graph;
  const Uses &uses;
  std::vector<Group> groups;
  std::vector<GroupId> groupOf; ///< By unit.
  std::vector<UnitList> all;    ///< By group: its units and copies.
  std::vector<std::vector<ValueId>> operands; ///< By group, once known.
  std::vector<bool> isNeeded; ///< By value: taken by another group, or kept.
};
} // namespace

RegionBuilder::RegionBuilder(const RegionGraph &graph, const Uses &uses,
                             GroupBuilder grouped)
    : graph(graph), uses(uses), groups(std::move(grouped.groups)),
      groupOf(std::move(grouped.groupOf)), operands(groups.size()),
      isNeeded(graph.shapes.size(), false) {
  for (Group &group : groups) {
    std::sort(group.units.begin(), group.units.end());
    all.push_back(std::move(group.units));
  }
  for (const ValueId output : graph.outputs)
    isNeeded[output] = true;
}

/// The values that a kernel of these units reads, each once.
std::vector<ValueId> RegionBuilder::operandsOf(const UnitList &units) const {
  std::vector<ValueId> found;
  for (const UnitId unit : units)
    for (const ValueId input : graph.units[unit].inputs)
      if (!std::binary_search(units.begin(), units.end(),
                              uses.producers[input]))
        found.push_back(input);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// A unit and the units of its group that it depends on.
UnitList RegionBuilder::ancestorsOf(UnitId unit) const {
  std::set<UnitId> found = {unit};
  for (auto it = found.rbegin(); it != found.rend(); ++it)
    for (const ValueId input : graph.units[*it].inputs)
      if (const UnitId producer = uses.producers[input];
          producer != Uses::None && groupOf[producer] == groupOf[unit])
        found.insert(producer);
  return {found.begin(), found.end()};
}

/// Computes an operand within the region instead, if that pays: its units are
/// cheap, and the region reads no more operands than before.
bool RegionBuilder::tryCopy(GroupId group, ValueId value) {
  const UnitId producer = uses.producers[value];
  if (producer == Uses::None || uses.isKept[value] ||
      !graph.units[producer].isFormula)
    return false;
  // Types depend on which operands are 0-d, and inside a kernel none is.
  const auto rankOf = [&](UnitId unit) {
    return graph.shapes[graph.units[unit].outputs[0]].rank();
  };
  if (rankOf(producer) == 0 && rankOf(all[group][0]) != 0)
    return false;
  const UnitList copies = ancestorsOf(producer);
  unsigned operations = 0;
  for (const UnitId unit : copies)
    operations += graph.units[unit].rows ? CheapOperations + 1
                                         : graph.units[unit].operations;
  if (operations > CheapOperations)
    return false;
  UnitList both;
  std::set_union(copies.begin(), copies.end(), all[group].begin(),
                 all[group].end(), std::back_inserter(both));
  if (operandsOf(both).size() > operandsOf(all[group]).size())
    return false;
  std::size_t values = 0;
  for (const UnitId unit : both)
    values += graph.units[unit].values;
  if (!fitsKernel(both.size(), values))
    return false;
  all[group] = std::move(both);
  return true;
}

void RegionBuilder::copyCheapUnits() {
  for (GroupId group = 0; group < groups.size(); ++group) {
    if (all[group].empty() || !graph.units[all[group][0]].isFormula)
      continue;
    bool hasChanged = true;
    while (std::exchange(hasChanged, false))
      for (const ValueId operand : operandsOf(all[group]))
        if (tryCopy(group, operand)) {
          hasChanged = true;
          break;
        }
  }
}

bool RegionBuilder::isOutput(GroupId group, UnitId unit) const {
  return groupOf[unit] == group && isNeeded[graph.units[unit].outputs[0]];
}

/// Drops units whose results are not needed, from the last takers to the first
/// producers.
void RegionBuilder::dropUnneeded() {
  std::vector<GroupId> order(groups.size());
  std::iota(order.begin(), order.end(), GroupId{0});
  std::stable_sort(order.begin(), order.end(), [&](GroupId a, GroupId b) {
    return groups[a].level > groups[b].level;
  });
  // By unit: the last group in which another unit takes its result.
  std::vector<GroupId> takenIn(graph.units.size(), ~GroupId{0});
  for (const GroupId group : order) {
    UnitList live;
    for (auto unit = all[group].rbegin(); unit != all[group].rend(); ++unit) {
      if (graph.units[*unit].isFormula && !isOutput(group, *unit) &&
          takenIn[*unit] != group)
        continue;
      live.push_back(*unit);
      for (const ValueId input : graph.units[*unit].inputs)
        if (const UnitId producer = uses.producers[input];
            producer != Uses::None)
          takenIn[producer] = group;
    }
    std::reverse(live.begin(), live.end());
    all[group] = std::move(live);
    operands[group] = operandsOf(all[group]);
    for (const ValueId operand : operands[group])
      isNeeded[operand] = true;
  }
}

Region RegionBuilder::regionOf(GroupId group) const {
  Region region{all[group], {}};
  for (const UnitId unit : region.units)
    if (const auto outputs = graph.units[unit].outputs;
        !graph.units[unit].isFormula || isOutput(group, unit))
      region.outputs.insert(region.outputs.end(), outputs.begin(),
                            outputs.end());
  return region;
}

/// Regions in an order of execution that follows the file where it can.
std::vector<Region> RegionBuilder::order() const {
  // From the group that computes a value to one that takes it.
  std::vector<std::pair<GroupId, GroupId>> edges;
  std::vector<std::uint32_t> waiting(groups.size(), 0);
  for (GroupId group = 0; group < groups.size(); ++group)
    for (const ValueId operand : operands[group])
      if (const UnitId producer = uses.producers[operand];
          producer != Uses::None) {
        edges.emplace_back(groupOf[producer], group);
        ++waiting[group];
      }
  std::sort(edges.begin(), edges.end());
  using ReadyGroup = std::pair<UnitId, GroupId>; ///< By its last unit.
  std::priority_queue<ReadyGroup, std::vector<ReadyGroup>, std::greater<>>
      ready;
  for (GroupId group = 0; group < groups.size(); ++group)
    if (waiting[group] == 0 && !all[group].empty())
      ready.emplace(all[group].back(), group);
  std::vector<Region> regions;
  regions.reserve(groups.size());
  while (!ready.empty()) {
    const GroupId group = ready.top().second;
    ready.pop();
    regions.push_back(regionOf(group));
    auto edge = std::lower_bound(edges.begin(), edges.end(),
                                 std::pair(group, GroupId{0}));
    for (; edge != edges.end() && edge->first == group; ++edge)
      if (--waiting[edge->second] == 0)
        ready.emplace(all[edge->second].back(), edge->second);
  }
  return regions;
}

/// Success if every value is the graph's, computed at most once and before it
/// is taken.
static Status checkGraph(const RegionGraph &graph) {
  std::vector<bool> isTaken(graph.shapes.size()), isMade(graph.shapes.size());
  const auto isValue = [&](ValueId value) {
    return value < graph.shapes.size();
  };
  for (UnitId id = 0; id < graph.units.size(); ++id) {
    const RegionUnit &unit = graph.units[id];
    const auto fault = [&](const char *what) {
      return Error(ErrorCode::InvalidArgument, concat("unit ", id, what));
    };
    if (unit.isFormula && unit.outputs.size() != 1)
      return fault(" is a formula without one result");
    for (const ValueId input : unit.inputs) {
      if (!isValue(input))
        return fault(" takes a value that is not there");
      isTaken[input] = true;
    }
    for (const ValueId output : unit.outputs) {
      if (!isValue(output) || isMade[output] || isTaken[output])
        return fault(" computes a value that is not there, or is there before");
      isMade[output] = true;
    }
  }
  if (!std::all_of(graph.outputs.begin(), graph.outputs.end(), isValue))
    return Error(ErrorCode::InvalidArgument, "an output that is not there");
  return {};
}

Expected<std::vector<Region>> kexpr::makeRegions(const RegionGraph &graph,
                                                 bool fuse) {
  return guarded([&]() -> Expected<std::vector<Region>> {
    if (Status status = checkGraph(graph); !status)
      return status.error();
    const Uses uses(graph);
    GroupBuilder grouped(graph, uses);
    grouped.groups.reserve(graph.units.size());
    for (UnitId unit = 0; unit < graph.units.size(); ++unit)
      grouped.add(unit, fuse && graph.units[unit].isFormula);
    RegionBuilder builder(graph, uses, std::move(grouped));
    if (fuse)
      builder.copyCheapUnits();
    builder.dropUnneeded();
    return builder.order();
  });
}
