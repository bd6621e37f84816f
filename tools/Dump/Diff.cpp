//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Diff.h"

#include "Support/Text.h"

#include <algorithm>
#include <cstdio>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// A text as a file that a child of this process finds as `path`.
class TextFile {
public:
  explicit TextFile(const std::string &text) : file(memfd_create("kexpr", 0)) {
    const std::string end = text.ends_with('\n') || text.empty() ? "" : "\n";
    const std::string all = text + end;
    for (std::size_t at = 0; at < all.size();) {
      const auto done = write(file, all.data() + at, all.size() - at);
      if (done <= 0)
        break;
      at += static_cast<std::size_t>(done);
    }
  }
  ~TextFile() { close(file); }
  TextFile(const TextFile &) = delete;
  TextFile &operator=(const TextFile &) = delete;

  std::string path() const { return concat(" /dev/fd/", file); }

private:
  int file;
};
} // namespace

/// What diff prints of two texts.
static Expected<std::string> differences(const std::string &options,
                                         const std::string &left,
                                         const std::string &right) {
  const TextFile first(left), second(right);
  const std::string command =
      concat("LC_ALL=C.UTF-8 diff -a ", options, first.path(), second.path());
  std::FILE *pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (std::size_t size = pipe ? fread(buffer, 1, sizeof buffer, pipe) : 0)
    text.append(buffer, size);
  const int status = pipe ? pclose(pipe) : -1;
  // 1 says that there are differences.
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    return Error(ErrorCode::Io, "cannot compare: diff cannot be run");
  return text;
}

Expected<std::string> tools::sideBySide(const Side &left, const Side &right,
                                        std::size_t width) {
  // With an even width the gutter would have a blank more on its right.
  return differences(concat("-y -t -W ", (width - 1) | 1),
                     concat(left.title, "\n\n", left.text),
                     concat(right.title, "\n\n", right.text));
}

Expected<std::string> tools::unified(const Side &left, const Side &right) {
  auto text = differences("-u", left.text, right.text);
  if (!text)
    return text;
  // The names of the files are not those of the texts.
  for (int line = 0; line < 2; ++line)
    text->erase(0, text->find('\n') + 1);
  return concat("--- ", left.title, "\n+++ ", right.title, '\n', *text);
}

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
