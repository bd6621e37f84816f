//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Printer.h"

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
/// Nodes that mean the same.
class Merged {
public:
  explicit Merged(Span<const Node> nodes);

  /// The first node that means what `node` does.
  std::uint32_t operator[](std::uint32_t node) const {
    return first.empty() ? node : first[node];
  }
  /// Whether a call is an argument twice.
  bool isShared(std::uint32_t node) const {
    return nodes[node].kind == NodeKind::Call && uses[node] > 1;
  }
  bool hasShared() const;

private:
  void merge();
  std::uint64_t hashOf(const Node &node) const;
  bool areEqual(const Node &a, const Node &b) const;

  Span<const Node> nodes;
  /// Empty where all differ.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> uses;
};
} // namespace

Merged::Merged(Span<const Node> nodes) : nodes(nodes), uses(nodes.size()) {
  // Two calls that are equal have one around them.
  std::size_t calls = 0;
  for (const Node &node : nodes)
    calls += node.kind == NodeKind::Call || node.kind == NodeKind::List;
  if (calls > 2)
    merge();
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if ((*this)[i] == i)
      for (std::uint32_t child : nodes[i].children)
        ++uses[(*this)[child]];
}

bool Merged::hasShared() const {
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (isShared(i))
      return true;
  return false;
}

void Merged::merge() {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  // A hash table of nodes; half of it stays empty.
  std::vector<std::uint32_t> table(std::bit_ceil(2 * nodes.size()), none);
  first.reserve(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    // No operator takes a list, and what is in one is used by that one.
    if (nodes[i].kind == NodeKind::List) {
      first.push_back(i);
      continue;
    }
    std::size_t place = hashOf(nodes[i]) & (table.size() - 1);
    while (table[place] != none && !areEqual(nodes[table[place]], nodes[i]))
      place = (place + 1) & (table.size() - 1);
    if (table[place] == none)
      table[place] = i;
    first.push_back(table[place]);
  }
}

std::uint64_t Merged::hashOf(const Node &node) const {
  std::uint64_t hash = static_cast<std::uint64_t>(node.kind);
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  mix(node.index);
  mix(static_cast<std::uint64_t>(node.integer));
  mix(bitsOf(node.number));
  mix(bitsOf(node.imaginary));
  for (char c : node.name)
    mix(static_cast<unsigned char>(c));
  for (std::uint32_t child : node.children)
    mix(first[child]);
  return hash;
}

bool Merged::areEqual(const Node &a, const Node &b) const {
  return a.kind == b.kind && a.index == b.index && a.integer == b.integer &&
         bitsOf(a.number) == bitsOf(b.number) &&
         bitsOf(a.imaginary) == bitsOf(b.imaginary) && a.name == b.name &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(),
                    b.children.end(), [this](auto left, auto right) {
                      return first[left] == first[right];
                    });
}

namespace {
class Printer {
public:
  explicit Printer(Span<const Node> nodes) : nodes(nodes), merged(nodes) {}

  std::string run();

private:
  static constexpr std::uint32_t Unnamed = ~std::uint32_t{0};
  struct Open {
    std::uint32_t node;
    std::size_t next; ///< Child to print next.
  };

  void nameShared();
  bool isNamed(std::uint32_t id) const {
    return !names.empty() && names[id] != Unnamed;
  }
  void put(std::uint32_t root);
  void begin(std::uint32_t id);

  Span<const Node> nodes;
  const Merged merged;
  std::vector<std::uint32_t> names; ///< By node; empty if there are none.
  std::vector<std::uint32_t> named; ///< In order.
  std::vector<Open> open;
  std::string text;
};
} // namespace

/// Numbers shared calls in the order in which a walk from the root is done with
/// them: it is that of the meaning alone.
void Printer::nameShared() {
  if (!merged.hasShared())
    return;
  const auto root = static_cast<std::uint32_t>(nodes.size() - 1);
  names.resize(nodes.size(), Unnamed);
  std::vector<bool> seen(nodes.size());
  open.push_back({merged[root], 0});
  while (!open.empty()) {
    auto &[id, next] = open.back();
    if (next < nodes[id].children.size()) {
      const std::uint32_t child = merged[nodes[id].children[next++]];
      if (!seen[child])
        open.push_back({child, 0});
      seen[child] = true;
      continue;
    }
    if (merged.isShared(id)) {
      names[id] = static_cast<std::uint32_t>(named.size());
      named.push_back(id);
    }
    open.pop_back();
  }
}

/// A leaf, a name, or the beginning of a call or list.
void Printer::begin(std::uint32_t id) {
  const Node &node = nodes[id];
  const bool list = node.kind == NodeKind::List;
  if (isNamed(id)) {
    text += '%' + std::to_string(names[id]);
  } else if (!list && node.kind != NodeKind::Call) {
    text += printLeaf(node);
  } else {
    text += node.name;
    text += list ? '[' : '(';
    open.push_back({id, 0});
  }
}

/// A value as a definition has it: what is in it, whatever its own name.
void Printer::put(std::uint32_t root) {
  const std::uint32_t name =
      isNamed(root) ? std::exchange(names[root], Unnamed) : Unnamed;
  begin(root);
  while (!open.empty()) {
    auto &[id, next] = open.back();
    const Node &node = nodes[id];
    if (next == node.children.size()) {
      text += node.kind == NodeKind::List ? ']' : ')';
      open.pop_back();
      continue;
    }
    if (next > 0)
      text += ',';
    begin(merged[node.children[next++]]);
  }
  if (name != Unnamed)
    names[root] = name;
}

std::string Printer::run() {
  nameShared();
  for (std::uint32_t id : named) {
    text += '%' + std::to_string(names[id]) + '=';
    put(id);
    text += ';';
  }
  put(merged[static_cast<std::uint32_t>(nodes.size() - 1)]);
  return std::move(text);
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
