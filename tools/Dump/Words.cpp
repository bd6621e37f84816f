//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Words.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

std::vector<std::string> tools::splitWords(std::string_view text) {
  std::vector<std::string> words;
  bool isInside = false;
  char quote = 0;
  int depth = 0;
  for (char c : text) {
    if (!quote && depth == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      isInside = false;
      continue;
    }
    if (!isInside)
      words.emplace_back();
    isInside = true;
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      continue;
    }
    depth += c == '(' || c == '[';
    depth -= depth > 0 && (c == ')' || c == ']');
    words.back() += c;
  }
  return words;
}

std::vector<std::string> Comparison::wordsOf(const std::string &side) const {
  std::vector<std::string> words = common;
  const auto more = splitWords(side);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::optional<Comparison>
tools::findComparison(const std::vector<std::string> &words) {
  const auto option = std::find(words.begin(), words.end(), "--diff");
  if (words.end() - option < 3)
    return std::nullopt;
  Comparison found{
      .common = {words.begin(), option}, .left = option[1], .right = option[2]};
  found.common.insert(found.common.end(), option + 3, words.end());
  return found;
}
