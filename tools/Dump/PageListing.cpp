//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageCode.h"

#include "Page/Svg.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

/// Lines of a large expression beyond these are left out.
static constexpr std::uint32_t mostLines = 600;

namespace {
/// A word of the listing that stands for a part.
struct Word {
  Place place;
  std::size_t size = 0;
  std::uint32_t part = 0;
};
} // namespace

/// In the order in which they are written.
static std::vector<Word> wordsOf(const PageData &data) {
  const syntax::Listing &listing = *data.plan.listing;
  std::vector<Word> words = {
      {syntax::Listing::loop(), listing.text.find(':'), 0}};
  const auto nodes = data.expression.nodes();
  for (std::size_t id = 0; id < nodes.size(); ++id)
    if (nodes[id].kind != NodeKind::List)
      words.push_back({listing.nodes[id],
                       data.parts[data.partOfNode[id]].name.size(),
                       data.partOfNode[id]});
  for (std::size_t i = 0; i < listing.outputs.size(); ++i)
    words.push_back(
        {listing.outputs[i], concat("out", i).size(), data.partOfOutput[i]});
  std::sort(words.begin(), words.end(),
            [](const Word &a, const Word &b) { return a.place < b.place; });
  return words;
}

/// A line with its words marked; `next` goes over them.
static std::string lineHtml(const PageData &data, std::string_view line,
                            std::uint32_t number,
                            std::vector<Word>::const_iterator &next,
                            std::vector<Word>::const_iterator end) {
  std::string html;
  std::size_t done = 0;
  for (; next != end && next->place.line == number; ++next) {
    const std::size_t begin = next->place.column - 1;
    const Part &part = data.parts[next->part];
    html += concat(escape(line.substr(done, begin - done)), "<span class=\"s",
                   part.colour, "\" data-k=\"", part.id, "\">",
                   escape(line.substr(begin, next->size)), "</span>");
    done = begin + next->size;
  }
  return html + escape(line.substr(done));
}

std::string tools::listingHtml(const PageData &data) {
  const std::vector<Word> words = wordsOf(data);
  auto next = words.cbegin();
  std::string_view rest = data.plan.listing->text;
  std::string html = "<ol class=\"listing\">\n";
  std::uint32_t number = 1;
  for (; !rest.empty() && number <= mostLines; ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    html += concat(
        "<li>", lineHtml(data, rest.substr(0, end), number, next, words.cend()),
        "</li>\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  html += "</ol>\n";
  if (const auto left = std::count(rest.begin(), rest.end(), '\n'))
    html += concat("<p class=\"soft\">and ", left, " more lines</p>\n");
  return html;
}
