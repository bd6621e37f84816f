//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Sweeps.h"

#include <algorithm>
#include <map>
#include <set>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {
/// What one loop computes has one key: the leaves, which values are computed
/// from, say over which elements it goes.
struct SweepKey {
  bool isStore;
  /// How many reductions must come before it, one after the other; twice that,
  /// and one more if it keeps what they lead to.
  unsigned stage;
  /// How many sweeps of the stage must come before it, one after the other, as
  /// each reads elements that the one before keeps.
  unsigned turn;
  std::uint32_t axisSet;
  std::vector<ValueId> leaves; ///< Ascending.
  bool isExact = false;
  bool isScan = false;
  auto operator<=>(const SweepKey &) const = default;
};

class SweepBuilder {
public:
  SweepBuilder(const Plan &plan, bool keepsElements)
      : whole(plan), graph(plan.graph), keepsElements(keepsElements) {}
  std::vector<Sweep> run();

private:
  using Targets = std::vector<SweepTarget>;
  using SweepTargets = std::map<SweepKey, Targets>;
  void findStages();
  void cutViews();
  void cutRows();
  void cutElements();
  void addReductions(SweepTargets &targets);
  void addRows(SweepTargets &targets);
  void addViewed(SweepTargets &targets);
  std::vector<bool> neededBy(ValueId root, bool isMade = false) const;
  std::vector<ValueId> leavesOf(ValueId root, bool isMade = false) const;
  void findUses();
  bool isNeededLater(ValueId id, ValueId reduction) const;
  bool isWidened(ValueId id) const;
  std::uint32_t axesOf(ValueId reduction) const;
  ValueId rootOf(const SweepTarget &target) const;
  std::shared_ptr<const syntax::Listing>
  listingOf(const Targets &targets) const;
  Sweep make(const SweepKey &key, const Targets &targets) const;

  const Plan &whole;
  const Graph &graph;
  const bool keepsElements;
  std::vector<unsigned> stages;
  static constexpr std::uint32_t SeveralAxes = ~0u;
  /// What needs a value in its loop: reductions of stages from the first to the
  /// last one, those of the first over such axes, outputs up to a stage, and
  /// what is kept of rows or for views from a stage on.
  struct Uses {
    void add(const Uses &other);
    unsigned first = ~0u;
    std::uint32_t axes = 0;
    unsigned last = 0, stored = 0, kept = ~0u;
  };
  std::vector<Uses> uses; ///< By value.
  /// By value: whether a sweep reads it from memory.
  std::vector<bool> isRead;
  /// Elements that are kept beside the reductions of the same sweep.
  std::vector<ValueId> keptElements, keptRows;
  unsigned lastTurn = 0; ///< Of what is kept of rows.
  /// Values that are kept to be seen in another shape; ascending.
  std::vector<ValueId> keptViewed;
};
} // namespace

void SweepBuilder::findStages() {
  for (const Value &value : graph.values) {
    unsigned stage = 0;
    for (ValueId arg : graph.args(value))
      stage = std::max(stage, stages[arg]);
    const bool isCut = value.goesOverAxes() || value.kind == ValueKind::View;
    stages.push_back(stage + isCut);
    isRead.push_back(isCut);
  }
}

/// Has what views see in another shape be in memory.
void SweepBuilder::cutViews() {
  for (const Value &value : graph.values) {
    if (value.kind != ValueKind::View)
      continue;
    for (ValueId seen : graph.readBy(value))
      if (!isRead[seen] && graph.values[seen].kind != ValueKind::Input) {
        isRead[seen] = true;
        keptViewed.push_back(seen);
      }
  }
  std::sort(keptViewed.begin(), keptViewed.end());
}

