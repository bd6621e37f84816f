//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Groups.h"

#include <algorithm>
#include <map>

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

// Compile time grows with these, and the text is put together and parsed
// whenever shapes are new; far more than the regions of real networks.
static constexpr std::size_t MostTextNodes = 2048;
static constexpr std::size_t MostUnits = 64;
static constexpr std::size_t MostOperands = 32;
static constexpr std::size_t MostOutputs = 16;
static constexpr std::size_t MostSiblings = 8;

bool graph::isModest(const Draft &draft, const Uses &uses,
                     const std::set<UnitId> &units) {
  if (units.size() > MostUnits)
    return false;
  std::map<UnitId, std::size_t> nodes;
  std::set<ValueId> operands;
  std::size_t outputs = 0;
  for (const UnitId id : units) {
    const Unit &unit = draft.units[id];
    std::size_t own = unit.textNodes;
    for (const Term &term : unit.terms) {
      if (!term.value)
        continue;
      const auto producer = nodes.find(uses.producers[*term.value]);
      if (producer != nodes.end())
        own += producer->second;
      else
        operands.insert(*term.value);
    }
    const ValueId result = unit.outputs[0];
    const auto &takers = uses.takers[result];
    outputs += uses.isKept[result] ||
               std::any_of(takers.begin(), takers.end(),
                           [&](UnitId taker) { return !units.count(taker); });
    nodes[id] = own;
    if (own > MostTextNodes)
      return false;
  }
  return operands.size() <= MostOperands && outputs <= MostOutputs;
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
  void join(const Chosen &chosen, std::set<UnitId> units, unsigned level);

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
  for (const UnitId unit : groups[group].units)
    for (const ValueId output : draft.units[unit].outputs)
      for (const UnitId taker : uses.takers[output]) {
        const GroupId other = groupOf[taker];
        if (taker < next && other != group && !holds(chosen, other) &&
            groups[other].level <= level)
          return false;
      }
  return true;
}

/// Joins what can be joined of `chosen`, which is in the order of preference.
bool Gatherer::tryJoin(UnitId unit, Chosen chosen) {
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
    std::set<UnitId> units = {unit};
    for (const GroupId group : chosen)
      units.insert(groups[group].units.begin(), groups[group].units.end());
    if (isModest(draft, uses, units)) {
      join(chosen, std::move(units), level);
      return true;
    }
    chosen.pop_back();
  }
  return false;
}

void Gatherer::join(const Chosen &chosen, std::set<UnitId> units,
                    unsigned level) {
  for (const GroupId group : chosen)
    groups[group].units.clear();
  for (const UnitId unit : units)
    groupOf[unit] = chosen[0];
  groups[chosen[0]] = {level, std::move(units)};
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
  groupOf[unit] = static_cast<GroupId>(groups.size());
  groups.push_back({levelFor(unit, {}), {unit}});
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
