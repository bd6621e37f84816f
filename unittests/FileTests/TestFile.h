//===- FileTests/TestFile.h - A .kexpr file as directives -------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FILETESTS_TESTFILE_H
#define KEXPR_UNITTESTS_FILETESTS_TESTFILE_H

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::filetests {

/// A word at the start of a line, the rest of that line, and the indented
/// lines below it.
struct Directive {
  /// Comments and blank lines in front, as they are.
  std::string before;
  std::string name;
  std::string argument;
  /// Without their indentation.
  std::vector<std::string> body;
};

/// The directives of a file, in order. docs/testing.md describes the format.
std::vector<Directive> parseFile(std::string_view text);

/// The inverse of `parseFile`.
std::string renderFile(const std::vector<Directive> &directives);

/// A text without its last line break, cut into lines.
std::vector<std::string> splitLines(std::string_view text);

} // namespace kexpr::filetests

#endif // KEXPR_UNITTESTS_FILETESTS_TESTFILE_H