/// Has calls on results of reductions alone, where elements need them, be done
/// once a row.
void SweepBuilder::cutRows() {
  std::vector<std::uint32_t> rows; // See `Graph::rowsOf`.
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    const std::uint32_t own = graph.rowsOf(value, rows);
    // What a view sees is stored after all rows of its stage.
    rows.push_back(
        std::ranges::binary_search(keptViewed, id) ? Graph::OfElements : own);
    if (own != Graph::OfElements || value.isElement())
      continue;
    for (ValueId arg : graph.args(value)) {
      const Value &used = graph.values[arg];
      if (rows[arg] < Graph::OfElements && !isRead[arg] &&
          graph.axisSets[rows[arg]].stay && !graph.args(used).empty()) {
        isRead[arg] = true;
        keptRows.push_back(arg);
      }
    }
  }
}

/// The values that a root is computed from in one loop, itself included; of one
/// that is read, itself, unless it is made by this very loop.
std::vector<bool> SweepBuilder::neededBy(ValueId root, bool isMade) const {
  std::vector<bool> needed(graph.values.size());
  needed[root] = true;
  for (ValueId id = root + 1; id-- > 0;)
    if (needed[id] && (!isRead[id] || (isMade && id == root)))
      for (ValueId arg : graph.args(graph.values[id]))
        needed[arg] = true;
  return needed;
}

/// The first set of the axes that a reduction or scan is over: whether these
/// stay is nothing to a sweep.
std::uint32_t SweepBuilder::axesOf(ValueId reduction) const {
  const AxisSet &own = graph.axisSets[graph.values[reduction].input];
  const auto same =
      std::ranges::find_if(graph.axisSets, [&](const AxisSet &set) {
        return set.axes == own.axes && set.first == own.first;
      });
  return static_cast<std::uint32_t>(same - graph.axisSets.begin());
}

void SweepBuilder::Uses::add(const Uses &other) {
  if (other.first < first) {
    first = other.first;
    axes = other.axes;
  } else if (other.first == first && other.axes != axes) {
    axes = SeveralAxes;
  }
  last = std::max(last, other.last);
  stored = std::max(stored, other.stored);
  kept = std::min(kept, other.kept);
}

void SweepBuilder::findUses() {
  uses.assign(graph.values.size(), {});
  for (ValueId output : graph.outputs)
    uses[output].add({.stored = stages[output]});
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].goesOverAxes())
      uses[graph.values[id].args[0]].add(
          {.first = stages[id], .axes = axesOf(id), .last = stages[id]});
  for (const auto *kept : {&keptRows, &keptViewed})
    for (ValueId id : *kept)
      for (ValueId arg : graph.args(graph.values[id]))
        uses[arg].add({.kept = stages[id]});
  for (auto id = static_cast<ValueId>(graph.values.size()); id-- > 0;)
    if (!isRead[id])
      for (ValueId arg : graph.args(graph.values[id]))
        uses[arg].add(uses[id]);
}

/// Whether sweeps behind that of a reduction need a value that it computes, and
/// all sweeps that do come behind it or are its own.
bool SweepBuilder::isNeededLater(ValueId id, ValueId reduction) const {
  const Uses &all = uses[id];
  const unsigned own = stages[reduction];
  return all.first >= own && all.kept >= own && all.axes != SeveralAxes &&
         (all.last > own || all.stored > stages[id]);
}

bool SweepBuilder::isWidened(ValueId id) const {
  const Value &value = graph.values[id];
  return value.kind == ValueKind::Convert && value.type == DType::F64 &&
         graph.values[value.args[0]].type == DType::F32;
}

/// Keeps elements that a reduction and a later sweep compute, where that takes
/// longer than to read them.
void SweepBuilder::cutElements() {
  constexpr unsigned cheap = 8; // operations
  // For what follows; sweeps read it from the one on that keeps it.
  const std::vector<bool> readAtFirst = isRead;
  findUses();
  for (ValueId reduction = 0; reduction < graph.values.size(); ++reduction) {
    if (graph.values[reduction].kind != ValueKind::Reduce)
      continue;
    const ValueId root = graph.values[reduction].args[0];
    const std::vector<bool> own = neededBy(root);
    // From the root on, the first that another sweep needs.
    for (ValueId id = root + 1; id-- > 0;) {
      if (!own[id] || isRead[id] || graph.args(graph.values[id]).empty() ||
          !isNeededLater(id, reduction))
        continue;
      // Words are read faster than what they are converted to.
      while (isWidened(id) &&
             isNeededLater(graph.values[id].args[0], reduction))
        id = graph.values[id].args[0];
      const ValueId kept[] = {id};
      if (graph.restrictedTo(kept, isRead).work(whole.precision).operations >
          cheap) {
        keptElements.push_back(id);
        isRead[id] = true;
        findUses();
      }
      break;
    }
  }
  isRead = readAtFirst;
}

