//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How files of a directory are replaced, by threads, processes and full disks.
//
//===----------------------------------------------------------------------===//
#include "Code/Directory.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

#include <atomic>
#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static constexpr std::size_t Limit = 1 << 20;

static std::size_t openFiles() { return namesIn("/proc/self/fd").size(); }

TEST(Directory, FilesAreForThisUserAlone) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  const mode_t mask = umask(0);
  EXPECT_TRUE(directory->replace("name", "x"));
  umask(mask);
  EXPECT_EQ(modeOf(root.path("name")), 0600u);
}

TEST(Directory, LinksAreReplacedAndNotFollowed) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  writeFile(root.path("target"), "target");
  std::filesystem::create_symlink("target", root.path("name"));
  EXPECT_TRUE(directory->replace("name", "new"));
  EXPECT_EQ(directory->read("name", Limit), "new");
  EXPECT_EQ(readFile(root.path("target")), "target");
}

TEST(Directory, WhoReadsSeesTheOldContentsOrTheNew) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  const std::string kinds[] = {std::string(100000, 'a'),
                               std::string(300000, 'b')};
  ASSERT_TRUE(directory->replace("name", kinds[0]));
  std::atomic<bool> isOver = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!isOver) {
        const auto seen = directory->read("name", Limit);
        wrong += seen != kinds[0] && seen != kinds[1];
      }
    });
  std::vector<std::thread> writers;
  for (int t = 0; t < 2; ++t)
    writers.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        wrong += !directory->replace("name", kinds[i % 2]);
    });
  for (std::thread &thread : writers)
    thread.join();
  isOver = true;
  for (std::thread &thread : readers)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(namesIn(root.path()), std::set<std::string>{"name"});
}

TEST(Directory, WhatCannotBeReplacedLeavesNothing) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  std::filesystem::create_directory(root.path("name"));
  writeFile(root.path("name/file"), "x");
  const std::size_t open = openFiles();
  for (int i = 0; i < 50; ++i)
    for (const std::string &name :
         {std::string("name"), std::string("no/such/place"),
          std::string(300, 'x'), std::string("name/..")}) {
      const auto status = directory->replace(name, "contents");
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code(), ErrorCode::Io);
    }
  EXPECT_EQ(namesIn(root.path()), std::set<std::string>{"name"});
  EXPECT_EQ(openFiles(), open);
}

TEST(Directory, AFullDiskLeavesWhatThereWas) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  ASSERT_TRUE(directory->replace("old", std::string(5000, 'o')));
  const std::size_t open = openFiles();
  EXPECT_EQ(inChild([&] {
              limitFiles(4096);
              const std::string large(5000, 'x');
              const auto replaced = directory->replace("old", large);
              const auto made = directory->replace("new", large);
              if (replaced || replaced.error().code() != ErrorCode::Io)
                return 1;
              if (made || made.error().code() != ErrorCode::Io)
                return 2;
              if (!directory->replace("small", "fits"))
                return 3;
              return openFiles() == open ? 0 : 4;
            }),
            0);
  EXPECT_EQ(namesIn(root.path()), (std::set<std::string>{"old", "small"}));
  EXPECT_EQ(directory->read("old", Limit), std::string(5000, 'o'));
}

TEST(Directory, ARemovedOneHoldsNothing) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path("cache"));
  ASSERT_TRUE(directory->replace("name", "x"));
  std::filesystem::remove_all(root.path("cache"));
  EXPECT_EQ(directory->read("name", Limit), std::nullopt);
  const auto status = directory->replace("name", "y");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::Io);
  EXPECT_FALSE(std::filesystem::exists(root.path("cache")));
  // A new one at the same place is another one.
  const auto again = *Directory::open(root.path("cache"));
  EXPECT_TRUE(again->replace("name", "z"));
  EXPECT_EQ(directory->read("name", Limit), std::nullopt);
}

TEST(Directory, ClosesWhatItOpened) {
  const TemporaryDirectory root;
  const std::size_t open = openFiles();
  for (int i = 0; i < 50; ++i) {
    const auto directory = *Directory::open(root.path("a/b"));
    EXPECT_TRUE(directory->replace("name", "x"));
    EXPECT_TRUE(directory->read("name", Limit));
    EXPECT_FALSE(directory->read("name", 0));
    EXPECT_FALSE(Directory::open(root.path("a/b/name")));
    EXPECT_EQ(openFiles(), open + 1);
  }
  EXPECT_EQ(openFiles(), open);
}
