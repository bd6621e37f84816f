//===- Pnnx/ParamText.h - Lines, words and shapes of a .param file --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_PARAMTEXT_H
#define KEXPR_PNNX_PARAMTEXT_H

#include "kexpr/Error.h"
#include "kexpr/Tensor.h"

#include <optional>
#include <string>
#include <string_view>

namespace kexpr::pnnx {

/// A part of the text without blanks, and its line from 1. Behind the last word
/// of a line it is empty and begins where the line ends.
struct Word {
  std::string_view text;
  std::size_t line = 0;
};

/// A file's text, read from front to back. Blanks are all of ASCII's but the
/// line feed, so lines may end as on any system.
class ParamText {
public:
  /// Both must outlive the object and its words.
  ParamText(std::string_view text, std::string_view name)
      : text(text), name(name), rest(text) {}

  /// Goes to the next line that exists; before the first call there is none.
  bool nextLine();
  /// The next word of this line.
  Word word();
  /// The next word of this line, without going past it.
  Word peek() const { return ParamText(*this).word(); }
  /// Whether only blanks and line ends follow this line.
  bool endsHere() const;

  /// InvalidSyntax at a word: "line 7 of <name>: <message>". The error has the
  /// text, for `Error::render`, unless that is huge.
  Error fault(Word at, std::string_view message) const;

private:
  std::string_view text, name;
  /// The text after this line, and the rest of the line.
  std::string_view rest, line;
  std::size_t number = 0;
};

/// Extents and element type as PNNX writes them.
struct ShapeText {
  Shape shape; ///< -1 where the file says `?` or the name of an extent.
  std::optional<DType> type; ///< Empty for null, complex numbers and no text.
};

/// Errors are InvalidSyntax without a range.
Expected<ShapeText> readShape(std::string_view text);

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_PARAMTEXT_H