std::vector<ValueId> SweepBuilder::leavesOf(ValueId root, bool isMade) const {
  std::vector<ValueId> leaves;
  const std::vector<bool> needed = neededBy(root, isMade);
  for (ValueId id = 0; id <= root; ++id)
    if (needed[id] &&
        (isRead[id] || graph.values[id].kind == ValueKind::Input) &&
        !(isMade && id == root))
      leaves.push_back(id);
  return leaves;
}

ValueId SweepBuilder::rootOf(const SweepTarget &target) const {
  switch (target.kind) {
  case SweepTarget::Kind::Reduced:
  case SweepTarget::Kind::Scanned:
    return graph.values[target.index].args[0];
  case SweepTarget::Kind::Stored:
    return graph.outputs[target.index];
  default:
    return target.index;
  }
}

/// The whole's text, where values that are no output stand at their operator.
std::shared_ptr<const syntax::Listing>
SweepBuilder::listingOf(const Targets &targets) const {
  if (!whole.listing)
    return nullptr;
  auto listing = std::make_shared<syntax::Listing>(*whole.listing);
  listing->outputs.clear();
  for (const SweepTarget &target : targets)
    listing->outputs.push_back(
        target.kind == SweepTarget::Kind::Stored
            ? whole.listing->outputs[target.index]
            : listing->nodes[graph.origins[target.index]]);
  return listing;
}

Sweep SweepBuilder::make(const SweepKey &key, const Targets &targets) const {
  std::vector<ValueId> roots;
  std::vector<bool> isInput = isRead;
  for (const SweepTarget &target : targets) {
    roots.push_back(rootOf(target));
    if (target.kind == SweepTarget::Kind::Kept)
      isInput[target.index] = false;
  }
  Sweep sweep{.plan = {.graph = graph.restrictedTo(roots, isInput),
                       .inputs = {},
                       .outputs = {},
                       .precision = whole.precision,
                       .listing = listingOf(targets),
                       .source = whole.source},
              .axisSet = std::nullopt,
              .targets = targets,
              .elements = roots[0],
              .isExact = key.isExact};
  sweep.plan.setContiguous();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const SweepTarget::Kind kind = targets[i].kind;
    if (kind == SweepTarget::Kind::Scanned)
      sweep.axisSet = key.axisSet;
    if (kind != SweepTarget::Kind::Reduced)
      continue;
    sweep.axisSet = key.axisSet;
    const Value &value = graph.values[targets[i].index];
    if (value.isExact())
      continue; // Of these, elements are stored.
    Access &access = sweep.plan.outputs[i];
    access.pattern = AccessPattern::Constant;
    access.reducing = {value.op, value.form()};
  }
  return sweep;
}

