//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Printer.h"

#include "Support/Hash.h"
#include "Support/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

using namespace kexpr;
using namespace kexpr::syntax;

static std::string printReal(double value) {
  if (std::isnan(value))
    return "nan";
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string syntax::printFloat(double value) {
  std::string text = printReal(value);
  // Without one of these it would read as an integer.
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

static std::string printComplex(double real, double imaginary) {
  std::string text = printReal(imaginary);
  return printReal(real) + (text[0] == '-' ? "" : "+") + text + 'j';
}

std::string syntax::printLeaf(const Node &node) {
  switch (node.kind) {
  case NodeKind::Operand:
    return '@' + std::to_string(node.index);
  case NodeKind::Integer:
    return std::to_string(node.integer);
  case NodeKind::Unsigned:
    return std::to_string(static_cast<std::uint64_t>(node.integer));
  case NodeKind::Float:
    return printFloat(node.number);
  case NodeKind::Complex:
    return printComplex(node.number, node.imaginary);
  case NodeKind::Bool:
    return node.integer ? "True" : "False";
  case NodeKind::None:
    return "None";
  default:
    return std::string(node.name);
  }
}

/// All NaNs are spelled the same.
static std::uint64_t bitsOf(double number) {
  return std::isnan(number) ? ~std::uint64_t{0}
                            : std::bit_cast<std::uint64_t>(number);
}

namespace {
/// Writes each value once; an explicit stack takes the place of recursion.
class Printer {
public:
  explicit Printer(Span<const Node> nodes) : nodes(nodes) {}
  std::string run();

private:
  static constexpr std::uint32_t None = ~std::uint32_t{0};
  struct Frame {
    std::uint32_t node;
    std::size_t begin; ///< In `text`.
    std::size_t next;  ///< Child to print next.
  };

  void numberValues();
  std::uint64_t hashOf(const Node &node) const;
  bool areEqual(const Node &a, const Node &b) const;
  std::uint32_t firstOf(std::uint32_t node) const {
    return first.empty() ? node : first[node];
  }
  void begin(std::uint32_t id);
  void end();

  Span<const Node> nodes;
  /// Value numbers: the first node with the same meaning. Empty where all
  /// differ.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> uses;  ///< As an argument, by value number.
  std::vector<std::uint32_t> names; ///< Of shared calls, by value number.
  std::uint32_t named = 0;
  std::vector<Frame> open;
  std::string text, definitions;
};
} // namespace

static bool isCall(const Node &node) {
  return node.kind == NodeKind::Call || node.kind == NodeKind::List;
}

void Printer::numberValues() {
  // A hash table of nodes; half of it stays empty.
  std::vector<std::uint32_t> table(std::bit_ceil(2 * nodes.size()), None);
  first.reserve(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    // Lists are not merged: no operator takes one.
    if (nodes[i].kind == NodeKind::List) {
      first.push_back(i);
      continue;
    }
    std::size_t slot = hashOf(nodes[i]) & (table.size() - 1);
    while (table[slot] != None && !areEqual(nodes[table[slot]], nodes[i]))
      slot = (slot + 1) & (table.size() - 1);
    if (table[slot] == None)
      table[slot] = i;
    first.push_back(table[slot]);
  }
}

std::uint64_t Printer::hashOf(const Node &node) const {
  WordHash hash;
  hash.add(static_cast<std::uint64_t>(node.kind), node.index,
           static_cast<std::uint64_t>(node.integer), bitsOf(node.number),
           bitsOf(node.imaginary));
  for (char c : node.name)
    hash.add(static_cast<unsigned char>(c));
  for (std::uint32_t child : node.children)
    hash.add(first[child]);
  return hash.value;
}

bool Printer::areEqual(const Node &a, const Node &b) const {
  return a.kind == b.kind && a.index == b.index && a.integer == b.integer &&
         bitsOf(a.number) == bitsOf(b.number) &&
         bitsOf(a.imaginary) == bitsOf(b.imaginary) && a.name == b.name &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(),
                    b.children.end(), [this](auto left, auto right) {
                      return first[left] == first[right];
                    });
}

/// A leaf, a name, or the beginning of a call or list.
void Printer::begin(std::uint32_t id) {
  const Node &node = nodes[id];
  if (!isCall(node)) {
    text += printLeaf(node);
  } else if (!names.empty() && names[id] != None) {
    append(text, '%');
    append(text, names[id]);
  } else {
    open.push_back({id, text.size(), 0});
    text += node.name;
    text += node.kind == NodeKind::List ? '[' : '(';
  }
}

/// The end of the innermost call or list. A shared call becomes a definition:
/// numbers follow the order in which calls end, which does not depend on the
/// spelling.
void Printer::end() {
  const auto [id, begin, next] = open.back();
  open.pop_back();
  text += nodes[id].kind == NodeKind::List ? ']' : ')';
  if (nodes[id].kind != NodeKind::Call || uses[id] < 2)
    return;
  names.resize(nodes.size(), None);
  names[id] = named++;
  const std::string name = concat('%', names[id]);
  definitions += concat(name, '=', std::string_view(text).substr(begin), ';');
  text.replace(begin, text.npos, name);
}

std::string Printer::run() {
  // Two equal calls have a third one around them.
  if (std::count_if(nodes.begin(), nodes.end(), isCall) > 2)
    numberValues();
  uses.resize(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (firstOf(i) == i)
      for (std::uint32_t child : nodes[i].children)
        ++uses[firstOf(child)];
  text.reserve(5 * nodes.size());
  begin(firstOf(static_cast<std::uint32_t>(nodes.size() - 1)));
  while (!open.empty()) {
    auto &[id, start, next] = open.back();
    if (next == nodes[id].children.size()) {
      end();
      continue;
    }
    if (next > 0)
      text += ',';
    begin(firstOf(nodes[id].children[next++]));
  }
  return definitions.empty() ? std::move(text) : definitions + text;
}

std::vector<std::uint32_t> syntax::sharedNodes(Span<const Node> nodes) {
  std::vector<std::uint32_t> uses(nodes.size()), shared;
  for (const Node &node : nodes)
    for (std::uint32_t child : node.children)
      ++uses[child];
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (uses[i] > 1 && nodes[i].kind == NodeKind::Call)
      shared.push_back(i);
  return shared;
}

std::string syntax::print(Span<const Node> nodes) {
  return Printer(nodes).run();
}
