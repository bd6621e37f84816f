//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Directory.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static constexpr std::size_t MostBytes = 1000;

static void expectRefused(const std::string &path, const std::string &reason) {
  const auto directory = Directory::open(path);
  ASSERT_FALSE(directory) << path;
  EXPECT_EQ(directory.error().code(), ErrorCode::Io);
  EXPECT_NE(directory.error().message().find(reason), std::string::npos)
      << directory.error().message();
}

TEST(Directory, IsMadeWithItsParentsForThisUserAlone) {
  const TemporaryDirectory root;
  const mode_t mask = umask(0);
  EXPECT_TRUE(Directory::open(root.path("a/b/c/")));
  umask(mask);
  for (const char *made : {"a", "a/b", "a/b/c"})
    EXPECT_EQ(modeOf(root.path(made)), 0700u) << made;
  // What is there is taken as it is, and need not belong to nobody else.
  ASSERT_EQ(chmod(root.path("a").c_str(), 0755), 0);
  EXPECT_TRUE(Directory::open(root.path("a/b/c")));
  EXPECT_TRUE(Directory::open(root.path("a/b/../b/./new")));
  EXPECT_EQ(modeOf(root.path("a")), 0755u);
}

TEST(Directory, IsRefusedIfOthersMayWriteToIt) {
  const TemporaryDirectory root;
  for (unsigned mode : {0770u, 0702u, 0777u, 01777u, 0720u}) {
    ASSERT_EQ(chmod(root.path().c_str(), mode), 0);
    expectRefused(root.path(), "may be written to by other users");
  }
  for (unsigned mode : {0755u, 0700u, 0500u}) {
    ASSERT_EQ(chmod(root.path().c_str(), mode), 0);
    EXPECT_TRUE(Directory::open(root.path())) << mode;
  }
  chmod(root.path().c_str(), 0700);
}

TEST(Directory, IsRefusedIfItBelongsToAnother) {
  const TemporaryDirectory root;
  if (geteuid() != 0 || chown(root.path().c_str(), 54321, 54321) != 0)
    GTEST_SKIP() << kexpr::test::skips::NotPermitted;
  expectRefused(root.path(), "belongs to another user");
  EXPECT_EQ(chown(root.path().c_str(), 0, 0), 0);
}

TEST(Directory, OfRootIsReadByOthers) {
  EXPECT_TRUE(Directory::open("/"));
  const TemporaryDirectory root;
  ASSERT_TRUE((*Directory::open(root.path()))->replace("name", "x"));
  ASSERT_EQ(chmod(root.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(root.path("name").c_str(), 0644), 0);
  if (geteuid() != 0)
    GTEST_SKIP() << kexpr::test::skips::NotPermitted;
  EXPECT_EQ(inChild([&] {
              if (setuid(65534) != 0)
                return 1;
              const auto directory = Directory::open(root.path());
              if (!directory || (*directory)->read("name", MostBytes) != "x")
                return 2;
              return (*directory)->replace("other", "y") ? 3 : 0;
            }),
            0);
}

TEST(Directory, IsRefusedIfItIsNone) {
  const TemporaryDirectory root;
  writeFile(root.path("file"), "x");
  expectRefused(root.path("file"), "Not a directory");
  expectRefused(root.path("file/below/it"), "Not a directory");
  expectRefused("", "No such file or directory");
  std::filesystem::create_symlink("nowhere", root.path("link"));
  expectRefused(root.path("link"), "");
  EXPECT_EQ(readFile(root.path("file")), "x");
}

TEST(Directory, NamesWithNulAreRefused) {
  const TemporaryDirectory root;
  expectRefused(root.path(std::string("a\0b", 3)), "is not the name");
  expectRefused(std::string(1, '\0'), "is not the name");
  EXPECT_TRUE(namesIn(root.path()).empty());
}

TEST(Directory, TheErrorSaysWhyNoneCanBeMade) {
  // Nobody can make a directory there, and each system says so in its own way.
  const std::string path = "/sys/kexpr-test";
  const bool isMade = mkdir(path.c_str(), 0700) == 0;
  const int reason = errno;
  if (isMade)
    rmdir(path.c_str());
  if (isMade || reason == ENOENT)
    GTEST_SKIP() << kexpr::test::skips::NotPermitted;
  expectRefused(path + "/below", std::strerror(reason));
}

TEST(Directory, IsHeldWhateverItsPathLeadsTo) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path("cache"));
  ASSERT_TRUE(directory->replace("name", "old"));
  std::filesystem::rename(root.path("cache"), root.path("moved"));
  std::filesystem::create_directory(root.path("cache"));
  ASSERT_EQ(chmod(root.path("cache").c_str(), 0777), 0);
  writeFile(root.path("cache/name"), "foreign");
  EXPECT_EQ(directory->read("name", MostBytes), "old");
  EXPECT_TRUE(directory->replace("name", "new"));
  EXPECT_EQ(readFile(root.path("moved/name")), "new");
  EXPECT_EQ(readFile(root.path("cache/name")), "foreign");
  EXPECT_EQ(readFile(directory->path() + "/name"), "new");
}

TEST(Directory, FilesAreReadWhole) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  const std::string contents("bytes\0and\nmore\xff", 15);
  ASSERT_TRUE(directory->replace("name", contents));
  EXPECT_EQ(directory->read("name", MostBytes), contents);
  EXPECT_EQ(directory->read("name", 15), contents);
  EXPECT_EQ(directory->read("name", 14), std::nullopt);
  EXPECT_EQ(directory->read("other", MostBytes), std::nullopt);
  ASSERT_TRUE(directory->replace("name", ""));
  EXPECT_EQ(directory->read("name", 0), "");
}

TEST(Directory, AFileThatWasReadIsTheLastOneUsed) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  ASSERT_TRUE(directory->replace("name", "x"));
  setLastUse(root.path("name"), 1000);
  struct stat before = {}, after = {};
  ASSERT_EQ(stat(root.path("name").c_str(), &before), 0);
  EXPECT_TRUE(directory->read("name", MostBytes));
  ASSERT_EQ(stat(root.path("name").c_str(), &after), 0);
  EXPECT_EQ(before.st_atime, 1000);
  EXPECT_GE(after.st_atime, before.st_mtime);
  EXPECT_EQ(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  EXPECT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

TEST(Directory, WhatIsNoFileIsNotRead) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  ASSERT_TRUE(directory->replace("file", "x"));
  std::filesystem::create_symlink("file", root.path("link"));
  std::filesystem::create_directory(root.path("directory"));
  // Whoever opens a pipe to read waits for a writer, which never comes.
  ASSERT_EQ(mkfifo(root.path("pipe").c_str(), 0600), 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  root.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  for (const char *name : {"link", "directory", "pipe", "socket", "", "."})
    EXPECT_EQ(directory->read(name, MostBytes), std::nullopt) << name;
  EXPECT_EQ(directory->read("file", MostBytes), "x");
  close(socket);
}

TEST(Directory, FilesThatOthersMayWriteToAreNotRead) {
  const TemporaryDirectory root;
  const auto directory = *Directory::open(root.path());
  ASSERT_TRUE(directory->replace("name", "x"));
  const std::string path = root.path("name");
  for (unsigned mode : {0620u, 0602u, 0666u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_EQ(directory->read("name", MostBytes), std::nullopt) << mode;
  }
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(directory->read("name", MostBytes), "x");
  if (geteuid() == 0 && chown(path.c_str(), 54321, 54321) == 0) {
    EXPECT_EQ(directory->read("name", MostBytes), std::nullopt);
  }
}
