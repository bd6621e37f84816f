//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/Table.h"

#include "Ops/Operators.h"
#include "Ops/ReductionTable.h"
#include "Ops/Reductions.h"
#include "Support/Fork.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

using namespace kexpr::ops;

namespace {

/// A spelling of an operator; sorted by name for `find`.
struct Spelling {
  std::string_view name;
  OpId id = 0;

  constexpr bool operator<(const Spelling &other) const {
    return name < other.name;
  }
};

template <class... Ops> consteval std::size_t countSpellings(OpList<Ops...>) {
  std::size_t count = 0;
  for (const OpInfo &info : {Ops::info...}) {
    ++count;
    for (std::string_view alias : info.aliases)
      count += !alias.empty();
  }
  return count;
}

template <class... Ops> consteval auto sortSpellings(OpList<Ops...> all) {
  std::array<Spelling, countSpellings(all)> spellings{};
  std::size_t count = 0;
  OpId id = 0;
  for (const OpInfo &info : {Ops::info...}) {
    spellings[count++] = {info.name, id};
    for (std::string_view alias : info.aliases)
      if (!alias.empty())
        spellings[count++] = {alias, id};
    ++id;
  }
  std::sort(spellings.begin(), spellings.end());
  return spellings;
}

constexpr auto spellings = sortSpellings(AllOperators{});

template <class Op> double referenceOver(const double *arguments) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return static_cast<double>(Op::reference(arguments[I]...));
  }
  (std::make_index_sequence<arityOf<Op>>{});
}

template <class Op, Arithmetic A, class Algebra> Work workIn() {
  Work work;
  if constexpr (worksIn(Op::info.types, A)) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      applyFormula<Op, A>(Value<Algebra, ArgumentIn<Op, A, I>>{{&work, 0}}...);
    }
    (std::make_index_sequence<arityOf<Op>>{});
  }
  return work;
}

template <class Op, Arithmetic A> Work workOf() {
  Work work = workIn<Op, A, CostAlgebra>();
  const Work general = workIn<Op, A, GeneralCostAlgebra>();
  work.rareWide = general.wide - work.wide;
  work.rareOperations = general.operations - work.operations;
  return work;
}

template <class Op, std::size_t... A>
std::array<Work, ArithmeticCount> worksOf(std::index_sequence<A...>) {
  return {workOf<Op, static_cast<Arithmetic>(A)>()...};
}

/// On its own, as the work of all operators together is more than a small
/// stack has room for where temporaries do not share theirs.
template <class Op> [[gnu::noinline]] void addEntry(std::vector<OpEntry> &to) {
  OpEntry &entry = to.emplace_back(OpEntry{
      Op::info, arityOf<Op>, nullptr, [](int, double) { return LiteralForm{}; },
      worksOf<Op>(std::make_index_sequence<ArithmeticCount>{})});
  if constexpr (!isIntegral<Op>)
    entry.reference = &referenceOver<Op>;
  if constexpr (HasLiteralForm<Op>)
    entry.withLiteral = &Op::withLiteral;
}

template <class... Ops> std::vector<OpEntry> makeEntries(OpList<Ops...>) {
  std::vector<OpEntry> entries;
  entries.reserve(sizeof...(Ops));
  (addEntry<Ops>(entries), ...);
  return entries;
}

/// No operator has a longer name; what is longer is not close to any.
constexpr std::size_t MaxNameLength = 24;

} // namespace

static constinit kexpr::Once<std::vector<OpEntry>> entries;

std::span<const OpEntry> kexpr::ops::allOperators() {
  return entries.get([] { return makeEntries(AllOperators{}); });
}

std::span<const OpEntry> kexpr::ops::table() {
  return allOperators().first(Operators::size);
}

Arithmetic kexpr::ops::arithmeticOf(DType type, Precision precision) {
  for (auto a = Arithmetic::F64; a <= Arithmetic::Bool;
       a = static_cast<Arithmetic>(static_cast<int>(a) + 1))
    if (typeOf(a) == type)
      return a;
  return precision == Precision::Accurate ? Arithmetic::F32Accurate
         : precision == Precision::Fast   ? Arithmetic::F32Fast
                                          : Arithmetic::F32;
}

