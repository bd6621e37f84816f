//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Listing.h"

#include "Support/Hash.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::syntax;

namespace {

/// Writes a tree to a listing; no recursion, whatever the depth.
class ListingWriter {
public:
  ListingWriter(const Expression &expression, Listing &listing)
      : nodes(expression.nodes()), listing(listing), names(nodes.size(), None) {
    listing.nodes.resize(nodes.size());
    listing.lines.push_back(0);
  }
  void run();

private:
  static constexpr std::uint32_t None = ~std::uint32_t{0};
  struct Frame {
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
  void putLine(std::size_t depth);
  void putValue(const std::string &name, std::uint32_t root);
  void putOutput(std::uint32_t node);
  void begin(std::uint32_t node);
  void advance();

  Span<const Node> nodes;
  Listing &listing;
  SourceLocation location = Listing::loop();
  /// The numbers of shared values whose definitions were begun.
  std::vector<std::uint32_t> names;
  std::uint32_t defined = None; ///< The shared value that is being written.
  std::vector<Frame> open;
};

} // namespace

/// Deeper lines are no further to the right, so that a listing is never much
/// longer than its expression.
static constexpr std::size_t MostDepth = 30;

void ListingWriter::putLine(std::size_t depth) {
  listing.text += '\n';
  listing.lines.push_back(listing.text.size());
  location = {location.line + 1, 1};
  put(std::string(2 * std::min(depth, MostDepth), ' '));
}

/// A name, a leaf, or the beginning of a call.
void ListingWriter::begin(std::uint32_t id) {
  if (names[id] != None && id != defined)
    return put(concat('%', names[id]));
  const Node &node = nodes[id];
  listing.nodes[id] = location;
  if (!isCall(node))
    return put(printLeaf(node));
  put(node.name);
  put(node.kind == NodeKind::List ? "[" : "(");
  const bool isLong = std::any_of(
      node.children.begin(), node.children.end(), [this](std::uint32_t child) {
        return isCall(nodes[child]) && names[child] == None;
      });
  open.push_back({id, isLong});
}

/// One step of the innermost open call: its next argument, or its end.
void ListingWriter::advance() {
  Frame &inner = open.back();
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
  begin(node.children[inner.next++]);
}

void ListingWriter::putValue(const std::string &name, std::uint32_t root) {
  put(name + " =");
  putLine(2);
  begin(root);
  while (!open.empty())
    advance();
}

void ListingWriter::putOutput(std::uint32_t node) {
  putLine(1);
  listing.outputs.push_back(location);
  putValue(concat("out", listing.outputs.size() - 1), node);
}

void ListingWriter::run() {
  put("for each element:");
  std::uint32_t count = 0;
  for (std::uint32_t id : sharedNodes(nodes)) {
    putLine(1);
    names[id] = count;
    defined = id;
    putValue(concat('%', count++), id);
  }
  defined = None;
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

/// A name that fits a line of a profiler; where it is cut, a digest keeps it
/// unique.
static std::string functionName(const std::string &canonical) {
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
  // LLVM keeps the line alone where it merges two locations of one line.
  rest.remove_prefix(
      location.column ? std::min<std::size_t>(location.column - 1, rest.size())
                      : rest.find_first_not_of(' '));
  return rest.substr(0, rest.find_first_of("(), \n"));
}

Listing syntax::list(const Expression &expression) {
  Listing listing;
  ListingWriter(expression, listing).run();
  listing.name = functionName(expression.canonical());
  return listing;
}
