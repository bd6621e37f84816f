//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Edits.h"

#include <algorithm>
#include <span>

using namespace kexpr;
using namespace kexpr::tools;

using Kind = Edit::Kind;
using LineSpan = std::span<const std::string>;

namespace {

/// How far into the left text one gets with `d` edits, on each diagonal: line
/// of the left minus line of the right, -d to d.
class Reach {
public:
  explicit Reach(int d) : d(d), ends(2 * static_cast<std::size_t>(d) + 1) {}
  int &operator[](int diagonal) {
    return ends[static_cast<std::size_t>(diagonal + d)];
  }

private:
  int d;
  std::vector<int> ends;
};

/// Finds the fewest edits, and remembers the way.
class Search {
public:
  Search(LineSpan left, LineSpan right) : left(left), right(right) {}
  /// False if more than some thousands are needed.
  bool run();
  /// The edits, the last one first.
  std::vector<Edit> wayBack();

private:
  /// Whether the best way to a diagonal is an addition, else it is a removal.
  bool comesDown(int d, int diagonal) {
    return diagonal == -d ||
           (diagonal != d &&
            reached[d - 1][diagonal - 1] < reached[d - 1][diagonal + 1]);
  }
  bool advance(int d);

  LineSpan left, right;
  std::vector<Reach> reached;
};

} // namespace

/// One edit more on each diagonal. Whether that was the last.
bool Search::advance(int d) {
  reached.emplace_back(d);
  const int rows = static_cast<int>(left.size());
  const int columns = static_cast<int>(right.size());
  for (int diagonal = -d; diagonal <= d; diagonal += 2) {
    int x = 0;
    if (d > 0)
      x = comesDown(d, diagonal) ? reached[d - 1][diagonal + 1]
                                 : reached[d - 1][diagonal - 1] + 1;
    while (x < rows && x - diagonal < columns && left[x] == right[x - diagonal])
      ++x;
    reached[d][diagonal] = x;
    if (x >= rows && x - diagonal >= columns)
      return true;
  }
  return false;
}

bool Search::run() {
  constexpr int most = 3000;
  for (int d = 0; d <= most; ++d)
    if (advance(d))
      return true;
  return false;
}

std::vector<Edit> Search::wayBack() {
  std::vector<Edit> edits;
  int x = static_cast<int>(left.size()), y = static_cast<int>(right.size());
  for (int d = static_cast<int>(reached.size()) - 1; d >= 0; --d) {
    const bool down = d > 0 && comesDown(d, x - y);
    const int before = d == 0 ? 0 : down ? x - y + 1 : x - y - 1;
    const int start = d == 0 ? 0 : reached[d - 1][before];
    while (x > start + (d > 0 && !down) && y > 0)
      --x, --y, edits.push_back({Kind::Same, &left[x]});
    if (d == 0)
      break;
    if (down)
      edits.push_back({Kind::Added, &right[--y]});
    else
      edits.push_back({Kind::Removed, &left[--x]});
  }
  return edits;
}

static std::vector<Edit> editsOfMiddle(LineSpan left, LineSpan right) {
  Search search(left, right);
  std::vector<Edit> edits;
  if (search.run()) {
    edits = search.wayBack();
    std::reverse(edits.begin(), edits.end());
    return edits;
  }
  for (const std::string &line : left)
    edits.push_back({Kind::Removed, &line});
  for (const std::string &line : right)
    edits.push_back({Kind::Added, &line});
  return edits;
}

std::vector<Edit> tools::editsBetween(const Lines &left, const Lines &right) {
  const std::size_t most = std::min(left.size(), right.size());
  std::size_t first = 0, last = 0;
  while (first < most && left[first] == right[first])
    ++first;
  while (last < most - first &&
         left[left.size() - 1 - last] == right[right.size() - 1 - last])
    ++last;
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < first; ++i)
    edits.push_back({Kind::Same, &left[i]});
  const auto middle = editsOfMiddle(
      LineSpan(left).subspan(first, left.size() - first - last),
      LineSpan(right).subspan(first, right.size() - first - last));
  edits.insert(edits.end(), middle.begin(), middle.end());
  for (std::size_t i = left.size() - last; i < left.size(); ++i)
    edits.push_back({Kind::Same, &left[i]});
  return edits;
}
