//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Diff.h"

#include "Support/Text.h"

#include <dtl/dtl.hpp>

#include <algorithm>
#include <sstream>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

using Lines = std::vector<std::string>;

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
  dtl::Diff<std::string> diff(linesOf(left.text), linesOf(right.text));
  diff.compose();
  Columns columns(width);
  columns.add(left.title, ' ', right.title);
  columns.add("", ' ', "");
  Lines removed, added;
  const auto flush = [&] {
    columns.addChange(removed, added);
    removed.clear();
    added.clear();
  };
  for (const auto &[line, place] : diff.getSes().getSequence()) {
    if (place.type == dtl::SES_COMMON) {
      flush();
      columns.add(line, ' ', line);
    } else {
      (place.type == dtl::SES_DELETE ? removed : added).push_back(line);
    }
  }
  flush();
  return columns.take();
}

std::string tools::unified(const Side &left, const Side &right) {
  dtl::Diff<std::string> diff(linesOf(left.text), linesOf(right.text));
  diff.compose();
  diff.composeUnifiedHunks();
  std::ostringstream text;
  text << "--- " << left.title << "\n+++ " << right.title << '\n';
  diff.printUnifiedFormat(text);
  return text.str();
}