void SweepBuilder::addReductions(SweepTargets &targets) {
  using enum SweepTarget::Kind;
  std::map<ValueId, SweepKey> keepers;
  // What is kept is of the first sweep that has it.
  std::vector<ValueId> inTurn;
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].goesOverAxes())
      inTurn.push_back(id);
  std::ranges::stable_sort(inTurn, {}, [&](ValueId id) { return stages[id]; });
  std::vector<bool> readBefore; // What is read of earlier stages.
  unsigned stage = 0;
  for (ValueId id : inTurn) {
    if (stages[id] != stage)
      readBefore = isRead;
    stage = stages[id];
    const Value &value = graph.values[id];
    const ValueId root = value.args[0];
    SweepKey key{.isStore = false,
                 .stage = 2 * stages[id],
                 .turn = 0,
                 .axisSet = axesOf(id),
                 .leaves = leavesOf(root),
                 .isExact = value.isExact(),
                 .isScan = value.kind == ValueKind::Scan};
    // The sweep that keeps elements need not read what it makes of them.
    SweepKey own = key;
    isRead.swap(readBefore);
    own.leaves = leavesOf(root);
    isRead.swap(readBefore);
    bool isOwn = !key.isScan && targets.contains(own);
    for (ValueId leaf : key.leaves)
      if (const auto keeper = keepers.find(leaf);
          keeper != keepers.end() && keeper->second.stage == key.stage) {
        key.turn = std::max(key.turn, keeper->second.turn + 1);
        isOwn &= keeper->second == own;
      }
    if (isOwn)
      key = own;
    targets[key].push_back({key.isScan ? Scanned : Reduced, id});
    if (key.isScan)
      continue;
    const std::vector<bool> needed = neededBy(root);
    for (ValueId kept : keptElements)
      if (needed[kept] && !isRead[kept]) {
        targets[key].push_back({Kept, kept});
        isRead[kept] = true;
        keepers[kept] = key;
      }
  }
}

/// Those that need the same are one sweep, in which one may be made of another.
/// Else one that reads another comes after it.
void SweepBuilder::addRows(SweepTargets &targets) {
  struct Kept {
    std::set<ValueId> leaves; ///< Its own, and those of what it reads here.
    unsigned turn = 0;
  };
  std::map<ValueId, Kept> made;
  std::sort(keptRows.begin(), keptRows.end());
  for (ValueId id : keptRows) {
    Kept &kept = made[id];
    std::vector<const Kept *> before;
    for (ValueId leaf : leavesOf(id, true))
      if (const auto other = made.find(leaf);
          other != made.end() && stages[leaf] == stages[id]) {
        before.push_back(&other->second);
        kept.leaves.insert(before.back()->leaves.begin(),
                           before.back()->leaves.end());
      } else {
        kept.leaves.insert(leaf);
      }
    for (const Kept *other : before)
      kept.turn =
          std::max(kept.turn, other->turn + (other->leaves != kept.leaves));
    lastTurn = std::max(lastTurn, kept.turn);
    targets[{false,
             2 * stages[id] + 1,
             kept.turn,
             0,
             {kept.leaves.begin(), kept.leaves.end()}}]
        .push_back({SweepTarget::Kind::Kept, id});
  }
}

/// After the rows of a stage, and one after the other where one reads another.
void SweepBuilder::addViewed(SweepTargets &targets) {
  std::map<ValueId, unsigned> turns;
  for (ValueId id : keptViewed) {
    unsigned &turn = turns[id] = lastTurn + 1;
    const std::vector<ValueId> leaves = leavesOf(id, true);
    for (ValueId leaf : leaves)
      if (const auto other = turns.find(leaf);
          other != turns.end() && stages[leaf] == stages[id])
        turn = std::max(turn, other->second + 1);
    targets[{false, 2 * stages[id] + 1, turn, 0, leaves}].push_back(
        {SweepTarget::Kind::Kept, id});
  }
}

std::vector<Sweep> SweepBuilder::run() {
  using enum SweepTarget::Kind;
  findStages();
  cutViews();
  cutRows();
  if (keepsElements)
    cutElements();
  SweepTargets targets;
  addReductions(targets);
  addRows(targets);
  addViewed(targets);
  for (std::uint32_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId id = graph.outputs[i];
    targets[{true, stages[id], 0, 0, leavesOf(id)}].push_back({Stored, i});
  }
  std::vector<Sweep> sweeps;
  for (auto &[key, each] : targets) {
    std::stable_partition(
        each.begin(), each.end(),
        [](const SweepTarget &target) { return target.kind == Reduced; });
    sweeps.push_back(make(key, each));
  }
  return sweeps;
}

std::vector<Sweep> semantics::sweepsOf(const Plan &plan, bool keepsElements) {
  return SweepBuilder(plan, keepsElements).run();
}
