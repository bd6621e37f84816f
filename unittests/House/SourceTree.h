//===- House/SourceTree.h - The source tree as text -------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOUSE_SOURCETREE_H
#define KEXPR_UNITTESTS_HOUSE_SOURCETREE_H

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::house {

/// One file of the source tree.
struct SourceFile {
  std::string path; ///< From the root of the tree, as `lib/Ops/Table.h`.
  std::string text;

  /// What these give are views of `text`, so a passing file gives none.
  std::vector<std::string_view> lines() const &;
  std::vector<std::string_view> lines() && = delete;
  /// What the `#include` lines name, with their quotes or angle brackets.
  std::vector<std::string_view> includes() const &;
  std::vector<std::string_view> includes() && = delete;
};

/// The C++ sources and headers below a folder, sorted by path.
std::vector<SourceFile> sourcesIn(const std::string &folder);
/// Those below every folder that holds C++.
std::vector<SourceFile> allSources();
/// The files of the project, whatever they are.
std::vector<SourceFile> allFiles();
/// One file of the tree.
SourceFile sourceFile(const std::string &path);

/// The absolute path of a file of the tree.
std::string absolute(std::string_view path);

/// What a shell command wrote to either stream, and its exit status.
struct CommandResult {
  std::string output;
  int status;
};
CommandResult execute(const std::string &command);

} // namespace kexpr::house

#endif // KEXPR_UNITTESTS_HOUSE_SOURCETREE_H
