//===- Pnnx/Source.h - A text as lines and words --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_SOURCE_H
#define KEXPR_PNNX_SOURCE_H

#include "kexpr/Error.h"

#include <string>
#include <string_view>

namespace kexpr::pnnx {

/// A part of the text without blanks, and its line from 1. Empty, but still a
/// place, where a line has no more words.
struct Word {
  std::string_view text;
  std::size_t line = 0;
};

/// A file's text, read from front to back. Blanks are all of ASCII's but the
/// line feed, so lines may end as on any system.
class Source {
public:
  /// Both must outlive the object and its words.
  Source(std::string_view text, std::string_view name)
      : text(text), name(name), rest(text) {}

  /// Goes to the next line that exists; before the first call there is none.
  bool nextLine();
  /// The next word of this line.
  Word word();
  /// The same, and it stays the next.
  Word peek() const { return Source(*this).word(); }
  /// Whether only blanks and line ends follow this line.
  bool endsHere() const;

  /// InvalidSyntax at a word: "line 7 of <name>: <message>". The text goes
  /// along for `Error::render` unless it is huge.
  Error fault(Word at, std::string message) const;

private:
  std::string_view text, name;
  /// What follows this line, and what follows this word on it.
  std::string_view rest, line;
  std::size_t number = 0;
};

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_SOURCE_H
