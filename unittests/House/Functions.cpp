//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "House/Functions.h"

#include <algorithm>
#include <cctype>
#include <utility>

using namespace kexpr;
using namespace kexpr::house;

/// The text with comments, literals and preprocessor lines blanked out; every
/// line break stays.
static std::string codeOnly(std::string_view text) {
  std::string code(text);
  auto blank = [&](std::size_t begin, std::size_t end) {
    end = std::min(end, code.size());
    for (std::size_t i = begin; i < end; ++i)
      if (code[i] != '\n')
        code[i] = ' ';
    return end;
  };
  auto pastLine = [&](std::size_t i) {
    std::size_t end = text.find('\n', i);
    while (end != text.npos && text[end - 1] == '\\')
      end = text.find('\n', end + 1);
    return end;
  };
  auto pastQuote = [&](std::size_t i) {
    const char quote = text[i++];
    while (i < text.size() && text[i] != quote)
      i += text[i] == '\\' ? 2 : 1;
    return i + 1;
  };
  for (std::size_t i = 0; i < code.size();) {
    const std::string_view rest = text.substr(i);
    const bool inWord = i > 0 && std::isalnum(text[i - 1]);
    if (rest.starts_with("//") || rest.starts_with("#"))
      i = blank(i, pastLine(i));
    else if (rest.starts_with("/*"))
      i = blank(i, text.find("*/", i) + 2);
    else if (rest.starts_with("R\"("))
      i = blank(i, text.find(")\"", i) + 2);
    // An apostrophe in a word parts the digits of a number.
    else if (text[i] == '"' || (text[i] == '\'' && !inWord))
      i = blank(i, pastQuote(i));
    else
      ++i;
  }
  return code;
}

/// The head without blanks in front and without its template parameters.
static std::string_view trimmed(std::string_view head) {
  auto skipBlanks = [&head] {
    while (!head.empty() && std::isspace(head.front()))
      head.remove_prefix(1);
  };
  skipBlanks();
  while (head.starts_with("template")) {
    std::size_t i = head.find('<');
    for (int depth = 0; i < head.size(); ++i) {
      depth += (head[i] == '<') - (head[i] == '>');
      if (depth == 0)
        break;
    }
    head.remove_prefix(std::min(i + 1, head.size()));
    skipBlanks();
  }
  return head;
}

/// Whether a brace that follows `head` holds declarations, so that functions
/// are looked for inside it.
static bool opensScope(std::string_view head) {
  for (const char *word : {"namespace", "inline namespace", "class", "struct",
                           "union", "enum", "extern"})
    if (trimmed(head).starts_with(word))
      return true;
  return false;
}

static bool opensFunction(std::string_view head) {
  const std::size_t last = head.find_last_not_of(" \n");
  return !opensScope(head) && head.find('(') != head.npos &&
         last != head.npos && head[last] != '=' && head[last] != '(' &&
         head[last] != ',';
}

namespace {
/// Follows the braces of a text.
class BraceReader {
public:
  explicit BraceReader(std::string_view code) : code(code) {}

  std::vector<Function> read() {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const char c = code[i];
      if (c == '{')
        open(i);
      else if (c == '}')
        close(i);
      else if (c == ';' && inside == 0)
        headStart = i + 1;
    }
    return std::move(functions);
  }

private:
  std::size_t lineOf(std::size_t position) const {
    return 1 + std::count(code.begin(), code.begin() + position, '\n');
  }

  void open(std::size_t position) {
    const auto head = code.substr(headStart, position - headStart);
    if (inside > 0 || !opensScope(head))
      ++inside;
    if (inside == 1 && opensFunction(head)) {
      const auto text = trimmed(head);
      const std::size_t begin = code.find_first_not_of(" \n", headStart);
      current = {std::string(text.substr(0, text.find('\n'))), lineOf(begin),
                 0};
    }
    if (inside == 0)
      headStart = position + 1;
  }

  void close(std::size_t position) {
    if (inside > 0 && --inside > 0)
      return;
    if (current.firstLine != 0) {
      current.lastLine = lineOf(position);
      functions.push_back(std::exchange(current, {}));
    }
    headStart = position + 1;
  }

  std::string_view code;
  std::vector<Function> functions;
  Function current;
  std::size_t headStart = 0;
  /// Open braces since one that holds no declarations.
  std::size_t inside = 0;
};
} // namespace

std::vector<Function> house::functionsOf(std::string_view text) {
  const std::string code = codeOnly(text);
  return BraceReader(code).read();
}
