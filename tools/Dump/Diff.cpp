//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Diff.h"

#include "Dump/Edits.h"
#include "Support/Text.h"

#include <algorithm>
#include <sstream>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

using Kind = Edit::Kind;

static Lines linesOf(const std::string &text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// With blanks for tabs, whose stops are 8 apart, cut to `width` columns.
static std::string fitted(const std::string &line, std::size_t width) {
  std::string text;
  for (char c : line)
    if (c == '\t')
      text.append(8 - text.size() % 8, ' ');
    else
      text += c;
  if (text.size() > width)
    text = text.substr(0, width - 1) + '~';
  return text;
}

namespace {
/// Writes lines beside each other.
class Columns {
public:
  explicit Columns(std::size_t width)
      : width(width < 40 ? 18 : (width - 3) / 2) {}

  void add(const std::string &left, char mark, const std::string &right) {
    std::string line = fitted(left, width);
    line.resize(width, ' ');
    line += concat(' ', mark, ' ', fitted(right, width));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  /// Lines that took each other's place.
  void addChange(const Lines &left, const Lines &right) {
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i)
      if (i >= right.size())
        add(left[i], '<', "");
      else
        add(i < left.size() ? left[i] : "", i < left.size() ? '|' : '>',
            right[i]);
  }
  std::string take() { return std::move(text); }

private:
  const std::size_t width;
  std::string text;
};
} // namespace

std::string tools::sideBySide(const Side &left, const Side &right,
                              std::size_t width) {
  const Lines leftLines = linesOf(left.text), rightLines = linesOf(right.text);
  Columns columns(width);
  columns.add(left.title, ' ', right.title);
  columns.add("", ' ', "");
  Lines removed, added;
  const auto flush = [&] {
    columns.addChange(removed, added);
    removed.clear();
    added.clear();
  };
  for (const Edit &edit : editsBetween(leftLines, rightLines)) {
    if (edit.kind == Kind::Same) {
      flush();
      columns.add(*edit.line, ' ', *edit.line);
    } else {
      (edit.kind == Kind::Removed ? removed : added).push_back(*edit.line);
    }
  }
  flush();
  return columns.take();
}

/// Lines around each change.
static constexpr std::size_t Around = 3;

/// Where the hunk that begins with the change at `first` ends: behind the lines
/// around the last change that is near enough.
static std::size_t hunkEnd(const std::vector<Edit> &edits, std::size_t first) {
  std::size_t last = first;
  for (std::size_t i = first; i < edits.size() && i <= last + 2 * Around; ++i)
    if (edits[i].kind != Kind::Same)
      last = i;
  return std::min(edits.size(), last + Around + 1);
}

/// "12,7": the first line and how many; the line before where there are none.
static std::string rangeOf(std::size_t before, std::size_t count) {
  const std::size_t first = count ? before + 1 : before;
  return count == 1 ? concat(first) : concat(first, ',', count);
}

std::string tools::unified(const Side &left, const Side &right) {
  const Lines leftLines = linesOf(left.text), rightLines = linesOf(right.text);
  const auto edits = editsBetween(leftLines, rightLines);
  std::string text = concat("--- ", left.title, "\n+++ ", right.title, '\n');
  // Lines of either side before edit `next`.
  std::size_t next = 0, leftBefore = 0, rightBefore = 0;
  const auto pass = [&] {
    leftBefore += edits[next].kind != Kind::Added;
    rightBefore += edits[next].kind != Kind::Removed;
    ++next;
  };
  for (std::size_t change = 0; change < edits.size(); ++change) {
    if (edits[change].kind == Kind::Same)
      continue;
    while (next + Around < change)
      pass();
    const std::size_t end = hunkEnd(edits, change);
    const std::size_t leftStart = leftBefore, rightStart = rightBefore;
    std::string lines;
    while (next < end) {
      lines += concat(" -+"[static_cast<int>(edits[next].kind)],
                      *edits[next].line, '\n');
      pass();
    }
    text +=
        concat("@@ -", rangeOf(leftStart, leftBefore - leftStart), " +",
               rangeOf(rightStart, rightBefore - rightStart), " @@\n", lines);
    change = end - 1;
  }
  return text;
}
