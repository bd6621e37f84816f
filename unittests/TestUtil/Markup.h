//===- TestUtil/Markup.h - Whether pages are well-formed ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_TESTUTIL_MARKUP_H
#define KEXPR_UNITTESTS_TESTUTIL_MARKUP_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::test {

/// Reads tags and texts of XML as far as pages use it: no comments, no
/// namespaces, nothing outside of tags but text.
class MarkupReader {
public:
  explicit MarkupReader(std::string_view text) : rest(text) {}

  /// Empty if every element is closed where it should be and every text is
  /// written as XML asks for.
  std::string fault() {
    take("<!DOCTYPE html>");
    while (!rest.empty()) {
      const std::size_t next = std::min(rest.find('<'), rest.size());
      if (const auto bad = badText(rest.substr(0, next)); !bad.empty())
        return "text: " + bad;
      rest.remove_prefix(next);
      if (!rest.empty())
        if (const auto bad = tag(); !bad.empty())
          return bad;
    }
    return open.empty() ? "" : "open: " + open.back();
  }

private:
  void take(std::string_view word) {
    if (rest.starts_with(word))
      rest.remove_prefix(word.size());
  }

  static std::string badText(std::string_view text) {
    for (std::size_t at = text.find('&'); at != text.npos;
         at = text.find('&', at + 1)) {
      bool isKnown = false;
      for (const char *name : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        isKnown |= text.substr(at).starts_with(name);
      if (!isKnown)
        return std::string(text.substr(at, 20));
    }
    return "";
  }

  std::string tag() {
    const std::size_t end = rest.find('>');
    if (end == rest.npos)
      return "no end of a tag";
    std::string_view inside = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1))
        return "closes " + std::string(inside);
      open.pop_back();
      return "";
    }
    const bool isClosed = inside.ends_with('/');
    const std::string_view name = inside.substr(0, inside.find_first_of(" /"));
    if (std::count(inside.begin(), inside.end(), '"') % 2 != 0 ||
        inside.find('<') != inside.npos || !badText(inside).empty())
      return "attributes: " + std::string(inside);
    if (!isClosed)
      open.emplace_back(name);
    return "";
  }

  std::string_view rest;
  std::vector<std::string> open;
};

/// What is wrong with a page of HTML as XML; empty if nothing is.
inline std::string markupFault(std::string_view text) {
  return MarkupReader(text).fault();
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_TESTUTIL_MARKUP_H
