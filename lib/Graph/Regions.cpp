//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Regions.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

using namespace kexpr;
using namespace kexpr::graph;

// What this many operations compute is computed again rather than stored and
// read: a kernel waits for memory longer than that.
static constexpr unsigned CheapOperations = 8;

namespace {
using Units = std::set<UnitId>;

/// Turns groups into regions.
class RegionMaker {
public:
  RegionMaker(const Flow &flow, const Draft &draft, const Uses &uses,
              std::vector<Group> groups);

  void copyCheapUnits();
  void dropUnneeded();
  std::vector<Region> order() const;

private:
  std::vector<ValueId> operandsOf(const Units &units) const;
  Units ancestorsOf(UnitId unit) const;
  bool isCheap(const Units &units) const;
  bool addsNothing(const Units &copies, const Units &region) const;
  bool tryCopy(std::size_t group, ValueId value);
  bool isOutput(std::size_t group, UnitId unit) const;
  Units liveUnitsOf(std::size_t group) const;
  Region regionOf(std::uint32_t group) const;

  const Draft &draft;
  const Uses &uses;
  std::vector<Group> groups;
  std::vector<Units> all; ///< By group: its units and copies.
  std::vector<std::uint32_t> groupOf;
  std::vector<bool> isNeeded; ///< By value: taken by another group, or kept.
};
} // namespace

RegionMaker::RegionMaker(const Flow &flow, const Draft &draft, const Uses &uses,
                         std::vector<Group> gathered)
    : draft(draft), uses(uses), groups(std::move(gathered)),
      groupOf(draft.units.size()), isNeeded(draft.facts.size(), false) {
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    for (const UnitId unit : groups[group].units)
      groupOf[unit] = group;
    all.emplace_back(groups[group].units.begin(), groups[group].units.end());
  }
  for (const ValueId output : flow.outputValues)
    isNeeded[output] = true;
}

/// The values that a kernel of these units reads, each once.
std::vector<ValueId> RegionMaker::operandsOf(const Units &units) const {
  std::vector<ValueId> operands;
  for (const UnitId unit : units)
    for (const ValueId input : draft.units[unit].inputs)
      if (!units.count(uses.producers[input]))
        operands.push_back(input);
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return operands;
}

/// A unit and all in its group that it needs.
Units RegionMaker::ancestorsOf(UnitId unit) const {
  Units found = {unit};
  for (auto it = found.rbegin(); it != found.rend(); ++it)
    for (const ValueId input : draft.units[*it].inputs)
      if (const UnitId producer = uses.producers[input];
          producer != Uses::None && groupOf[producer] == groupOf[unit])
        found.insert(producer);
  return found;
}

bool RegionMaker::isCheap(const Units &units) const {
  unsigned operations = 0;
  for (const UnitId unit : units)
    operations += draft.units[unit].operations;
  return operations <= CheapOperations;
}

/// Whether a region with these copies reads no more operands than before.
bool RegionMaker::addsNothing(const Units &copies, const Units &region) const {
  Units both = copies;
  both.insert(region.begin(), region.end());
  return operandsOf(both).size() <= operandsOf(region).size();
}

/// Computes an operand within the region instead, if that pays.
bool RegionMaker::tryCopy(std::size_t group, ValueId value) {
  const UnitId producer = uses.producers[value];
  if (producer == Uses::None || uses.isKept[value] ||
      !draft.units[producer].isElementwise())
    return false;
  // Types depend on which operands are 0-d, and inside a kernel none is.
  const auto rankOf = [&](UnitId unit) {
    return draft.facts[draft.units[unit].outputs[0]].tensor.shape.rank();
  };
  if (rankOf(producer) == 0 && rankOf(groups[group].units[0]) != 0)
    return false;
  Units copies = ancestorsOf(producer);
  if (!isCheap(copies) || !addsNothing(copies, all[group]))
    return false;
  copies.insert(all[group].begin(), all[group].end());
  std::size_t values = 0;
  for (const UnitId unit : copies)
    values += draft.units[unit].values;
  if (!isModest(copies.size(), values))
    return false;
  all[group] = std::move(copies);
  return true;
}

void RegionMaker::copyCheapUnits() {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (all[group].empty() || !draft.units[*all[group].begin()].isElementwise())
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

bool RegionMaker::isOutput(std::size_t group, UnitId unit) const {
  return groupOf[unit] == group && isNeeded[draft.units[unit].outputs[0]];
}

/// The units of a group that somebody needs. All of its takers are known.
Units RegionMaker::liveUnitsOf(std::size_t group) const {
  Units live, taken;
  for (auto unit = all[group].rbegin(); unit != all[group].rend(); ++unit) {
    if (draft.units[*unit].isElementwise() && !isOutput(group, *unit) &&
        !taken.count(*unit))
      continue;
    live.insert(*unit);
    for (const ValueId input : draft.units[*unit].inputs)
      taken.insert(uses.producers[input]);
  }
  return live;
}

/// From the last takers to the first producers.
void RegionMaker::dropUnneeded() {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return groups[a].level > groups[b].level;
  });
  for (const std::size_t group : order) {
    all[group] = liveUnitsOf(group);
    for (const ValueId operand : operandsOf(all[group]))
      isNeeded[operand] = true;
  }
}

Region RegionMaker::regionOf(std::uint32_t group) const {
  Region region{{all[group].begin(), all[group].end()}, {}};
  for (const UnitId unit : region.units)
    if (!draft.units[unit].isElementwise())
      region.outputs = draft.units[unit].outputs;
    else if (isOutput(group, unit))
      region.outputs.push_back(draft.units[unit].outputs[0]);
  return region;
}

/// Regions in an order that can be executed, as near to the file's as can be.
std::vector<Region> RegionMaker::order() const {
  std::vector<std::uint32_t> waiting(groups.size(), 0);
  std::vector<std::vector<std::uint32_t>> followers(groups.size());
  for (std::uint32_t group = 0; group < groups.size(); ++group)
    for (const ValueId operand : operandsOf(all[group]))
      if (const UnitId producer = uses.producers[operand];
          producer != Uses::None) {
        followers[groupOf[producer]].push_back(group);
        ++waiting[group];
      }
  using Entry = std::pair<UnitId, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (std::uint32_t group = 0; group < groups.size(); ++group)
    if (waiting[group] == 0 && !all[group].empty())
      ready.emplace(*all[group].rbegin(), group);
  std::vector<Region> regions;
  while (!ready.empty()) {
    const std::uint32_t group = ready.top().second;
    ready.pop();
    regions.push_back(regionOf(group));
    for (const std::uint32_t follower : followers[group])
      if (--waiting[follower] == 0)
        ready.emplace(*all[follower].rbegin(), follower);
  }
  return regions;
}

std::vector<Region> graph::makeRegions(const Flow &flow, const Draft &draft,
                                       bool fuse) {
  const Uses uses(flow, draft);
  RegionMaker maker(flow, draft, uses, makeGroups(draft, uses, fuse));
  if (fuse)
    maker.copyCheapUnits();
  maker.dropUnneeded();
  return maker.order();
}