std::string_view kexpr::ops::nameOf(Precision precision) {
  constexpr std::string_view names[] = {"default", "accurate", "fast"};
  return names[static_cast<int>(precision)];
}

double kexpr::ops::literalOf(std::string_view term) {
  // Rounded once, by the division, as long as the digits are below 2^53.
  double digits = 0, unit = 1;
  bool hasPoint = false;
  for (char c : term) {
    if (c != '.')
      digits = digits * 10 + (c - '0');
    unit *= hasPoint ? 10 : 1;
    hasPoint = hasPoint || c == '.';
  }
  return digits / unit;
}

std::optional<OpId> kexpr::ops::findAny(std::string_view name) {
  auto place =
      std::lower_bound(spellings.begin(), spellings.end(), Spelling{name});
  if (place == spellings.end() || place->name != name)
    return std::nullopt;
  return place->id;
}

std::optional<OpId> kexpr::ops::find(std::string_view name) {
  const auto id = findAny(name);
  return id && *id < Operators::size ? id : std::nullopt;
}

/// How many letters must be put in, taken out, changed, or swapped with their
/// neighbour to make `b` of `a`; all of them where one is longer than names
/// are.
static std::size_t editDistance(std::string_view a, std::string_view b) {
  if (a.size() > MaxNameLength || b.size() > MaxNameLength)
    return std::max(a.size(), b.size());
  std::size_t rows[MaxNameLength + 1][MaxNameLength + 1];
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1,
                             rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

/// How many letters both begin with.
static std::size_t beginningOf(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::string_view
kexpr::ops::closestOf(std::string_view name,
                      std::span<const std::string_view> names) {
  // A third of the letters may be wrong: more, and the guess is noise.
  std::size_t best = (name.size() + 2) / 3 + 1;
  std::string_view closest;
  for (std::string_view other : names) {
    // Of two that are as close, the one that begins more alike.
    const std::size_t distance = editDistance(name, other);
    if (distance < best ||
        (distance == best && !closest.empty() &&
         beginningOf(name, other) > beginningOf(name, closest))) {
      best = distance;
      closest = other;
    }
  }
  return closest;
}

std::string_view kexpr::ops::closest(std::string_view name,
                                     std::span<const std::string_view> others) {
  std::vector<std::string_view> names;
  for (const Spelling &spelling : spellings)
    if (spelling.id < Operators::size)
      names.push_back(spelling.name);
  names.insert(names.end(), others.begin(), others.end());
  return closestOf(name, names);
}

unsigned kexpr::ops::arityOfName(std::string_view name) {
  auto id = find(name);
  return id ? table()[*id].arity : 0;
}

namespace {
template <class R, kexpr::DType Form> Work workOfReduction() {
  Work work;
  if constexpr (worksIn(R::info.types, Form)) {
    using T = Element<Form>;
    using V = Value<CostAlgebra, typename R::template Element<T>>;
    const V x{{&work, 0}};
    Several<V, R::template parts<T>> state;
    for (V &part : state.each)
      part = x;
    R::step(state, x);
  }
  return work;
}

template <class R> ReductionEntry makeReductionEntry() {
  return {R::info, &R::template reference<double>, [](kexpr::DType form) {
            return visitType(form, []<kexpr::DType Form>() {
              return workOfReduction<R, Form>();
            });
          }};
}

template <class... R> auto makeReductionEntries(OpList<R...>) {
  return std::array<ReductionEntry, sizeof...(R)>{makeReductionEntry<R>()...};
}
} // namespace

static constinit kexpr::Once<std::array<ReductionEntry, AllReductions::size>>
    reductionEntries;

std::span<const ReductionEntry> kexpr::ops::allReductions() {
  return reductionEntries.get(
      [] { return makeReductionEntries(AllReductions{}); });
}

std::span<const ReductionEntry> kexpr::ops::reductions() {
  return allReductions().first(Reductions::size);
}

std::optional<ReductionId> kexpr::ops::findReduction(std::string_view name) {
  ReductionId id = 0;
  for (const ReductionEntry &entry : allReductions()) {
    if (entry.info.name == name)
      return id;
    ++id;
  }
  return std::nullopt;
}
