//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Plan.h"

#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::semantics;

std::string_view semantics::nameOf(AccessPattern pattern) {
  constexpr std::string_view names[] = {"contiguous", "constant", "strided",
                                        "in rows",    "a row",    "in columns"};
  return names[static_cast<int>(pattern)];
}

void Plan::setContiguous() {
  inputs.assign(graph.inputs.size(), {});
  outputs.clear();
  for (const Value &value : graph.values)
    if (value.kind == ValueKind::Input)
      inputs[value.input].type = value.type;
  for (ValueId id : graph.outputs)
    outputs.push_back({.type = graph.values[id].type});
}

/// The listing of some of the outputs: the text stays.
static std::shared_ptr<const syntax::Listing>
restricted(const std::shared_ptr<const syntax::Listing> &listing,
           std::span<const std::size_t> kept) {
  if (!listing)
    return nullptr;
  auto result = std::make_shared<syntax::Listing>(*listing);
  result->outputs.clear();
  for (std::size_t output : kept)
    result->outputs.push_back(listing->outputs[output]);
  return result;
}

Plan Plan::restrictedTo(std::span<const std::size_t> kept) const {
  std::vector<ValueId> ids;
  for (std::size_t output : kept)
    ids.push_back(graph.outputs[output]);
  Plan plan{.graph = graph.restrictedTo(ids),
            .inputs = {},
            .outputs = {},
            .precision = precision,
            .listing = restricted(listing, kept),
            .source = source};
  plan.setContiguous();
  return plan;
}

Plan Plan::unrolled(unsigned elements, bool takesRows) const {
  Plan all = *this;
  Graph &to = all.graph;
  all.inputs.clear();
  all.outputs.clear();
  to.inputs.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (unsigned k = 0; k < elements; ++k) {
      all.inputs.push_back(inputs[i]);
      to.inputs.push_back(graph.inputs[i]);
    }
  std::vector<std::vector<ValueId>> made(elements);
  for (unsigned k = 0; k < elements; ++k)
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      Value value = graph.values[id];
      const bool isOne = value.kind == ValueKind::Constant ||
                         value.kind == ValueKind::Parameter;
      if (value.kind == ValueKind::Input)
        value.input = value.input * elements + k;
      for (std::size_t i = 0; i < graph.args(value).size(); ++i)
        value.args[i] = made[k][value.args[i]];
      made[k].push_back(
          k == 0 || isOne ? id : static_cast<ValueId>(to.values.size()));
      if (made[k][id] == id) {
        to.values[id] = value;
        continue;
      }
      to.values.push_back(value);
      to.origins.push_back(graph.origins[id]);
    }
  to.outputs.clear();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (unsigned k = 0; k < elements; ++k) {
      to.outputs.push_back(made[k][graph.outputs[i]]);
      Access &access = all.outputs.emplace_back(outputs[i]);
      access.pattern = AccessPattern::Contiguous;
      if (access.reducing)
        access.reducing = {access.reducing->reduction, access.reducing->form,
                           k > 0, takesRows};
    }
  if (listing) {
    auto own = std::make_shared<syntax::Listing>(*listing);
    own->outputs.clear();
    for (std::size_t i = 0; i < all.outputs.size(); ++i)
      own->outputs.push_back(listing->outputs[i / elements]);
    all.listing = std::move(own);
  }
  return all;
}

unsigned Plan::elementsAtOnce() const {
  unsigned elements = 1;
  while (elements < outputs.size() && outputs[elements].reducing &&
         outputs[elements].reducing->goesOn)
    ++elements;
  return elements;
}

bool Plan::hasLongElements() const {
  unsigned operations = 0;
  for (const Value &value : graph.values)
    if (value.kind != ValueKind::Fold)
      operations += graph.workOf(value, precision).operations;
  return operations > ShortBody * elementsAtOnce();
}

bool Plan::findsIndices() const {
  return std::any_of(outputs.begin(), outputs.end(), [](const Access &access) {
    return access.reducing && access.reducing->isIndex();
  });
}

bool Plan::takesColumns() const {
  return std::ranges::count(inputs, AccessPattern::Columns, &Access::pattern) >
         0;
}

bool Plan::isFolded() const {
  return std::any_of(outputs.begin(), outputs.end(), [](const Access &access) {
    return access.reducing && access.pattern == AccessPattern::Strided;
  });
}

bool Plan::fetchesAhead() const {
  return isFolded() && std::any_of(graph.inputs.begin(), graph.inputs.end(),
                                   [](std::uint32_t input) {
                                     return input >= Graph::FirstValue;
                                   });
}

