//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FileTests/TestFile.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::filetests;

static constexpr std::string_view indent = "  ";

std::vector<std::string> filetests::splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Directive> filetests::parseFile(std::string_view text) {
  std::vector<Directive> directives;
  std::string before;
  for (const std::string &line : splitLines(text)) {
    if (line.empty() || line.front() == '#') {
      before += line + '\n';
    } else if (line.starts_with(indent) && before.empty() &&
               !directives.empty()) {
      directives.back().body.push_back(line.substr(indent.size()));
    } else {
      const std::size_t space = std::min(line.find(' '), line.size());
      directives.push_back(
          {.before = std::exchange(before, {}),
           .name = line.substr(0, space),
           .argument = line.substr(std::min(space + 1, line.size())),
           .body = {}});
    }
  }
  return directives;
}

std::string filetests::renderFile(const std::vector<Directive> &directives) {
  std::string text;
  for (const Directive &directive : directives) {
    text += directive.before + directive.name;
    if (!directive.argument.empty())
      text += ' ' + directive.argument;
    text += '\n';
    for (const std::string &line : directive.body)
      text.append(indent).append(line).append("\n");
  }
  return text;
}
