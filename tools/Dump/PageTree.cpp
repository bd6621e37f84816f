//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageTree.h"

#include "Bench/Table.h"
#include "Page/Svg.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

// Pixels. Letters are as wide as those of most monospaced fonts.
static constexpr double letter = 7.9, smallLetter = 6.4, padding = 18, gap = 12;
static constexpr double pitch = 60, height = 38, leafHeight = 26, margin = 4;
// So much is drawn at most.
static constexpr std::size_t mostBoxes = 300, mostLevels = 48;

namespace {

/// A node as it is drawn.
struct Box {
  std::uint32_t part = 0;
  std::size_t parent = 0, level = 0;
  std::string name = {}, note = {};
  /// Nodes of the expression that hang below it.
  std::vector<std::uint32_t> children = {};
  bool isLeaf = false;
  /// How much is left out: this is no node, but stands for so many.
  std::size_t leftOut = 0;
  /// Of the box, of all that hangs below it, and of it with that.
  double width = 0, below = 0, whole = 0;
  double x = 0;    ///< Its middle.
  double next = 0; ///< Where the next that hangs below it begins.

  double y() const { return margin + pitch * static_cast<double>(level); }
  double size() const { return isLeaf ? leafHeight : height; }
};

/// Boxes in an order in which parents come first, level by level.
class Tree {
public:
  explicit Tree(const PageData &data) : data(data) {}
  std::string draw();

private:
  Box boxOf(std::uint32_t node) const;
  void addOutputs();
  void countNodes();
  void addChildren(std::size_t parent);
  void place();
  void drawBox(Svg &svg, const Box &box) const;

  const PageData &data;
  std::vector<Box> boxes;
  std::vector<std::size_t> nodesOf; ///< Of each node, with those below it.
};

} // namespace

static std::string percent(double share) {
  return concat(number(100 * share, share < 0.095 ? 1 : 0), " %");
}

static double widthOf(const Box &box) {
  return padding + std::max(letter * static_cast<double>(box.name.size()),
                            smallLetter * static_cast<double>(box.note.size()));
}

Box Tree::boxOf(std::uint32_t node) const {
  const std::uint32_t id = data.partOfNode[node];
  const Part &part = data.parts[id];
  const auto &children = data.expression.nodes()[node].children;
  Box box{.part = id,
          .name = part.name,
          .children = {children.begin(), children.end()},
          .isLeaf = part.kind == Part::Kind::Leaf};
  if (part.cost > 0 && !box.isLeaf)
    box.note = percent(part.share);
  return box;
}

void Tree::addOutputs() {
  const auto nodes = data.expression.nodes();
  const Node &root = data.expression.root();
  const auto last = static_cast<std::uint32_t>(nodes.size() - 1);
  for (std::size_t i = 0; i < data.partOfOutput.size(); ++i) {
    const Part &part = data.parts[data.partOfOutput[i]];
    if (i >= mostBoxes / 4) {
      boxes.push_back({.name = "...", .leftOut = data.partOfOutput.size() - i});
      return;
    }
    boxes.push_back(
        {.part = data.partOfOutput[i],
         .name = concat("out", i),
         .note = part.cost > 0 ? percent(part.share) : "",
         .children = {root.kind == NodeKind::List ? root.children[i] : last}});
  }
}

void Tree::countNodes() {
  for (const Node &node : data.expression.nodes()) {
    nodesOf.push_back(1);
    for (std::uint32_t child : node.children)
      nodesOf.back() += nodesOf[child];
  }
}

/// Adds what hangs below a box, or what stands for it.
void Tree::addChildren(std::size_t parent) {
  const std::vector<std::uint32_t> children = boxes[parent].children;
  if (children.empty())
    return;
  const bool fits = boxes.size() + children.size() <= mostBoxes &&
                    boxes[parent].level < mostLevels;
  std::vector<Box> below;
  std::size_t left = 0;
  for (std::uint32_t child : children) {
    left += nodesOf[child];
    if (fits)
      below.push_back(boxOf(child));
  }
  if (!fits)
    below.push_back({.name = "...", .isLeaf = true, .leftOut = left});
  for (Box &box : below) {
    box.parent = parent;
    box.level = boxes[parent].level + 1;
    boxes.push_back(std::move(box));
  }
}

/// Each above the middle of what hangs below it, and beside the others.
void Tree::place() {
  for (std::size_t i = boxes.size(); i-- > 0;) {
    Box &box = boxes[i];
    if (box.leftOut)
      box.note = concat(box.leftOut, " more");
    box.width = widthOf(box);
    box.whole = std::max(box.width, box.below - gap);
    if (box.level > 0)
      boxes[box.parent].below += box.whole + gap;
  }
  double end = margin;
  for (Box &box : boxes) {
    double &left = box.level == 0 ? end : boxes[box.parent].next;
    box.x = left + box.whole / 2;
    box.next = box.x - (box.below - gap) / 2;
    left += box.whole + gap;
  }
}

void Tree::drawBox(Svg &svg, const Box &box) const {
  const Part &part = data.parts[box.part];
  const double left = box.x - box.width / 2, top = box.y();
  if (box.leftOut) {
    svg.text({box.x, top + 11}, "middle", box.name, "soft");
    svg.text({box.x, top + 24}, "middle", box.note, "soft small");
    return;
  }
  svg.beginGroup(concat("node ", seriesClass(part.colour),
                        box.isLeaf ? " leaf" : "",
                        part.nodes > 1 ? " shared" : ""),
                 part.id, concat(part.text, ' ', box.note));
  svg.rect({left, top}, box.width, box.size(), "box", part.text);
  if (!box.isLeaf)
    svg.rect({left + 5, top + box.size() - 5}, (box.width - 10) * part.share, 3,
             "fill", part.text);
  svg.text({box.x, top + (box.note.empty() ? box.size() / 2 + 4.5 : 17)},
           "middle", box.name, "name");
  if (!box.note.empty())
    svg.text({box.x, top + 30}, "middle", box.note, "soft small");
  svg.endGroup();
}

std::string Tree::draw() {
  countNodes();
  addOutputs();
  for (std::size_t i = 0; i < boxes.size(); ++i)
    addChildren(i);
  place();
  double width = 0, end = 0;
  for (const Box &box : boxes) {
    width = std::max(width, box.x + box.width / 2 + margin);
    end = std::max(end, box.y() + box.size() + margin);
  }
  Svg svg(width, end, "the expression as a tree", Fit::Own);
  for (const Box &box : boxes)
    if (box.level > 0) {
      const Box &parent = boxes[box.parent];
      svg.line({parent.x, parent.y() + parent.size()}, {box.x, box.y()},
               "branch");
    }
  for (const Box &box : boxes)
    drawBox(svg, box);
  return svg.str();
}

std::string tools::treeSvg(const PageData &data) { return Tree(data).draw(); }