bool Plan::convertsInputs() const {
  const auto reducesRow = [this](const Access &access) {
    return isAlongRows
               ? !access.isInRows()
               : access.reducing && access.pattern != AccessPattern::Contiguous;
  };
  const auto folds =
      std::ranges::count(graph.values, ValueKind::Fold, &Value::kind);
  if ((rowLength > 0 && !(isAlongRows && folds == 1)) || hasLongBody() ||
      !std::ranges::all_of(outputs, reducesRow))
    return false;
  const auto isInput = [this](ValueId id) {
    return graph.values[id].kind == ValueKind::Input &&
           graph.values[id].type == DType::F32;
  };
  bool converts = false;
  for (const Value &value : graph.values)
    if (value.kind == ValueKind::Convert && value.type == DType::F64 &&
        isInput(value.args[0]))
      converts = true;
    else if (std::ranges::any_of(graph.args(value), isInput))
      return false;
  return converts && std::ranges::none_of(graph.outputs, isInput);
}

std::string semantics::textOf(const Access &access) {
  if (!access.reducing)
    return concat(nameOf(access.pattern), access.isKept ? ", kept" : "");
  constexpr std::string_view ways[] = {" of each", " in lanes", " of all"};
  return concat(ops::allReductions()[access.reducing->reduction].info.name,
                ways[static_cast<int>(access.pattern)],
                access.reducing->takesRows ? ", of rows" : "",
                access.reducing->goesOn ? ", which goes on" : "");
}

std::string semantics::treeOf(const Access &access) {
  return concat("element r in lane r % ", ops::ReductionLanes, " of block r / ",
                ops::ReductionBlock, ", each lane ",
                access.reducing->loops().parts, " of ", nameOf(access.type),
                "; lanes meet by halves, blocks as a binary counter counts");
}

/// Bytes that the accesses move for an element.
static std::size_t bytesOf(const std::vector<Access> &accesses) {
  std::size_t bytes = 0;
  for (const Access &access : accesses)
    if (access.pattern != AccessPattern::Constant && !access.reducing)
      bytes += sizeOf(access.type);
  return bytes;
}

ops::Work Plan::work() const {
  ops::Work total = graph.work(precision);
  for (const Access &output : outputs) {
    if (!output.reducing)
      continue;
    const ops::Work step =
        ops::allReductions()[output.reducing->reduction].workOf(
            output.reducing->form);
    total.operations += step.operations;
    total.wide += step.wide;
    total.latency += step.latency;
  }
  return total;
}

std::size_t Plan::bytesPerElement() const {
  return bytesOf(inputs) + bytesWritten();
}

std::size_t Plan::bytesWritten() const { return bytesOf(outputs); }

std::string Plan::str() const {
  std::string text = graph.str();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += concat("input ", graph.nameOfInput(i), ": ",
                   kexpr::nameOf(inputs[i].type), ", ",
                   nameOf(inputs[i].pattern), '\n');
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += concat("output ", i, ": ", kexpr::nameOf(outputs[i].type), ", ",
                   textOf(outputs[i]), '\n');
    if (outputs[i].reducing)
      text += concat("tree ", i, ": ", treeOf(outputs[i]), '\n');
  }
  if (precision != Precision::Default)
    text += concat("precision: ", ops::nameOf(precision), '\n');
  if (rowLength > 0)
    text += concat("rows of ", rowLength, ", whole, ",
                   isAlongRows ? "one after the other" : "in lanes",
                   isInParts ? ", in parts\n" : "\n");
  if (streams)
    text += "outputs are streamed\n";
  const ops::Work work = this->work();
  return text + concat("work: ", work.operations, " operations, latency ",
                       work.latency, " cycles, ", bytesPerElement(),
                       " bytes an element\n");
}

std::string Plan::key() const {
  std::string key;
  auto put = [&key](const auto &word) {
    key.append(reinterpret_cast<const char *>(&word), sizeof word);
  };
  put(precision);
  put(streams);
  put(rowLength);
  put(isAlongRows);
  put(isInParts);
  put(graph.values.size());
  for (const Value &value : graph.values) {
    put(value.kind);
    put(value.type);
    put(value.op);
    put(value.input);
    put(value.bits);
    put(value.args);
  }
  put(graph.axisSets.size());
  for (const AxisSet &set : graph.axisSets) {
    put(set.stay);
    put(set.first);
    put(set.axes.size());
    for (std::int64_t axis : set.axes)
      put(axis);
  }
  put(graph.outputs.size());
  for (ValueId id : graph.outputs)
    put(id);
  for (const auto *accesses : {&inputs, &outputs}) {
    put(accesses->size());
    for (const Access &access : *accesses) {
      put(access.type);
      put(access.pattern);
      put(access.isKept);
      const Reducing reducing = access.reducing.value_or(Reducing());
      put(access.reducing.has_value());
      put(reducing.reduction);
      put(reducing.form);
      put(reducing.goesOn);
      put(reducing.takesRows);
    }
  }
  return key;
}
