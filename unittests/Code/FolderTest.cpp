//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Directory.h"
#include "TestUtil/Files.h"

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static const std::vector<NamedFile> Two = {{"a", "one"}, {"b", "two"}};

TEST(Folder, IsMadeWhole) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path("all"));
  EXPECT_FALSE(directory->has("new"));
  ASSERT_TRUE(directory->addFolder("new", Two));
  EXPECT_TRUE(directory->has("new"));
  EXPECT_EQ(namesIn(root.path("all")), (std::set<std::string>{"new"}));
  EXPECT_EQ(readFile(root.path("all/new/a")), "one");
  EXPECT_EQ(readFile(root.path("all/new/b")), "two");
  EXPECT_EQ(modeOf(root.path("all/new")), 0700u);
  EXPECT_EQ(modeOf(root.path("all/new/a")), 0600u);
}

TEST(Folder, OfTheFirstStays) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  ASSERT_TRUE(directory->addFolder("name", Two));
  EXPECT_TRUE(directory->addFolder("name", {{"c", "three"}}));
  EXPECT_EQ(namesIn(root.path("name")), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(namesIn(root.path()).size(), 1u);
}

TEST(Folder, ThatCannotBeMadeLeavesNothing) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  writeFile(root.path("file"), "x");
  const auto inTheWay = directory->addFolder("file", Two);
  ASSERT_FALSE(inTheWay);
  EXPECT_EQ(inTheWay.error().code(), ErrorCode::Io);
  EXPECT_NE(inTheWay.error().message().find("'file'"), std::string::npos);
  EXPECT_FALSE(directory->addFolder("new", {{"a", "x"}, {"no/such", "x"}}));
  EXPECT_FALSE(directory->addFolder("new", {{"a", "x"}, {"a", "x"}}));
  EXPECT_EQ(namesIn(root.path()), (std::set<std::string>{"file"}));
  EXPECT_EQ(readFile(root.path("file")), "x");
}

TEST(Folder, DraftsGoWhenTheyAreOld) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  std::filesystem::create_directory(root.path(".draft.1.2.3"));
  writeFile(root.path(".draft.1.2.3/a"), "x");
  ASSERT_TRUE(directory->addFolder("whole", Two));
  directory->removeDrafts(std::chrono::hours(1));
  EXPECT_EQ(namesIn(root.path()).size(), 2u);
  directory->removeDrafts(std::chrono::seconds(-10));
  EXPECT_EQ(namesIn(root.path()), (std::set<std::string>{"whole"}));
}
