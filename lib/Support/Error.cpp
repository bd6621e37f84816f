//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Error.h"

#include "Support/Guarded.h"

#include <algorithm>
#include <string_view>

using namespace kexpr;

/// Columns of source text that a rendered error shows at most.
static constexpr std::size_t MaxColumns = 76;

namespace {
/// The part of a source line that is shown, and the position of the caret.
struct Excerpt {
  std::string text;
  std::size_t caret;
  std::size_t length;
};
} // namespace

static std::string_view lineAround(std::string_view source,
                                   std::size_t position) {
  const std::size_t before =
      position == 0 ? std::string_view::npos : source.rfind('\n', position - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return source.substr(begin, source.find('\n', begin) - begin);
}

static Excerpt excerpt(std::string_view source, SourceRange range) {
  const std::size_t position = std::min(range.begin, source.size());
  const std::string_view line = lineAround(source, position);
  const std::size_t column = source.data() + position - line.data();
  const std::size_t end = std::min(range.end, source.size());
  const std::size_t length = end > position ? end - position : 1;

  // A long line is cut so that the caret stays in view.
  const std::size_t start = line.size() <= MaxColumns || column < MaxColumns / 2
                                ? 0
                                : column - MaxColumns / 2;
  std::string text(line.substr(start, MaxColumns));
  for (char &c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      c = ' ';
  const bool cut = start + text.size() < line.size();
  if (start > 0)
    text.insert(0, 3, '.');
  const std::size_t caret = column - start + (start > 0 ? 3 : 0);
  const std::size_t room = text.size() - std::min(caret, text.size());
  if (cut)
    text.append(3, '.');
  return {text, caret, std::min(length, std::max<std::size_t>(room, 1))};
}

std::string Error::render() const {
  return guardedOr(std::string("out of memory"), [this] {
    std::string result = "error: " + sentence;
    if (!ranged)
      return result;
    const Excerpt shown = excerpt(text, faultRange);
    result += "\n  " + shown.text + "\n  ";
    result.append(shown.caret, ' ');
    result += '^';
    result.append(shown.length - 1, '~');
    return result;
  });
}
