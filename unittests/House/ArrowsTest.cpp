//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes point down: who may see whom is the table below, and docs/
// architecture.md says why.
//
//===----------------------------------------------------------------------===//
#include "House/SourceTree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace kexpr::house;

using Names = std::set<std::string, std::less<>>;

/// The rooms of lib/, and of which rooms each may include headers.
static const std::map<std::string, Names, std::less<>> rooms = {
    {"Support", {}},
    {"Ops", {"Support"}},
    {"Syntax", {"Support"}},
    {"Semantics", {"Support", "Ops", "Syntax"}},
    {"CodeGen", {"Support", "Ops", "Syntax", "Semantics", "Code"}},
    {"Code", {"Support"}},
    {"Jit", {"Support", "Code"}},
    {"Backend", {"Support", "Semantics", "Code", "CodeGen", "Jit"}},
    {"Inspect",
     {"Support", "Ops", "Syntax", "Semantics", "Code", "CodeGen", "Backend"}},
    {"Runtime",
     {"Support", "Ops", "Syntax", "Semantics", "Code", "CodeGen", "Backend",
      "Inspect"}},
    {"Pnnx", {"Support"}},
    {"Graph", {"Support", "Ops", "Semantics"}},
    {"Api",
     {"Support", "Ops", "Syntax", "Semantics", "Code", "CodeGen", "Backend",
      "Inspect", "Runtime"}},
};

static const Names llvmRooms = {"CodeGen", "Jit"};

/// The part before the first slash, without a quote or angle bracket.
static std::string_view firstFolder(std::string_view include) {
  include.remove_prefix(1);
  return include.substr(0, include.find('/'));
}

static std::string_view roomOf(std::string_view path) {
  path.remove_prefix(path.find('/') + 1);
  return path.substr(0, path.find('/'));
}

static bool isLlvm(std::string_view include) {
  const std::string_view folder = firstFolder(include);
  return folder == "llvm" || folder == "llvm-c";
}

static bool isTbb(std::string_view include) {
  const std::string_view folder = firstFolder(include);
  return folder == "tbb" || folder == "oneapi";
}

TEST(Arrows, EveryRoomIsInTheTable) {
  const auto sources = sourcesIn("lib");
  ASSERT_GT(sources.size(), 40u) << "the tree was not found";
  for (const SourceFile &file : sources)
    EXPECT_TRUE(rooms.contains(roomOf(file.path))) << file.path;
}

TEST(Arrows, IncludesPointDown) {
  for (const SourceFile &file : sourcesIn("lib")) {
    const auto room = roomOf(file.path);
    const Names &seen = rooms.find(room)->second;
    for (std::string_view include : file.includes()) {
      const std::string_view folder = firstFolder(include);
      if (rooms.contains(folder) && folder != room) {
        EXPECT_TRUE(seen.contains(folder)) << file.path << ": " << include;
      }
    }
  }
}

TEST(Arrows, LibraryIncludesNothingFromTheFoldersAboveIt) {
  for (const SourceFile &file : sourcesIn("lib"))
    for (std::string_view include : file.includes()) {
      const bool known = include.front() == '<' ||
                         firstFolder(include) == "kexpr" ||
                         firstFolder(include) == "kexpr-c" ||
                         rooms.contains(firstFolder(include));
      EXPECT_TRUE(known) << file.path << ": " << include;
    }
}

TEST(Arrows, LlvmIsSeenByTwoRoomsOnly) {
  for (const char *folder : {"include", "lib", "tools"})
    for (const SourceFile &file : sourcesIn(folder))
      for (std::string_view include : file.includes())
        if (isLlvm(include)) {
          EXPECT_TRUE(llvmRooms.contains(roomOf(file.path)))
              << file.path << ": " << include;
        }
}

TEST(Arrows, OneFileSeesTbb) {
  for (const char *folder : {"include", "lib", "tools"})
    for (const SourceFile &file : sourcesIn(folder))
      for (std::string_view include : file.includes())
        if (isTbb(include)) {
          EXPECT_EQ(file.path, "lib/Runtime/ExecutorTbb.cpp") << include;
        }
}

/// Adds the headers of lib/ that `file` includes, and those they include.
static void addHeaders(const SourceFile &file, Names &headers) {
  for (std::string_view include : file.includes()) {
    if (!rooms.contains(firstFolder(include)))
      continue;
    const std::string path =
        "lib/" + std::string(include.substr(1, include.size() - 2));
    if (headers.insert(path).second)
      addHeaders(sourceFile(path), headers);
  }
}

TEST(Arrows, NoHeaderCarriesLlvmOutOfItsRooms) {
  for (const SourceFile &file : sourcesIn("lib")) {
    if (llvmRooms.contains(roomOf(file.path)))
      continue;
    Names headers;
    addHeaders(file, headers);
    for (const std::string &path : headers) {
      const SourceFile header = sourceFile(path);
      for (std::string_view include : header.includes())
        EXPECT_FALSE(isLlvm(include))
            << file.path << " reaches " << include << " by " << path;
    }
  }
}
