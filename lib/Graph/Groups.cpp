//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Groups.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::graph;

Uses::Uses(const Flow &flow, const Draft &draft)
    : producers(draft.facts.size(), None), takers(draft.facts.size()),
      isKept(draft.facts.size(), false) {
  for (UnitId id = 0; id < draft.units.size(); ++id) {
    const Unit &unit = draft.units[id];
    for (const ValueId output : unit.outputs)
      producers[output] = id;
    for (const ValueId input : unit.inputs) {
      if (takers[input].empty() || takers[input].back() != id)
        takers[input].push_back(id);
      if (!unit.isElementwise())
        isKept[input] = true;
    }
  }
  for (const ValueId output : flow.outputValues)
    isKept[output] = true;
}

// Compile time grows with these; more values than registers are no matter, as
// spilling one costs less than a pass over memory.
static constexpr std::size_t MostValues = 2048;
static constexpr std::size_t MostUnits = 512;
static constexpr std::size_t MostOperands = 32;
static constexpr std::size_t MostOutputs = 16;
static constexpr std::size_t MostSiblings = 8;
// A value may have a hundred thousand takers.
static constexpr std::size_t MostTakersSeen = 4096;

bool graph::isModest(std::size_t units, std::size_t values) {
  return units <= MostUnits && values <= MostValues;
}

namespace {
/// Places units one by one, producers first.
class Gatherer {
public:
  Gatherer(const Draft &draft, const Uses &uses)
      : draft(draft), uses(uses), groupOf(draft.units.size()) {}

  void placeAlone(UnitId unit);
  void placeElementwise(UnitId unit);

  std::vector<Group> groups;

private:
  using GroupId = std::uint32_t;
  using Chosen = std::vector<GroupId>;

  const Shape &shapeOf(ValueId value) const {
    return draft.facts[value].tensor.shape;
  }
  bool isAlike(UnitId a, UnitId b) const {
    return draft.units[a].isElementwise() && draft.units[b].isElementwise() &&
           shapeOf(draft.units[a].outputs[0]) ==
               shapeOf(draft.units[b].outputs[0]);
  }
  static bool holds(const Chosen &chosen, GroupId group) {
    return std::find(chosen.begin(), chosen.end(), group) != chosen.end();
  }
  unsigned levelFor(UnitId unit, const Chosen &chosen) const;
  bool canStandAt(GroupId group, unsigned level, const Chosen &chosen) const;
  bool tryJoin(UnitId unit, Chosen chosen);
  Chosen producersOf(UnitId unit) const;
  Chosen siblingsOf(UnitId unit) const;
  Group joined(UnitId unit, const Chosen &chosen) const;
  void join(UnitId unit, const Chosen &chosen, Group group);

  const Draft &draft;
  const Uses &uses;
  std::vector<GroupId> groupOf; ///< Of units placed so far.
  UnitId next = 0;              ///< The first unit that is not.
};
} // namespace

/// The level of a group of `unit` and the chosen ones.
unsigned Gatherer::levelFor(UnitId unit, const Chosen &chosen) const {
  unsigned level = 0;
  for (const GroupId group : chosen)
    level = std::max(level, groups[group].level);
  for (const ValueId input : draft.units[unit].inputs)
    if (const UnitId producer = uses.producers[input];
        producer != Uses::None && !holds(chosen, groupOf[producer]))
      level = std::max(level, groups[groupOf[producer]].level + 1);
  return level;
}

/// Whether a group can be lifted to a level together with the chosen ones: all
/// that take its values so far must be higher.
bool Gatherer::canStandAt(GroupId group, unsigned level,
                          const Chosen &chosen) const {
  if (groups[group].level == level)
    return true;
  std::size_t seen = 0;
  for (const ValueId output : groups[group].outputs)
    for (const UnitId taker : uses.takers[output]) {
      if (taker >= next)
        break;
      const GroupId other = groupOf[taker];
      if (other != group && !holds(chosen, other) &&
          (groups[other].level <= level || ++seen > MostTakersSeen))
        return false;
    }
  return true;
}

/// Joins what can be joined of `chosen`, which is in the order of preference.
bool Gatherer::tryJoin(UnitId unit, Chosen chosen) {
  chosen.resize(std::min(chosen.size(), MostOperands + MostOutputs));
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
    if (isModest(units, group.values) &&
        group.operands.size() <= MostOperands &&
        group.outputs.size() <= MostOutputs) {
      join(unit, chosen, std::move(group));
      return true;
    }
    chosen.pop_back();
  }
  return false;
}

/// What the group of `unit` and the chosen ones reads and writes; the units
/// themselves are left out.
Group Gatherer::joined(UnitId unit, const Chosen &chosen) const {
  const Unit &own = draft.units[unit];
  Group group{0, {}, own.values, own.inputs, own.outputs};
  for (const GroupId each : chosen) {
    const Group &part = groups[each];
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
    const auto &takers = uses.takers[output];
    return !uses.isKept[output] &&
           std::all_of(takers.begin(), takers.end(), isInside);
  });
  return group;
}

/// Units move from the smaller groups to the largest.
void Gatherer::join(UnitId unit, const Chosen &chosen, Group group) {
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

/// The groups like `unit` that it takes values from, highest first.
Gatherer::Chosen Gatherer::producersOf(UnitId unit) const {
  Chosen chosen;
  for (const ValueId input : draft.units[unit].inputs)
    if (const UnitId producer = uses.producers[input];
        producer != Uses::None && isAlike(unit, producer) &&
        !holds(chosen, groupOf[producer]))
      chosen.push_back(groupOf[producer]);
  std::stable_sort(chosen.begin(), chosen.end(), [&](GroupId a, GroupId b) {
    return groups[a].level > groups[b].level;
  });
  return chosen;
}

/// The latest groups like `unit` that read something of its own size, as it
/// does.
Gatherer::Chosen Gatherer::siblingsOf(UnitId unit) const {
  Chosen siblings;
  const Shape &shape = shapeOf(draft.units[unit].outputs[0]);
  for (const ValueId input : draft.units[unit].inputs) {
    if (shapeOf(input) != shape)
      continue;
    const auto &takers = uses.takers[input];
    auto taker = std::lower_bound(takers.begin(), takers.end(), next);
    for (std::size_t tried = 0; tried < MostSiblings && taker != takers.begin();
         ++tried)
      if (isAlike(unit, *--taker) && !holds(siblings, groupOf[*taker]))
        siblings.push_back(groupOf[*taker]);
  }
  return siblings;
}

void Gatherer::placeElementwise(UnitId unit) {
  next = unit;
  if (tryJoin(unit, producersOf(unit)))
    return;
  for (const GroupId sibling : siblingsOf(unit))
    if (tryJoin(unit, {sibling}))
      return;
  placeAlone(unit);
}

void Gatherer::placeAlone(UnitId unit) {
  next = unit;
  Group group = joined(unit, {});
  group.level = levelFor(unit, {});
  group.units = {unit};
  groupOf[unit] = static_cast<GroupId>(groups.size());
  groups.push_back(std::move(group));
}

std::vector<Group> graph::makeGroups(const Draft &draft, const Uses &uses,
                                     bool fuse) {
  Gatherer gatherer(draft, uses);
  for (UnitId unit = 0; unit < draft.units.size(); ++unit)
    if (fuse && draft.units[unit].isElementwise())
      gatherer.placeElementwise(unit);
    else
      gatherer.placeAlone(unit);
  return std::move(gatherer.groups);
}
