//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Source.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::pnnx;

static constexpr std::string_view Blanks = " \t\r\v\f";

/// Errors of longer texts do without them.
static constexpr std::size_t MaxShownText = std::size_t{1} << 20;

bool Source::nextLine() {
  if (rest.empty())
    return false;
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  ++number;
  return true;
}

Word Source::word() {
  line.remove_prefix(std::min(line.find_first_not_of(Blanks), line.size()));
  const std::size_t end = std::min(line.find_first_of(Blanks), line.size());
  const Word word = {line.substr(0, end), number};
  line.remove_prefix(end);
  return word;
}

bool Source::endsHere() const {
  return line.find_first_not_of(Blanks) == line.npos &&
         rest.find_first_not_of(" \t\r\v\f\n") == rest.npos;
}

Error Source::fault(Word at, std::string message) const {
  std::string sentence = "line " + std::to_string(at.line) + " of ";
  sentence.append(name).append(": ").append(message);
  if (text.size() > MaxShownText)
    return {ErrorCode::InvalidSyntax, std::move(sentence)};
  const std::size_t begin = at.text.data() - text.data();
  return {ErrorCode::InvalidSyntax,
          std::move(sentence),
          std::string(text),
          {begin, begin + at.text.size()}};
}
