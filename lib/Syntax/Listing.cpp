//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Listing.h"

#include "Support/Hash.h"
#include "Syntax/Printer.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::syntax;

namespace {

/// Writes a tree to a listing; no recursion, whatever the depth.
class Lister {
public:
  Lister(const Expression &expression, Listing &listing)
      : nodes(expression.nodes()), shared(sharedNodes(nodes)),
        listing(listing) {
    listing.nodes.resize(nodes.size());
    listing.lines.push_back(0);
  }
  void run();

private:
  struct Open {
    std::uint32_t node;
    bool isLong; ///< Whether each of its arguments has a line of its own.
    std::size_t next = 0;
  };
  static bool isCall(const Node &node) {
    return node.kind == NodeKind::Call || node.kind == NodeKind::List;
  }
  void put(std::string_view text) {
    listing.text += text;
    location.column += static_cast<std::uint32_t>(text.size());
  }
  /// The number of a value that stands in front; that of all where it does not.
  std::size_t nameOf(std::uint32_t node) const {
    const auto found = std::lower_bound(shared.begin(), shared.end(), node);
    return found != shared.end() && *found == node
               ? static_cast<std::size_t>(found - shared.begin())
               : shared.size();
  }
  void putLine(std::size_t depth);
  void putValue(const std::string &name, std::uint32_t root, bool isDefined);
  void putOutput(std::uint32_t node);
  void begin(std::uint32_t node);
  void beginArgument(std::uint32_t node);
  void advance();

  Span<const Node> nodes;
  const std::vector<std::uint32_t> shared;
  Listing &listing;
  SourceLocation location = Listing::loop();
  std::vector<Open> open;
};

} // namespace

/// Deeper lines are no further to the right, so that a listing is never much
/// longer than its expression.
static constexpr std::size_t MostDepth = 30;

void Lister::putLine(std::size_t depth) {
  listing.text += '\n';
  listing.lines.push_back(listing.text.size());
  location = {location.line + 1, 1};
  put(std::string(2 * std::min(depth, MostDepth), ' '));
}

void Lister::begin(std::uint32_t id) {
  const Node &node = nodes[id];
  listing.nodes[id] = location;
  if (!isCall(node)) {
    put(printLeaf(node));
    return;
  }
  put(node.name);
  put(node.kind == NodeKind::List ? "[" : "(");
  const bool isLong = std::any_of(
      node.children.begin(), node.children.end(), [this](std::uint32_t id) {
        return isCall(nodes[id]) && nameOf(id) == shared.size();
      });
  open.push_back({id, isLong});
}

void Lister::beginArgument(std::uint32_t id) {
  const std::size_t name = nameOf(id);
  if (name == shared.size())
    begin(id);
  else
    put("%" + std::to_string(name));
}

/// One step of the innermost open call: its next argument, or its end.
void Lister::advance() {
  Open &inner = open.back();
  const Node &node = nodes[inner.node];
  if (inner.next == node.children.size()) {
    put(node.kind == NodeKind::List ? "]" : ")");
    open.pop_back();
    return;
  }
  if (inner.next > 0)
    put(inner.isLong ? "," : ", ");
  if (inner.isLong)
    putLine(2 + open.size());
  beginArgument(node.children[inner.next++]);
}

/// A line for each call of a value; only the name of one that is defined.
void Lister::putValue(const std::string &name, std::uint32_t root,
                      bool isDefined) {
  put(name + " =");
  putLine(2);
  if (isDefined)
    beginArgument(root);
  else
    begin(root);
  while (!open.empty())
    advance();
}

void Lister::putOutput(std::uint32_t node) {
  putLine(1);
  listing.outputs.push_back(location);
  putValue("out" + std::to_string(listing.outputs.size() - 1), node, true);
}

void Lister::run() {
  put("for each element:");
  for (std::uint32_t i = 0; i < shared.size(); ++i) {
    putLine(1);
    putValue("%" + std::to_string(i), shared[i], false);
  }
  const auto root = static_cast<std::uint32_t>(nodes.size() - 1);
  if (nodes[root].kind == NodeKind::List) {
    listing.nodes[root] = Listing::loop();
    for (std::uint32_t output : nodes[root].children)
      putOutput(output);
  } else {
    putOutput(root);
  }
  put("\n");
}

/// What fits a line of a profiler, and is still another name for another
/// expression.
static std::string shortened(const std::string &canonical) {
  constexpr std::size_t most = 120, kept = 100;
  if (canonical.size() <= most)
    return canonical;
  return canonical.substr(0, kept) + "...#" +
         Digest::of(canonical).str().substr(0, 8);
}

std::string_view Listing::wordAt(SourceLocation location) const {
  if (!location || location.line == loop().line)
    return "the loop";
  if (location.line > lines.size())
    return {};
  std::string_view rest =
      std::string_view(text).substr(lines[location.line - 1]);
  // Where LLVM merged two places of a line, the line is left.
  rest.remove_prefix(
      location.column ? std::min<std::size_t>(location.column - 1, rest.size())
                      : rest.find_first_not_of(' '));
  return rest.substr(0, rest.find_first_of("(), \n"));
}

Listing syntax::list(const Expression &expression) {
  Listing listing;
  Lister(expression, listing).run();
  listing.name = shortened(expression.canonical());
  return listing;
}
